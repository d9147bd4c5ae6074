/* SPDX-License-Identifier: MIT */
/*
 * Cache lines and address-unit cycles of one machine access to global memory (wire_device.h section
 * 3). The rules are those of AMD's TA, TCP and TCC counters: 64 B and 128 B lines, quads of 4
 * lanes.
 */
#ifndef PROBE_DEVLIB_LINE_COUNTS_H
#define PROBE_DEVLIB_LINE_COUNTS_H

#include "devlib/wave_ids.h"

struct dev_lines {
	uint32_t quads, used64, used128;
};

/*
 * Monotonic addresses: the number of distinct lines is one more than the number of changes of the
 * line from an active lane to the next.
 */
DEV_INLINE struct dev_lines dev_lines_monotone(uint64_t difference, uint64_t later,
					       uint64_t same_quad)
{
	uint64_t change64 = dev_ballot(difference > 63) & later;
	uint64_t change128 = dev_ballot(difference > 127) & later;

	return (struct dev_lines){
		.quads = 16 + dev_count(change64 & same_quad),
		.used64 = 1 + dev_count(change64),
		.used128 = 1 + dev_count(change128),
	};
}

/*
 * Lanes whose `x` equals that of the own lane: one ballot per bit in which lanes differ. The
 * callers pass differences from a common value, so that the upper bits are 0 in all lanes and the
 * loop ends early.
 */
DEV_INLINE uint64_t dev_match64(uint64_t match, uint64_t x, uint64_t mask)
{
	for (; dev_ballot(x != 0) & mask; x >>= 1) {
		uint64_t set = dev_ballot(x & 1);
		uint64_t other = (uint64_t)((int64_t)(x & 1) - 1);

		match &= set ^ other;
	}
	return match;
}

/* Addresses in any order; no unit crosses the end of a line. */
DEV_INLINE struct dev_lines dev_lines_any(uint64_t address, uint64_t mask)
{
	uint32_t lane = dev_lane();
	uint64_t x = address ^ dev_read64(address, dev_first(mask));
	uint64_t match = dev_match64(mask, x >> 7, mask);
	uint64_t first128 = dev_ballot(!dev_rank(match)) & mask;
	uint64_t odd = dev_ballot((x >> 6) & 1);
	uint64_t first64;
	uint32_t quad;

	match &= odd ^ (((x >> 6) & 1) - 1);
	first64 = dev_ballot(!dev_rank(match)) & mask;
	/* Lower lanes of the own quad on the same line. */
	quad = (uint32_t)(match >> (lane & 60)) & ((1u << (lane & 3)) - 1);
	uint64_t first_quad = dev_ballot(!quad) & mask;
	uint64_t active = mask | mask >> 1;

	active = (active | active >> 2) & 0x1111111111111111ull;
	return (struct dev_lines){
		.quads = dev_count(first_quad) + 16 - dev_count(active),
		.used64 = dev_count(first64),
		.used128 = dev_count(first128),
	};
}

/*
 * Distinct lines of 1 << shift bytes. *ret_quads: sum over these lines of the quads that touch
 * each.
 */
DEV_INLINE uint32_t dev_lines_walk(uint64_t address, uint32_t unit, uint32_t shift, uint64_t mask,
				   uint32_t *ret_quads)
{
	uint64_t low = address >> shift, high = (address + unit - 1) >> shift;
	uint64_t pending_low = mask, pending_high = mask;
	uint32_t lines = 0, quads = 0;

	while (pending_low | pending_high) {
		uint64_t line = pending_low ? dev_read64(low, dev_first(pending_low))
					    : dev_read64(high, dev_first(pending_high));
		uint64_t on_low = dev_ballot(low == line), on_high = dev_ballot(high == line);
		uint64_t touch = (on_low | on_high) & mask;

		pending_low &= ~on_low;
		pending_high &= ~on_high;
		lines++;
		touch |= touch >> 1;
		quads += dev_count((touch | touch >> 2) & 0x1111111111111111ull);
	}
	*ret_quads = quads;
	return lines;
}

/* Units may cross the end of a line: each lane touches one or two. One iteration per line; rare. */
DEV_INLINE struct dev_lines dev_lines_straddling(uint64_t address, uint32_t unit, uint64_t mask)
{
	uint64_t active = mask | mask >> 1;
	struct dev_lines lines;
	uint32_t quads, unused;

	active = (active | active >> 2) & 0x1111111111111111ull;
	lines.used64 = dev_lines_walk(address, unit, 6, mask, &quads);
	lines.used128 = dev_lines_walk(address, unit, 7, mask, &unused);
	lines.quads = quads + DEV_LANES / 4 - dev_count(active);
	return lines;
}

#ifdef DEV_PORTABLE
/* In a wave64 of RDNA, ds_bpermute does not cross the middle of the wave; this loop needs none. */
DEV_INLINE struct dev_lines dev_lines(uint64_t address, uint32_t shape, uint64_t mask)
{
	return dev_lines_straddling(address, shape & 0xff, mask);
}
#else
/* The previous active lane; any value for the first. */
DEV_INLINE uint32_t dev_previous_lane(uint64_t mask)
{
	uint32_t lane = dev_lane(), below = (1u << (lane & 31)) - 1;
	uint32_t low = (uint32_t)mask, high = (uint32_t)(mask >> 32);

	low &= lane < 32 ? below : ~0u;
	high &= lane < 32 ? 0 : below;
	return high ? 63 - (uint32_t)__builtin_clz(high) : 31 - (uint32_t)__builtin_clz(low | 1);
}

DEV_INLINE struct dev_lines dev_lines(uint64_t address, uint32_t shape, uint64_t mask)
{
	uint64_t lowest = mask & -mask, later = mask ^ lowest, same_quad, previous;

	/* Most accesses whose alignment is unknown at compile time are aligned at run time. */
	if (shape & SHAPE_UNALIGNED && dev_ballot((address & 63) + (shape & 0xff) > 64) & mask)
		return dev_lines_straddling(address, shape & 0xff, mask);
	uint32_t lane = dev_previous_lane(mask);

	previous = dev_permute64(address, lane);
	same_quad = dev_ballot((lane ^ dev_lane()) < 4);
	if ((dev_ballot(address < previous) & later) && (dev_ballot(address > previous) & later))
		return dev_lines_any(address, mask);
	return dev_lines_monotone(address ^ previous, later, same_quad);
}

#endif

#endif
