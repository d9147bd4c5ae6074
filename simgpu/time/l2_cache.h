/* SPDX-License-Identifier: MIT */
/* The L2 cache, as one unit sees it within an epoch, and as all share it. */
#ifndef PROBE_SIMGPU_TIME_L2_CACHE_H
#define PROBE_SIMGPU_TIME_L2_CACHE_H

#include "simgpu/time/cost_model.h"

enum { TOUCH_READ = 1, TOUCH_WRITE = 2 };
/*
 * A unit accesses half `half` (0, 1) of a 128-byte line. *missed: it must be fetched from memory.
 * Returns the entry, valid until the next call.
 */
struct time_touch *time_l2_touch(struct time_cu *cu, uint64_t line, uint32_t half, bool *missed);
bool time_touched_init(struct time_touched *touched);
/* End of an epoch: the touches of all units become part of the L2, in the order of the units. */
void time_l2_merge(struct sim_time *time);

#endif
