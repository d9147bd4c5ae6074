/* SPDX-License-Identifier: MIT */
/* A histogram of cycles: sum, extremes and percentiles. Initially zero. */
#ifndef PROBE_HANDLERS_CYCLE_HISTOGRAM_H
#define PROBE_HANDLERS_CYCLE_HISTOGRAM_H

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FINE = 256 }; /* steps of the histogram per power of two */

struct cycles {
	uint64_t count, sum, min, max;
	uint64_t *bin;
	size_t bins;
};

/* The bin for a number of cycles; below 2 * FINE each number has a bin of its own. */
static inline size_t cycles_bin(uint64_t cycles)
{
	unsigned shift;

	if (cycles < 2 * FINE)
		return cycles;
	shift = 55 - (unsigned)__builtin_clzll(cycles);
	return FINE * (size_t)shift + (cycles >> shift);
}

/* The largest number of cycles in a bin. */
static inline uint64_t cycles_bin_end(size_t bin)
{
	size_t shift = bin < 2 * FINE ? 0 : bin / FINE - 1;

	return ((bin - FINE * shift + 1) << shift) - 1;
}

static inline int cycles_count_bin(struct cycles *all, uint64_t cycles)
{
	size_t bin = cycles_bin(cycles);

	if (bin >= all->bins) {
		size_t bins = (bin + FINE) & ~(size_t)(FINE - 1);
		uint64_t *grown = realloc(all->bin, bins * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		memset(grown + all->bins, 0, (bins - all->bins) * sizeof(*grown));
		all->bin = grown;
		all->bins = bins;
	}
	all->bin[bin]++;
	return 0;
}

/* By nearest rank, of `count` spans. */
static inline uint64_t cycles_percentile(const struct cycles *all, unsigned percent)
{
	uint64_t rank = (all->count * percent + 99) / 100, seen = 0;

	for (size_t bin = 0; bin < all->bins; bin++) {
		seen += all->bin[bin];
		if (seen >= rank)
			return cycles_bin_end(bin) < all->max ? cycles_bin_end(bin) : all->max;
	}
	return all->max;
}

static inline int cycles_count(struct cycles *all, uint64_t cycles)
{
	all->min = !all->count || cycles < all->min ? cycles : all->min;
	all->max = cycles > all->max ? cycles : all->max;
	all->count++;
	all->sum += cycles;
	return cycles_count_bin(all, cycles);
}

#endif
