/* SPDX-License-Identifier: MIT */
/*
 * Epoch-based reclamation of memory that is freed while kernels run. A wave keeps the ranges it
 * found for the rest of its quantum. The addresses of a freed range therefore stay mapped (to empty
 * pages) until no wave can access them. A stray access is then harmless, and the next look-up
 * faults.
 */
#ifndef PROBE_SIMGPU_MEM_DEFERRED_UNMAP_H
#define PROBE_SIMGPU_MEM_DEFERRED_UNMAP_H

#include <stdint.h>

/*
 * A queue's thread calls enter before, and leave after, all accesses to the application's memory
 * for one packet. Pass the value from enter to leave.
 */
unsigned sim_reclaim_enter(void);
void sim_reclaim_leave(unsigned epoch);

/*
 * Unmaps pages that no look-up finds any more: now, or when all threads that have entered have
 * left.
 */
void sim_reclaim_unmap(uint64_t base, uint64_t size);

#endif
