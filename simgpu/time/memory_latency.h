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

/* Accesses to one address by `count` waves of a unit, each in `every` cycles or when it is served.
 */
struct time_crowd {
	uint32_t count;
	uint64_t every;
	bool writes; /* atomics; else loads */
};

/* The unit's share of the L2 is busy with accesses that it does not issue. */
void time_l2_crowded(struct time_cu *cu, uint64_t addr, const struct time_crowd *crowd);
/* So many such accesses come to the L2 in this epoch. */
void time_l2_requests(struct time_cu *cu, uint64_t addr, uint32_t count);

#endif
