/* SPDX-License-Identifier: MIT */
/* Numbers of cycles: their sum, extremes and percentiles. Zeroed to begin with. */
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

/* Where a number of cycles is counted: each in a bin of its own below 2 * FINE. */
static inline size_t cycles_bin(uint64_t cycles)
{
	unsigned shift;

	if (cycles < 2 * FINE)
		return cycles;
	shift = 55 - (unsigned)__builtin_clzll(cycles);
	return FINE * (size_t)shift + (cycles >> shift);
}

/* The most cycles that fall into a bin. */
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

/* Nearest rank; of `count` spans. */
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
