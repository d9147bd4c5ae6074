/* SPDX-License-Identifier: MIT */
/*
 * The interface of libroctx64.so for tools. Its first part is AMD's of ROCm 5.3 to 6: AMD's library
 * and Probe's are interchangeable.
 */
#ifndef PROBE_HSA_PLUGIN_ROCTX_ROCTX_TOOL_H
#define PROBE_HSA_PLUGIN_ROCTX_ROCTX_TOOL_H

#include <stdint.h>

/* AMD's roctx_api_data_t. */
struct probe_roctx_data {
	const char *message; /* may be NULL */
	uint64_t range;
};

/* `marker`: enum probe_marker. Called on the thread that makes the call. */
typedef int probe_roctx_callback(uint32_t domain, uint32_t marker, void *data);

#define PROBE_ROCTX_REGISTER "roctxRegisterTracerCallback"
typedef void probe_roctx_register(probe_roctx_callback *callback);

/* A call made before there was a tool; Probe's library only. */
struct probe_roctx_event {
	uint64_t time; /* CLOCK_BOOTTIME, ns */
	uint64_t range;
	uint32_t tid, marker;
	const char *message;
};

#define PROBE_ROCTX_EARLY "probe_roctx_early"
/* Passes these calls to the tool, once; none is kept afterwards. */
typedef void probe_roctx_early_calls(void (*take)(const struct probe_roctx_event *event));

#endif
