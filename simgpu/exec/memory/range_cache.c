/* SPDX-License-Identifier: MIT */
#include "simgpu/exec/memory/range_cache.h"

bool sim_wave_range(struct sim_wave *w, uint64_t lo, uint64_t hi, uint32_t flags)
{
	struct sim_range range;
	uint64_t at = lo;

	flags |= w->group->gpu;
	if (lo >= hi)
		return false;
	do {
		/* Adjacent ranges are not merged, so an access may need several. */
		if (sim_mem_find(at, &range) || (range.flags & flags) != flags || range.end <= at)
			return false;
		at = range.end;
	} while (at < hi);
	for (unsigned int i = 3; i > 0; i--)
		w->cache[i] = w->cache[i - 1];
	w->cache[0] = range;
	return true;
}

void sim_wave_ranges_refresh(struct sim_wave *w)
{
	uint64_t generation = sim_mem_generation();

	if (generation == w->cache_generation)
		return;
	for (unsigned int i = 0; i < 4; i++)
		w->cache[i] = (struct sim_range){0};
	w->cache_generation = generation;
}
