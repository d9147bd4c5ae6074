/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/trace/frames.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

/* Frames of these libraries do not belong to the application. */
static const char *const runtimes[] = {
	"libprobe-hsa.so", "libhsa-runtime64.so", "libamdhip64.so",
	"libamdocl64.so",  "libOpenCL.so",	  "libhsakmt.so",
	"librocprofiler",  "libhiprtc.so",	  "libc.so",
	"ld-linux",
};

struct captured {
	uintptr_t *addresses;
	unsigned count, max;
};

static _Unwind_Reason_Code capture(struct _Unwind_Context *context, void *user)
{
	struct captured *captured = user;

	if (captured->count == captured->max)
		return _URC_END_OF_STACK;
	captured->addresses[captured->count++] = _Unwind_GetIP(context) - 1;
	return _URC_NO_REASON;
}

unsigned probe_frames_capture(uintptr_t *addresses, unsigned max)
{
	struct captured captured = {.addresses = addresses, .max = max};

	_Unwind_Backtrace(capture, &captured);
	return captured.count;
}

static bool runtime_file(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++)
		if (!strncmp(name, runtimes[i], strlen(runtimes[i])))
			return true;
	return false;
}

/* dladdr() reads every symbol of the object for a name that nobody needs. */
static const struct link_map *object_of(uintptr_t address)
{
#if __GLIBC_PREREQ(2, 35)
	struct dl_find_object object;

	return _dl_find_object((void *)address, &object) ? NULL : object.dlfo_link_map;
#else
	struct link_map *map = NULL;
	Dl_info info;

	return dladdr1((void *)address, &info, (void **)&map, RTLD_DL_LINKMAP) ? map : NULL;
#endif
}

/* The file that an address is in, and its offset there; NULL if there is none. */
static const char *file_of(uintptr_t address, char self[PATH_MAX], uint64_t *offset)
{
	const struct link_map *map = object_of(address);
	ssize_t length;

	if (!map)
		return NULL;
	*offset = address - map->l_addr;
	if (map->l_name && *map->l_name)
		return map->l_name;
	length = readlink("/proc/self/exe", self, PATH_MAX - 1);
	if (length <= 0)
		return NULL;
	self[length] = 0;
	return self;
}

size_t probe_frames_text(const uintptr_t *addresses, unsigned count, unsigned frames, char *text,
			 size_t size)
{
	size_t used = 0;

	for (unsigned i = 0, recorded = 0; i < count && recorded < frames; i++) {
		char self[PATH_MAX];
		uint64_t offset;
		const char *path = file_of(addresses[i], self, &offset);
		int length;

		/* A callback from the runtime is application code, too. */
		if (!path || runtime_file(path))
			continue;
		length = snprintf(text + used, size - used, "%s%s+0x%" PRIx64, used ? "\n" : "",
				  path, offset);
		if (length <= 0 || (size_t)length >= size - used)
			break;
		used += (size_t)length;
		recorded++;
	}
	return used;
}
