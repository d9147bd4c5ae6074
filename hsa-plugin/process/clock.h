/* SPDX-License-Identifier: MIT */
#ifndef PROBE_HSA_PLUGIN_PROCESS_CLOCK_H
#define PROBE_HSA_PLUGIN_PROCESS_CLOCK_H

#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC. Async-signal-safe. */
static inline uint64_t probe_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
