/* SPDX-License-Identifier: MIT */
/* Runs loop iterations in parallel on the host threads that PROBE_SIM_THREADS allows. */
#ifndef PROBE_SIMGPU_BASE_PARALLEL_FOR_H
#define PROBE_SIMGPU_BASE_PARALLEL_FOR_H

#include <stdint.h>

/*
 * Calls fn(ctx, 0 .. count - 1), each once, on this thread and on helpers; returns when all are
 * done. The helpers see what this thread wrote before the call, and this thread sees what they
 * wrote.
 */
void sim_parallel_for(void (*fn)(void *ctx, uint32_t i), void *ctx, uint32_t count);

#endif
