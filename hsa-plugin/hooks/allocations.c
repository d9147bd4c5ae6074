/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/hooks/allocations.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <unwind.h>

#include "hsa-plugin/process/tool.h"

enum {
	DEPTH_MAX = 48, /* frames that are examined */
	FRAMES_MAX = 4, /* frames recorded */
	TEXT_MAX = 2048,
};

/* Frames of these libraries do not belong to the application. */
static const char *const runtimes[] = {
	"libprobe-hsa.so", "libhsa-runtime64.so", "libamdhip64.so",
	"libamdocl64.so",  "libOpenCL.so",	  "libhsakmt.so",
	"librocprofiler",  "libhiprtc.so",	  "libc.so",
	"ld-linux",
};

struct frames {
	unsigned depth, recorded;
	size_t used;
	char text[TEXT_MAX];
};

static bool runtime_file(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++)
		if (!strncmp(name, runtimes[i], strlen(runtimes[i])))
			return true;
	return false;
}

static void record_frame(struct frames *frames, const char *path, uint64_t offset)
{
	int length = snprintf(frames->text + frames->used, TEXT_MAX - frames->used,
			      "%s%s+0x%" PRIx64, frames->used ? "\n" : "", path, offset);

	if (length > 0 && (size_t)length < TEXT_MAX - frames->used) {
		frames->used += (size_t)length;
		frames->recorded++;
	} else {
		frames->depth = DEPTH_MAX; /* stop: no space for more */
	}
}

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *user)
{
	/*
	 * The byte before the return address belongs to the call instruction, and so to its source
	 * line.
	 */
	uintptr_t at = _Unwind_GetIP(context) - 1;
	struct frames *frames = user;
	struct link_map *map = NULL;
	char self[PATH_MAX];
	const char *path;
	ssize_t length;
	Dl_info info;

	if (frames->depth++ >= DEPTH_MAX || frames->recorded == FRAMES_MAX)
		return _URC_END_OF_STACK;
	if (!dladdr1((void *)at, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
		return _URC_NO_REASON;
	path = map->l_name;
	if (!path || !*path) {
		length = readlink("/proc/self/exe", self, sizeof(self) - 1);
		if (length <= 0)
			return _URC_NO_REASON;
		self[length] = 0;
		path = self;
	}
	/* A callback from the runtime is application code, too. */
	if (!runtime_file(path))
		record_frame(frames, path, at - map->l_addr);
	return _URC_NO_REASON;
}

static void put(const void *address, size_t size, uint32_t source)
{
	struct probe_hr_allocation row = {
		.address = (uintptr_t)address,
		.size = size,
		.source = source,
	};
	struct frames frames = {0};
	struct iovec parts[] = {{&row, sizeof(row)}, {frames.text, 0}};
	int saved = errno;

	_Unwind_Backtrace(visit, &frames);
	row.frames_len = (uint32_t)frames.used;
	parts[1].iov_len = frames.used;
	probe_segment_put(&probe_tool.segment, PROBE_HR_ALLOCATION, parts, 2);
	errno = saved;
}

static void put_free(const void *address)
{
	struct probe_hr_free row = {.address = (uintptr_t)address};
	struct iovec part = {&row, sizeof(row)};
	int saved = errno;

	if (address && probe_tool_active())
		probe_segment_put(&probe_tool.segment, PROBE_HR_FREE, &part, 1);
	errno = saved;
}

static hsa_status_t pool_allocate(hsa_amd_memory_pool_t pool, size_t size, uint32_t flags,
				  void **ret)
{
	hsa_status_t status = probe_tool.hsa.memory_pool_allocate(pool, size, flags, ret);

	if (status == HSA_STATUS_SUCCESS && probe_tool_active())
		put(*ret, size, PROBE_ALLOCATION_POOL);
	return status;
}

static hsa_status_t pool_free(void *address)
{
	put_free(address);
	return probe_tool.hsa.memory_pool_free(address);
}

static hsa_status_t region_allocate(hsa_region_t region, size_t size, void **ret)
{
	hsa_status_t status = probe_tool.hsa.memory_allocate(region, size, ret);

	if (status == HSA_STATUS_SUCCESS && probe_tool_active())
		put(*ret, size, PROBE_ALLOCATION_REGION);
	return status;
}

static hsa_status_t region_free(void *address)
{
	put_free(address);
	return probe_tool.hsa.memory_free(address);
}

void probe_allocations_hooks(struct probe_hsa_hooks *hooks)
{
	hooks->memory_pool_allocate = pool_allocate;
	hooks->memory_pool_free = pool_free;
	hooks->memory_allocate = region_allocate;
	hooks->memory_free = region_free;
}
