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

#include "hsa-plugin/trace/frame_rules.h"

/* Frames of these libraries do not belong to the application. */
static const char *const runtimes[] = {
	"libprobe-hsa.so", "libhsa-runtime64.so", "libamdhip64.so",
	"libamdocl64.so",  "libOpenCL.so",	  "libhsakmt.so",
	"librocprofiler",  "libhiprtc.so",	  "libc.so",
	"ld-linux",
};

uint64_t probe_frames_hash(const uintptr_t *addresses, unsigned count)
{
	uint64_t id = 0xcbf29ce484222325ull;

	for (unsigned i = 0; i < count; i++)
		id = (id ^ addresses[i] ^ id >> 29) * 0x100000001b3ull;
	return id ? id : 1;
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

/* True if an address belongs to the application. What has no file does not. */
static bool is_application(uintptr_t address)
{
	char self[PATH_MAX];
	uint64_t offset;
	const char *path = file_of(address, self, &offset);

	return path && !runtime_file(path);
}

struct frame {
	uintptr_t pc, sp, bp; /* after the call of the next inner frame returns */
};

/* Where frames go: up to `max`, and up to the `calls`-th of the application. */
struct taken {
	uintptr_t *addresses;
	unsigned count, max, calls;
	uint64_t loads;
	uintptr_t sp; /* of the first frame to take; inner ones belong to this file */
};

static bool full(const struct taken *taken)
{
	return taken->count == taken->max || !taken->calls;
}

static void take(struct taken *taken, uintptr_t pc, bool application)
{
	taken->addresses[taken->count++] = pc - 1;
	taken->calls -= application;
}

static _Unwind_Reason_Code take_frame(struct _Unwind_Context *context, void *user)
{
	struct taken *taken = user;
	uintptr_t pc = _Unwind_GetIP(context);

	if (full(taken))
		return _URC_END_OF_STACK;
	if (_Unwind_GetCFA(context) >= taken->sp && pc)
		take(taken, pc, probe_frame_rule(pc, taken->loads, is_application).user);
	return _URC_NO_REASON;
}

/* False: the unwinder is needed. */
static bool take_known(struct taken *taken, struct frame frame)
{
	while (!full(taken) && frame.pc) {
		struct probe_frame_rule rule =
			probe_frame_rule(frame.pc, taken->loads, is_application);
		uintptr_t cfa =
			(rule.from_bp ? frame.bp : frame.sp) + (uintptr_t)(intptr_t)rule.cfa;

		if (rule.other)
			return false;
		take(taken, frame.pc, rule.user);
		if (rule.last)
			return true;
		/* Unwind information that was made by hand may be wrong. */
		if (cfa <= frame.sp || cfa % 8)
			return false;
		if (rule.saves_bp)
			frame.bp = *(const uintptr_t *)(cfa + (uintptr_t)(intptr_t)rule.bp);
		frame.pc = ((const uintptr_t *)cfa)[-1];
		frame.sp = cfa;
	}
	return true;
}

__attribute__((noinline)) unsigned probe_frames_capture(uintptr_t *addresses, unsigned max,
							unsigned calls)
{
	/* The caller's rbp and the return address. */
	const uintptr_t *saved = __builtin_frame_address(0);
	struct frame frame = {.pc = saved[1], .sp = (uintptr_t)(saved + 2), .bp = saved[0]};
	struct taken taken = {
		.addresses = addresses,
		.max = max,
		.calls = calls,
		.loads = probe_frame_loads(),
		.sp = frame.sp,
	};
	struct taken again = taken;

	if (take_known(&taken, frame))
		return taken.count;
	_Unwind_Backtrace(take_frame, &again);
	return again.count;
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
