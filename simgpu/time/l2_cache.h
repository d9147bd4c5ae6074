/* SPDX-License-Identifier: MIT */
/* The L2 cache, as one unit sees it within an epoch, and as all units share it. */
#ifndef PROBE_SIMGPU_TIME_L2_CACHE_H
#define PROBE_SIMGPU_TIME_L2_CACHE_H

#include "simgpu/time/cost_model.h"

/*
 * The unit's view of a line of 128 bytes; valid until the next call. The caller records what it
 * fetches and writes.
 */
struct time_touch *time_l2_touch(struct time_cu *cu, uint64_t line);
bool time_touched_init(struct time_touched *touched);

/* Creates the device's caches, empty; false without memory. */
bool time_caches_create(struct sim_time *time);
void time_caches_destroy(struct sim_time *time);

/*
 * At the end of a dispatch: what is dirty in the L2 is written back. It remains cached, unless the
 * device empties its L2s. Returns the number of halves.
 */
uint64_t time_l2_flush(struct sim_time *time);

/*
 * At the end of an epoch: merges the touches of all units into the L2, in the order of the units.
 */
void time_l2_merge(struct sim_time *time);

/* At the end of a window of epochs: how crowded channels are, and how much units share. */
void time_l2_measure(struct sim_time *time);

#endif
