/* SPDX-License-Identifier: MIT */
/*
 * Memory that is freed while the device is at work. A wave keeps the ranges it found for the rest
 * of its quantum, so the pages of a freed one stay in place (empty) until no wave can access them:
 * a stray access then harms nothing, and the next look-up is the fault it should be.
 */
#ifndef PROBE_SIMGPU_MEM_DEFERRED_UNMAP_H
#define PROBE_SIMGPU_MEM_DEFERRED_UNMAP_H

#include <stdint.h>

/*
 * Around everything a queue's thread and its helpers do with the application's memory for one
 * packet. Leave with what enter returned.
 */
unsigned sim_reclaim_enter(void);
void sim_reclaim_leave(unsigned epoch);

/* Unmap pages no look-up finds any more: now, or once all that are inside by now have left. */
void sim_reclaim_unmap(uint64_t base, uint64_t size);

#endif
