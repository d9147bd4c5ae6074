/* SPDX-License-Identifier: MIT */
/*
 * Preloaded: the FAIL_AT-th call of a group fails in a process named FAIL_PROCESS, before it does
 * anything. FAIL_CALL names the group: open, write, size, map, sync, name, or all. FAIL_ERROR is
 * the errno; or "short", for a write of half of the bytes; or "kill": the process is killed
 * instead. The directory FAIL_NOTE is made then; in a second process of that name no call fails.
 * With FAIL_ALWAYS=1, all later calls fail, too, and in all processes of that name.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum act { WORKS, FAILS, SHORT };

static enum act act(const char *group)
{
	static uint64_t count;
	const char *process = getenv("FAIL_PROCESS"), *call = getenv("FAIL_CALL");
	const char *at = getenv("FAIL_AT"), *error = getenv("FAIL_ERROR");
	const char *note = getenv("FAIL_NOTE");
	uint64_t number, wanted;
	char name[16];

	if (!process || !call || !at || !error || (strcmp(call, group) && strcmp(call, "all")) ||
	    prctl(PR_GET_NAME, name) || strcmp(name, process))
		return WORKS;
	number = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
	wanted = strtoull(at, NULL, 10);
	if (number != wanted && (number < wanted || !getenv("FAIL_ALWAYS")))
		return WORKS;
	if (note && syscall(SYS_mkdir, note, 0700) && !getenv("FAIL_ALWAYS"))
		return WORKS; /* in another process */
	if (!strcmp(error, "kill"))
		kill(getpid(), SIGKILL);
	errno = atoi(error);
	return strcmp(error, "short") ? FAILS : SHORT;
}

/* Messages, sockets and pipes are written to without failures. */
static bool is_file(int fd)
{
	struct stat status;

	return !fstat(fd, &status) && S_ISREG(status.st_mode);
}

/* The C library's own function; the two of the same name differ in nothing on 64-bit systems. */
#define REAL(name) ((__typeof__(&(name)))(uintptr_t)dlsym(RTLD_NEXT, #name))

#define OPEN(name, group)                                                                          \
	int name(const char *path, int flags, ...)                                                 \
	{                                                                                          \
		va_list rest;                                                                      \
		mode_t mode;                                                                       \
                                                                                                   \
		va_start(rest, flags);                                                             \
		mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;                   \
		va_end(rest);                                                                      \
		return act(group) == WORKS ? REAL(name)(path, flags, mode) : -1;                   \
	}
#define WRITE(name, parameters, arguments, shortened)                                              \
	ssize_t name parameters                                                                    \
	{                                                                                          \
		enum act what = is_file(fd) ? act("write") : WORKS;                                \
                                                                                                   \
		if (what == FAILS)                                                                 \
			return -1;                                                                 \
		return what == WORKS || size < 2 ? REAL(name) arguments : REAL(name) shortened;    \
	}
#define CALL(group, name, parameters, arguments)                                                   \
	int name parameters                                                                        \
	{                                                                                          \
		return act(group) == WORKS ? REAL(name) arguments : -1;                            \
	}
#define MAP(name)                                                                                  \
	void *name(void *at, size_t size, int access, int flags, int fd, off_t offset)             \
	{                                                                                          \
		return act("map") == WORKS ? REAL(name)(at, size, access, flags, fd, offset)       \
					   : MAP_FAILED;                                           \
	}

OPEN(open, "open")
OPEN(open64, "open")
WRITE(write, (int fd, const void *from, size_t size), (fd, from, size), (fd, from, size / 2))
WRITE(pwrite, (int fd, const void *from, size_t size, off_t at), (fd, from, size, at),
      (fd, from, size / 2, at))
WRITE(pwrite64, (int fd, const void *from, size_t size, off_t at), (fd, from, size, at),
      (fd, from, size / 2, at))
CALL("size", ftruncate, (int fd, off_t size), (fd, size))
CALL("size", ftruncate64, (int fd, off_t size), (fd, size))
CALL("size", fallocate, (int fd, int mode, off_t at, off_t size), (fd, mode, at, size))
CALL("size", fallocate64, (int fd, int mode, off_t at, off_t size), (fd, mode, at, size))
MAP(mmap)
MAP(mmap64)
CALL("sync", fsync, (int fd), (fd))
CALL("sync", fdatasync, (int fd), (fd))
CALL("name", linkat, (int from, const char *path, int to, const char *name, int flags),
     (from, path, to, name, flags))
CALL("name", rename, (const char *from, const char *to), (from, to))
CALL("name", unlink, (const char *path), (path))
CALL("name", mkdir, (const char *path, mode_t mode), (path, mode))
