/* SPDX-License-Identifier: MIT */
/*
 * This library is preloaded, so these definitions precede those of the C library. Calls that do not
 * concern the simulated driver's files go to the next definition.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "simgpu/driver/device_files.h"
#include "simgpu/driver/driver_export.h"
#include "simgpu/driver/ioctl_table.h"
#include "simgpu/driver/sysfs_files.h"

/*
 * The next definition of the function that is being defined. It is looked up once; a race does no
 * harm.
 */
#define NEXT(name)                                                                                 \
	({                                                                                         \
		static __typeof__(&name) next;                                                     \
		if (!next)                                                                         \
			*(void **)&next = dlsym(RTLD_NEXT, #name);                                 \
		next;                                                                              \
	})

/* All files of the driver begin with this; other paths, nearly all, cost one comparison. */
static bool ours(const char *path)
{
	return path && ((!strncmp(path, "/dev/", 5) && sim_device_path(path)) ||
			(!strncmp(path, "/sys/", 5) && sim_sysfs_path(path)));
}

/* A descriptor, or -1 with errno as open() sets it. */
static int open_ours(const char *path, int flags)
{
	int fd = sim_device_path(path) ? sim_device_open(path, flags) : sim_sysfs_open(path);

	if (fd >= 0)
		return fd;
	errno = -fd;
	return -1;
}

static bool takes_mode(int flags)
{
	return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;
}

static mode_t mode_of(int flags, va_list list)
{
	return takes_mode(flags) ? va_arg(list, mode_t) : 0;
}

SIM_DRIVER_EXPORT int open(const char *path, int flags, ...)
{
	mode_t mode;
	va_list list;

	va_start(list, flags);
	mode = mode_of(flags, list);
	va_end(list);
	return ours(path) ? open_ours(path, flags) : NEXT(open)(path, flags, mode);
}

SIM_DRIVER_EXPORT int open64(const char *path, int flags, ...)
{
	mode_t mode;
	va_list list;

	va_start(list, flags);
	mode = mode_of(flags, list);
	va_end(list);
	return ours(path) ? open_ours(path, flags) : NEXT(open64)(path, flags, mode);
}

/* With _FORTIFY_SOURCE and non-constant flags, open() calls this. */
int __open_2(const char *path, int flags);
SIM_DRIVER_EXPORT int __open_2(const char *path, int flags)
{
	return ours(path) ? open_ours(path, flags) : NEXT(__open_2)(path, flags);
}

int __open64_2(const char *path, int flags);
SIM_DRIVER_EXPORT int __open64_2(const char *path, int flags)
{
	return ours(path) ? open_ours(path, flags) : NEXT(__open64_2)(path, flags);
}

static FILE *fopen_ours(const char *path, const char *mode)
{
	int fd = open_ours(path, O_RDWR | O_CLOEXEC);

	return fd < 0 ? NULL : fdopen(fd, mode);
}

SIM_DRIVER_EXPORT FILE *fopen(const char *path, const char *mode)
{
	return ours(path) ? fopen_ours(path, mode) : NEXT(fopen)(path, mode);
}

SIM_DRIVER_EXPORT FILE *fopen64(const char *path, const char *mode)
{
	return ours(path) ? fopen_ours(path, mode) : NEXT(fopen64)(path, mode);
}

SIM_DRIVER_EXPORT DIR *opendir(const char *path)
{
	return ours(path) && !sim_device_path(path) ? (DIR *)sim_sysfs_open_directory(path)
						    : NEXT(opendir)(path);
}

SIM_DRIVER_EXPORT struct dirent *readdir(DIR *directory)
{
	return sim_is_directory(directory)
		       ? sim_sysfs_read_directory((struct sim_directory *)directory)
		       : NEXT(readdir)(directory);
}

SIM_DRIVER_EXPORT struct dirent64 *readdir64(DIR *directory)
{
	_Static_assert(sizeof(struct dirent) == sizeof(struct dirent64), "one kind of entry");
	return sim_is_directory(directory) ? (struct dirent64 *)sim_sysfs_read_directory(
						     (struct sim_directory *)directory)
					   : NEXT(readdir64)(directory);
}

SIM_DRIVER_EXPORT int closedir(DIR *directory)
{
	if (!sim_is_directory(directory))
		return NEXT(closedir)(directory);
	sim_sysfs_close_directory((struct sim_directory *)directory);
	return 0;
}

/* `err`: 0 or a negative error number. */
static int libc_result(int err)
{
	if (err)
		errno = -err;
	return err ? -1 : 0;
}

/* rocminfo checks for the module this way. */
SIM_DRIVER_EXPORT int access(const char *path, int mode)
{
	if (!ours(path))
		return NEXT(access)(path, mode);
	return sim_device_path(path) ? 0 : libc_result(sim_sysfs_exists(path));
}

SIM_DRIVER_EXPORT int ioctl(int fd, unsigned long request, ...)
{
	void *argument;
	va_list list;

	va_start(list, request);
	argument = va_arg(list, void *);
	va_end(list);
	if (_IOC_TYPE(request) != 'K' || !sim_is_kfd(fd))
		return NEXT(ioctl)(fd, request, argument);
	return libc_result(sim_kfd_ioctl(request, argument));
}
