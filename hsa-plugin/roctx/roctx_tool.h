/* SPDX-License-Identifier: MIT */
/*
 * What libroctx64.so gives to a tool. The first interface is AMD's, of ROCm 5.3 to 6: its library
 * and ours can take each other's place.
 */
#ifndef PROBE_HSA_PLUGIN_ROCTX_ROCTX_TOOL_H
#define PROBE_HSA_PLUGIN_ROCTX_ROCTX_TOOL_H

#include <stdint.h>

/* AMD's roctx_api_data_t. */
struct probe_roctx_data {
	const char *message; /* may be NULL */
	uint64_t range;
};

/* `marker`: enum probe_marker. From the thread that makes the call. */
typedef int probe_roctx_callback(uint32_t domain, uint32_t marker, void *data);

#define PROBE_ROCTX_REGISTER "roctxRegisterTracerCallback"
typedef void probe_roctx_register(probe_roctx_callback *callback);

/* A call from before there was a tool; ours only. */
struct probe_roctx_event {
	uint64_t time; /* CLOCK_BOOTTIME, ns */
	uint64_t range;
	uint32_t tid, marker;
	const char *message;
};

#define PROBE_ROCTX_EARLY "probe_roctx_early"
/* Hand over these calls, once; none is kept afterwards. */
typedef void probe_roctx_early_calls(void (*take)(const struct probe_roctx_event *event));

#endif
