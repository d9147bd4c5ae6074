/* SPDX-License-Identifier: MIT */
/* Do the lanes of a mask have one constant stride? Exact for any mask. */
#ifndef PROBE_DEVLIB_LANE_AFFINE_H
#define PROBE_DEVLIB_LANE_AFFINE_H

#include "devlib/wave_ids.h"

struct dev_affine {
	uint64_t base;	/* address of the first lane */
	int32_t stride; /* between neighbouring lanes; 0 for one lane */
	bool is_affine;
};

/*
 * diff / gap for a gap in 1..63 that divides diff: shift out the power of two, then multiply by the
 * inverse of the odd rest modulo 2^32. Newton iteration: the initial value is correct in 3 bits,
 * and each step doubles the number of correct bits.
 */
DEV_INLINE int32_t dev_divide_exact(int64_t diff, uint32_t gap)
{
	uint32_t shift = (uint32_t)__builtin_ctz(gap), odd = gap >> shift, inverse = odd;

	for (int i = 0; i < 4; i++)
		inverse *= 2 - odd * inverse;
	return (int32_t)((uint32_t)(diff >> shift) * inverse);
}

#ifndef DEV_PORTABLE
/* All 64 lanes active: compare with the lane below. The result of lane 0 is ignored. */
DEV_INLINE struct dev_affine dev_affine64_full(uint64_t address)
{
	uint64_t step = address - dev_below64(address);
	int32_t stride = (int32_t)dev_read32((uint32_t)step, 1);

	return (struct dev_affine){
		.base = dev_uniform64(address),
		.stride = stride,
		.is_affine = (dev_ballot(step != (uint64_t)(int64_t)stride) | 1) == 1,
	};
}
#endif

DEV_INLINE struct dev_affine dev_affine64(uint64_t address, uint64_t mask)
{
	uint32_t first = dev_first(mask);
	uint64_t rest = mask & (mask - 1);
	uint32_t second = rest ? dev_first(rest) : first;
	uint64_t base = dev_read64(address, first);
	int64_t diff = (int64_t)(dev_read64(address, second) - base);
	int32_t stride = (int32_t)diff;

	if (second - first > 1)
		stride = dev_divide_exact(diff, second - first);
	/* If diff is no multiple of the gap, or the stride does not fit, the second lane differs
	 * here. */
	uint64_t expected = base + (uint64_t)((int64_t)stride * (int32_t)(dev_lane() - first));

	return (struct dev_affine){
		.base = base,
		.stride = stride,
		.is_affine = !(dev_ballot(address != expected) & mask),
	};
}

/* Selects the fastest of these for the mask. */
DEV_INLINE struct dev_affine dev_affine_any(uint64_t address, uint64_t mask)
{
#ifndef DEV_PORTABLE
	if (mask == ~0ull)
		return dev_affine64_full(address);
#endif
	return dev_affine64(address, mask);
}

#endif
