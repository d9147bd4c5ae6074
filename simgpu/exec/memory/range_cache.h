/* SPDX-License-Identifier: MIT */
/* Range checks of device accesses through the wave's small cache of ranges. */
#ifndef PROBE_SIMGPU_EXEC_MEMORY_RANGE_CACHE_H
#define PROBE_SIMGPU_EXEC_MEMORY_RANGE_CACHE_H

#include "simgpu/exec/inst.h"

/* Looks [lo, hi) up and keeps its range; false if some byte is not mapped with these flags. */
bool sim_wave_range(struct sim_wave *w, uint64_t lo, uint64_t hi, uint32_t flags);

/* Drops cached ranges if the map changed; called at every entry into sim_wave_run(). */
void sim_wave_ranges_refresh(struct sim_wave *w);

static inline bool wave_may(struct sim_wave *w, uint64_t lo, uint64_t hi, uint32_t flags)
{
	for (unsigned int i = 0; i < 4; i++)
		if (lo >= w->cache[i].base && hi <= w->cache[i].end && lo < hi &&
		    (w->cache[i].flags & flags) == flags)
			return true;
	return sim_wave_range(w, lo, hi, flags);
}

#endif
