/* SPDX-License-Identifier: MIT */
/*
 * LDS passes of one machine access. There are 32 banks of 4 bytes, and the wave is served in
 * phases. Within a phase, lanes that access different dwords of one bank conflict and take one pass
 * each; lanes that access the same dword share a pass.
 *
 * Phases by width and direction were measured on gfx942 (nod-ai/amd-shark-ai PR #2919; 16-byte
 * writes: documentation of ROCm's Composable Kernel). They are assumed for the other gfx9 targets
 * with 32 banks.
 *
 * Lanes of an atomic operation share nothing: lanes on one dword take a pass each (rocprof-compute
 * calls this an address conflict).
 *
 * On RDNA 3, a wave32 was measured to have the phases of half a wave of gfx942 (same source). A
 * wave64 is assumed to be two of these, and RDNA 1 and 2 to equal RDNA 3.
 *
 * An address that is not a multiple of its width is rounded down: no rule for such addresses is
 * published.
 */
#ifndef PROBE_DEVLIB_LDS_PASSES_H
#define PROBE_DEVLIB_LDS_PASSES_H

#include "devlib/lane_affine.h"
#include "devlib/wave_ids.h"

struct dev_passes {
	uint32_t passes, ideal, way;
};

struct dev_phases {
	uint32_t count;	  /* phases per wave */
	uint32_t bits;	  /* log2 of the number of bank groups; a lane accesses one group */
	uint32_t shift;	  /* log2 of the bytes of a bank group */
	uint64_t breaks;  /* lanes where a phase may begin without sharing with the previous one */
	bool interleaved; /* phase = quad q and quad q ^ 5 of a half wave */
	bool share;	  /* lanes on one dword share a pass */
	uint32_t lanes;	  /* per phase */
};

/* `shape` is constant, so that all of this folds. */
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

/* The half of a mask with the own lane. No phase crosses the middle of the wave. */
DEV_INLINE uint32_t dev_half(uint64_t mask, uint32_t lane)
{
	return lane < 32 ? (uint32_t)mask : (uint32_t)(mask >> 32);
}

/* Lanes of the own phase, within the own half of the wave. */
DEV_INLINE uint32_t dev_phase_lanes(const struct dev_phases *phases, uint32_t lane)
{
	if (phases->lanes == 32)
		return ~0u;
	if (phases->interleaved)
		return 0xfu << (lane & 28) | 0xfu << ((lane & 28) ^ 20);
	return ((1u << phases->lanes) - 1) << (lane & 31 & ~(phases->lanes - 1));
}

/* Keep the lanes that have the own lane's value in bit 0 of x. */
DEV_INLINE uint32_t dev_match_bit(uint32_t match, uint32_t x, uint32_t lane)
{
	uint32_t set = dev_half(dev_ballot(x & 1), lane);

	return match & (set ^ ((x & 1) - 1));
}

/*
 * `cost` is the number of distinct dwords in the own lane's bank and phase. Returns the sum over
 * phases of the largest cost. The maxima are found bit by bit from the top; a lane remains a
 * candidate while it may have the largest cost.
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
	/* One lane represents all that share a dword. */
	if (phases->share)
		bank &= dev_half(dev_ballot(!(same & below)) & mask, lane);
	cost = (uint32_t)__builtin_popcount(bank);
	if (!(dev_ballot(cost > 1) & mask))
		return (struct dev_passes){phases->count, phases->count, 1};
	return dev_sum_phases(cost, phase, mask, phases, lane);
}

/*
 * Passes per phase for lanes with a constant stride of `steps` bank groups: as many lanes meet in
 * one bank as the largest power of two that divides `steps`. 1 = no conflict. Strides below a dword
 * are 0 or -1 steps, which gives the correct result.
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

	/* Strides below a dword: adjacent lanes share dwords, and no bank has two dwords. */
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
