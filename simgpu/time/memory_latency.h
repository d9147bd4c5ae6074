/* SPDX-License-Identifier: MIT */
/* When memory instructions complete. */
#ifndef PROBE_SIMGPU_TIME_MEMORY_LATENCY_H
#define PROBE_SIMGPU_TIME_MEMORY_LATENCY_H

#include "simgpu/time/cost_model.h"

/*
 * Processes the record of an instruction that issues now; returns the cycle in which it completes.
 */
uint64_t time_vector(struct time_cu *cu, struct time_wave *w, const struct sim_timing *t,
		     uint64_t now);
uint64_t time_scalar(struct time_cu *cu, struct time_wave *w, const struct sim_timing *t,
		     uint64_t now);
void time_l1_invalidate(struct time_cu *cu);
void time_scalar_invalidate(struct time_cu *cu);

#endif
