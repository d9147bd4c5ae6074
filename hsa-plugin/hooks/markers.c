/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/hooks/markers.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hsa-plugin/process/tool.h"
#include "hsa-plugin/roctx/roctx_tool.h"
#include "hsa-plugin/runtime/loaded_library.h"
#include "hsa-plugin/trace/calls.h"

#define LIBRARY "libroctx64.so"

static void put(const struct probe_roctx_event *event)
{
	struct probe_hr_marker row = {
		.time = event->time,
		.range = event->range,
		.tid = event->tid,
		.marker = event->marker,
		.message_len = (uint32_t)strnlen(event->message, PROBE_MARKER_MESSAGE_MAX),
	};
	struct iovec parts[] = {{&row, sizeof(row)}, {(char *)event->message, row.message_len}};

	probe_segment_put(&probe_tool.segment, PROBE_HR_MARKER, parts, 2);
}

static int on_marker(uint32_t domain, uint32_t marker, void *data)
{
	const struct probe_roctx_data *call = data;
	struct probe_roctx_event event = {
		.time = probe_trace_time(),
		.range = call->range,
		.tid = (uint32_t)syscall(SYS_gettid),
		.marker = marker,
		.message = call->message ? call->message : "",
	};
	int saved = errno;

	(void)domain;
	if (marker == PROBE_MARKER_RESUME)
		atomic_store(&probe_tool.paused, false);
	/* A range that has begun is closed even while recording is paused. */
	if (marker < PROBE_MARKERS && probe_tool_active())
		put(&event);
	if (marker == PROBE_MARKER_PAUSE)
		atomic_store(&probe_tool.paused, true);
	errno = saved;
	return 0;
}

/* A pause that began before a GPU was used stays in effect. */
static void on_early(const struct probe_roctx_event *event)
{
	put(event);
	if (event->marker == PROBE_MARKER_PAUSE || event->marker == PROBE_MARKER_RESUME)
		atomic_store(&probe_tool.paused, event->marker == PROBE_MARKER_PAUSE);
}

void probe_markers_install(void)
{
	probe_roctx_register *add;
	probe_roctx_early_calls *early;

	if (!(probe_tool.config.traced & PROBE_TRACED_MARKERS))
		return;
	add = (probe_roctx_register *)probe_loaded_function(LIBRARY, PROBE_ROCTX_REGISTER);
	early = (probe_roctx_early_calls *)probe_loaded_function(LIBRARY, PROBE_ROCTX_EARLY);
	if (early)
		early(on_early);
	if (add)
		add(on_marker);
}
