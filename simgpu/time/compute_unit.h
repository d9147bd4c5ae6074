/* SPDX-License-Identifier: MIT */
/* Runs a compute unit from slot to slot. */
#ifndef PROBE_SIMGPU_TIME_COMPUTE_UNIT_H
#define PROBE_SIMGPU_TIME_COMPUTE_UNIT_H

#include "simgpu/time/cost_model.h"

/*
 * Fetches the unit's own state, but not that of its waves and caches, into the host's cache: for
 * the unit that runs next, because the nearer caches do not hold all units.
 */
void time_cu_prefetch(const struct time_cu *cu);
/* Runs until time->until, a held wave, or an empty backlog; cu->state says which. */
void time_cu_run(struct time_cu *cu);
/* Executes the held wave's instruction. False if the dispatch is stopped. */
bool time_cu_turn(struct time_cu *cu);

#endif
