/* SPDX-License-Identifier: MIT */
/*
 * libroctx64.so. A tool registers a callback when the GPU is first used. Earlier calls are kept, up
 * to a limit, and then passed to the tool.
 */
#include "hsa-plugin/roctx/roctx.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <probe/wire_tracing.h>

#include "hsa-plugin/roctx/roctx_tool.h"

#define EXPORT __attribute__((visibility("default")))

enum {
	EARLY_MAX = 1024,
	MESSAGE_MAX = 120,
	DOMAIN_ROCTX = 6, /* of AMD's activity_domain_t */
};

struct early {
	atomic_bool written;
	struct probe_roctx_event event;
	char message[MESSAGE_MAX];
};

EXPORT void roctxRegisterTracerCallback(probe_roctx_callback *callback);
EXPORT void probe_roctx_early(void (*take)(const struct probe_roctx_event *event));

static probe_roctx_callback *_Atomic tool;
static struct early early[EARLY_MAX];
static _Atomic unsigned early_count;
static atomic_bool early_over;
static __thread int level;

static void keep(uint32_t marker, const char *message, uint64_t range)
{
	struct timespec now;
	struct early *call;
	unsigned i;

	if (atomic_load_explicit(&early_over, memory_order_relaxed) ||
	    atomic_load_explicit(&early_count, memory_order_relaxed) >= EARLY_MAX)
		return;
	i = atomic_fetch_add_explicit(&early_count, 1, memory_order_relaxed);
	if (i >= EARLY_MAX)
		return;
	call = &early[i];
	clock_gettime(CLOCK_BOOTTIME, &now);
	call->event = (struct probe_roctx_event){
		.time = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec,
		.range = range,
		.tid = (uint32_t)syscall(SYS_gettid),
		.marker = marker,
		.message = call->message,
	};
	strncpy(call->message, message ? message : "", MESSAGE_MAX - 1);
	/* Pairs with the acquire in probe_roctx_early(). */
	atomic_store_explicit(&call->written, true, memory_order_release);
}

static void report(uint32_t marker, const char *message, uint64_t range)
{
	probe_roctx_callback *callback = atomic_load_explicit(&tool, memory_order_acquire);
	struct probe_roctx_data data = {message, range};

	if (callback)
		callback(DOMAIN_ROCTX, marker, &data);
	else
		keep(marker, message, range);
}

void roctxRegisterTracerCallback(probe_roctx_callback *callback)
{
	atomic_store_explicit(&tool, callback, memory_order_release);
}

void probe_roctx_early(void (*take)(const struct probe_roctx_event *event))
{
	unsigned count = atomic_load(&early_count);

	if (atomic_exchange(&early_over, true))
		return;
	for (unsigned i = 0; i < count && i < EARLY_MAX; i++)
		if (atomic_load_explicit(&early[i].written, memory_order_acquire))
			take(&early[i].event);
}

EXPORT uint32_t roctx_version_major(void)
{
	return ROCTX_VERSION_MAJOR;
}

EXPORT uint32_t roctx_version_minor(void)
{
	return ROCTX_VERSION_MINOR;
}

EXPORT void roctxMarkA(const char *message)
{
	report(PROBE_MARKER_MARK, message, 0);
}

EXPORT int roctxRangePushA(const char *message)
{
	report(PROBE_MARKER_PUSH, message, 0);
	return level++;
}

EXPORT int roctxRangePop(void)
{
	report(PROBE_MARKER_POP, NULL, 0);
	return level ? --level : -1;
}

EXPORT roctx_range_id_t roctxRangeStartA(const char *message)
{
	static _Atomic roctx_range_id_t last;
	roctx_range_id_t range = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;

	report(PROBE_MARKER_START, message, range);
	return range;
}

EXPORT void roctxRangeStop(roctx_range_id_t id)
{
	report(PROBE_MARKER_STOP, NULL, id);
}

EXPORT int roctxProfilerPause(roctx_thread_id_t thread)
{
	(void)thread;
	report(PROBE_MARKER_PAUSE, NULL, 0);
	return 0;
}

EXPORT int roctxProfilerResume(roctx_thread_id_t thread)
{
	(void)thread;
	report(PROBE_MARKER_RESUME, NULL, 0);
	return 0;
}

EXPORT int roctxNameOsThread(const char *name)
{
	report(PROBE_MARKER_NAME_THREAD, name, 0);
	return 0;
}

EXPORT int roctxNameHsaAgent(const char *name, const struct hsa_agent_s *agent)
{
	(void)name;
	(void)agent;
	return 0;
}

EXPORT int roctxNameHipDevice(const char *name, int device)
{
	(void)name;
	(void)device;
	return 0;
}

EXPORT int roctxNameHipStream(const char *name, const struct ihipStream_t *stream)
{
	(void)name;
	(void)stream;
	return 0;
}

EXPORT int roctxGetThreadId(roctx_thread_id_t *ret)
{
	*ret = (roctx_thread_id_t)syscall(SYS_gettid);
	return 0;
}
