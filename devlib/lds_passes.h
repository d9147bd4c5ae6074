/* SPDX-License-Identifier: MIT */
/*
 * LDS passes of one machine access: 32 banks of 4 bytes, the wave served in phases; within a phase
 * lanes on different dwords of one bank take turns, lanes on one dword share. Phases per width and
 * direction as measured on gfx942 (nod-ai/amd-shark-ai PR #2919; 16-byte writes from ROCm's
 * Composable Kernel documentation) and taken over for the other gfx9 targets with 32 banks.
 *
 * Lanes of an atomic operation share nothing: those on one dword take turns as well
 * (rocprof-compute calls it an address conflict).
 *
 * RDNA 3 in waves of 32 was measured to have the phases of half a wave of gfx942 (the same source);
 * its waves of 64 are taken as two of those, and the targets of RDNA 1 and 2 as RDNA 3.
 *
 * An address that is not a multiple of its width counts as the multiple below: no rule for the
 * others is published.
 */
#ifndef PROBE_DEVLIB_LDS_PASSES_H
#define PROBE_DEVLIB_LDS_PASSES_H

#include "devlib/lane_affine.h"
#include "devlib/wave_ids.h"

struct dev_passes {
	uint32_t passes, ideal, way;
};

struct dev_phases {
	uint32_t count;	  /* of the wave */
	uint32_t bits;	  /* log2 of the groups of banks that one access covers */
	uint32_t shift;	  /* log2 of the bytes of such a group */
	uint64_t breaks;  /* lanes where a phase may begin without sharing with the one before */
	bool interleaved; /* phase = quad q and quad q ^ 5 of a half wave */
	bool share;	  /* lanes on one dword */
	uint32_t lanes;	  /* per phase */
};

/* `shape` is constant: all of this folds. */
DEV_INLINE struct dev_phases dev_phases(uint32_t shape)
{
	uint32_t unit = shape & 0xff;
	bool share = !(shape & SHAPE_ATOMIC);

	const uint32_t halves = DEV_LANES / 32;

	if (unit <= 4)
		return (struct dev_phases){halves, 5, 2, 1ull << 32, false, share, 32};
	if (unit == 8)
		return (struct dev_phases){2 * halves, 4,     3, 0x0001000100010000ull,
					   false,      share, 16};
	if (shape & SHAPE_STORE)
		return (struct dev_phases){4 * halves, 3,     4, 0x0101010101010100ull,
					   false,      share, 8};
	return (struct dev_phases){4 * halves, 3, 4, 1ull << 32, true, share, 8};
}

/* The half of a mask that holds the own lane. No phase crosses the middle of the wave. */
DEV_INLINE uint32_t dev_half(uint64_t mask, uint32_t lane)
{
	return lane < 32 ? (uint32_t)mask : (uint32_t)(mask >> 32);
}

/* Lanes of the own phase, within the own half. */
DEV_INLINE uint32_t dev_phase_lanes(const struct dev_phases *phases, uint32_t lane)
{
	if (phases->lanes == 32)
		return ~0u;
	if (phases->interleaved)
		return 0xfu << (lane & 28) | 0xfu << ((lane & 28) ^ 20);
	return ((1u << phases->lanes) - 1) << (lane & 31 & ~(phases->lanes - 1));
}

/* Keep the lanes that agree with the own one in bit 0 of x. */
DEV_INLINE uint32_t dev_match_bit(uint32_t match, uint32_t x, uint32_t lane)
{
	uint32_t set = dev_half(dev_ballot(x & 1), lane);

	return match & (set ^ ((x & 1) - 1));
}

/*
 * `cost` is the number of distinct dwords in the own lane's bank and phase. Sum over phases of the
 * largest, found bit by bit from the top: a lane stays alive while it may be the largest.
 */
DEV_INLINE struct dev_passes dev_sum_phases(uint32_t cost, uint32_t phase, uint64_t mask,
					    const struct dev_phases *phases, uint32_t lane)
{
	uint32_t below = (1u << (lane & 31)) - 1;
	uint64_t leaders = dev_ballot(!(phase & below)) & mask, worst = mask;
	struct dev_passes sum = {
		.passes = phases->count - dev_count(leaders),
		.ideal = phases->count,
	};

	for (int bit = (int)phases->bits; bit >= 0; bit--) {
		uint64_t set = dev_ballot(cost >> bit & 1) & mask;
		uint32_t mine = phase & dev_half(set, lane);

		phase = mine ? mine : phase;
		sum.passes += dev_count(dev_ballot(mine != 0) & leaders) << bit;
		if (worst & set) {
			worst &= set;
			sum.way |= 1u << bit;
		}
	}
	return sum;
}

DEV_INLINE struct dev_passes dev_passes_any(uint32_t address, uint64_t mask,
					    const struct dev_phases *phases)
{
	uint32_t lane = dev_lane(), below = (1u << (lane & 31)) - 1;
	uint32_t phase = dev_phase_lanes(phases, lane) & dev_half(mask, lane);
	uint32_t x = address >> phases->shift, bank = phase, same;
	uint32_t cost;

	x ^= dev_read32(x, dev_first(mask));
	for (uint32_t i = 0; i < phases->bits; i++, x >>= 1)
		bank = dev_match_bit(bank, x, lane);
	same = bank;
	for (; phases->share && dev_ballot(x != 0) & mask; x >>= 1)
		same = dev_match_bit(same, x, lane);
	/* One lane stands for all that share a dword. */
	if (phases->share)
		bank &= dev_half(dev_ballot(!(same & below)) & mask, lane);
	cost = (uint32_t)__builtin_popcount(bank);
	if (!(dev_ballot(cost > 1) & mask))
		return (struct dev_passes){phases->count, phases->count, 1};
	return dev_sum_phases(cost, phase, mask, phases, lane);
}

/*
 * Lanes at a constant stride of `steps` bank groups: that many lanes meet in one bank as the
 * largest power of two in steps says. 1 = no two. Strides below a dword are 0 or -1 steps, which is
 * right.
 */
DEV_INLINE uint32_t dev_stride_way(int32_t steps, uint32_t bits)
{
	uint32_t power = (uint32_t)(steps & -steps), most = 1u << bits;

	power = power < most ? power : most;
	return power > 1 ? power : 1;
}

DEV_INLINE struct dev_passes dev_passes(uint32_t address, uint32_t shape, uint64_t mask,
					const struct dev_affine *affine)
{
	struct dev_phases phases = dev_phases(shape);
	int32_t stride = affine->stride;

	/* Strides below a dword: neighbours share dwords, and no bank is reached twice. */
	if (affine->is_affine && phases.share && phases.shift == 2 && stride > -4 && stride < 4)
		return (struct dev_passes){phases.count, phases.count, 1};
	if (affine->is_affine && (phases.share || stride) &&
	    !(stride & ((1 << phases.shift) - 1))) {
		uint32_t way = dev_stride_way(stride >> phases.shift, phases.bits);

		if (way == 1 || mask == ~0ull)
			return (struct dev_passes){phases.count * way, phases.count, way};
	}
	return dev_passes_any(address, mask, &phases);
}

#endif
