/* SPDX-License-Identifier: MIT */
/* Measure one unit of an access, for any EXEC and any addresses. */
#ifndef PROBE_DEVLIB_MEASURE_UNIT_H
#define PROBE_DEVLIB_MEASURE_UNIT_H

#include "devlib/lane_affine.h"
#include "devlib/lds_passes.h"
#include "devlib/line_counts.h"
#include "devlib/wave_ids.h"

/*
 * The sums of one execution, four per word: counter i is in bits 16 * (i mod 4) of word i / 4. All
 * fit into 16 bits, because an access has at most 255 units and 64 lanes.
 */
struct dev_sums {
	uint64_t word[3];
	uint32_t way;
};

DEV_INLINE uint64_t pack(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	return dev_join(a | b << 16, c | d << 16);
}

DEV_INLINE void add_lines(struct dev_sums *sums, uint64_t address, uint32_t shape, uint64_t mask)
{
	struct dev_lines lines = dev_lines(address, shape, mask);
	uint32_t bytes = dev_count(mask) * (shape & 0xff);
	uint32_t needed64 = (bytes + 63) / 64, needed128 = (bytes + 127) / 128;
	uint32_t excess64 = lines.used64 > needed64 ? lines.used64 - needed64 : 0;
	uint32_t excess128 = lines.used128 > needed128 ? lines.used128 - needed128 : 0;

	sums->word[0] += pack(0, 0, lines.quads, lines.used64);
	sums->word[1] += pack(needed64, excess64, lines.used128, needed128);
	sums->word[2] += excess128;
}

DEV_INLINE void add_passes(struct dev_sums *sums, uint32_t address, uint32_t shape, uint32_t units,
			   uint64_t mask, const struct dev_affine *affine)
{
	struct dev_passes passes = dev_passes(address, shape, mask, affine);

	sums->word[2] += pack(0, passes.passes * units, passes.ideal * units, 0);
	sums->way = passes.way > sums->way ? passes.way : sums->way;
}

/*
 * The r-th active lane adds counters r, r + lanes, and so on: one atomic instruction if at least 12
 * lanes are active.
 */
DEV_INLINE void commit_sums(uint64_t counters, const struct dev_sums *sums, uint64_t exec)
{
	for (uint32_t i = dev_rank(exec); i < PROBE_C_ADDED; i += dev_count(exec)) {
		uint64_t four = sums->word[0];

		four = i < 4 ? four : i < 8 ? sums->word[1] : sums->word[2];
		uint64_t DEV_GLOBAL *word = (uint64_t DEV_GLOBAL *)(counters + i * 8);

		__atomic_fetch_add(word, four >> (i & 3) * 16 & 0xffff, __ATOMIC_RELAXED);
	}
}

#ifdef DEV_PORTABLE
DEV_INLINE void atomic_max(uint64_t counters, uint32_t index, uint64_t value)
{
	uint64_t DEV_GLOBAL *word = (uint64_t DEV_GLOBAL *)(counters + index * 8);
	uint64_t old = __atomic_load_n(word, __ATOMIC_RELAXED);

	while (old < value && !__atomic_compare_exchange_n(word, &old, value, false,
							   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}
#else
/* clang before 16 has no builtin for an unsigned 64-bit maximum. */
DEV_INLINE void atomic_max(uint64_t counters, uint32_t index, uint64_t value)
{
	uint64_t DEV_GLOBAL *word = (uint64_t DEV_GLOBAL *)(counters + index * 8);

	__asm__ volatile("global_atomic_umax_x2 %0, %1, off" : : "v"(word), "v"(value) : "memory");
}
#endif

DEV_INLINE void commit_maxima(uint64_t counters, const struct dev_sums *sums, uint64_t exec,
			      const struct dev_affine *affine)
{
	uint32_t lanes = dev_count(exec);
	int64_t stride = affine->stride;
	bool strided = affine->is_affine && lanes > 1;

	if (!strided && !sums->way)
		return;
	for (uint32_t i = dev_rank(exec); i < 3; i += lanes) {
		uint64_t value = PROBE_STRIDE_BIAS + (uint64_t)(i == 1 ? stride : -stride);

		value = i == 0 ? sums->way : strided ? value : 0;
		atomic_max(counters, PROBE_C_MAX_WAY + i, value);
	}
}

/*
 * The fallback path of fast_measure.h: any EXEC, any addresses, one unit of an access at a time.
 * `offset` is that of the unit; the first unit also adds the counters that an access has once.
 * `units`: the units of an LDS access have the same cost and are counted together
 * (fast_lds_passes.h).
 *
 * A flat access takes two calls, the second with SHAPE_LDS, for cache lines and for passes. Each
 * counts the lanes in its apertures. Lanes in scratch count as active lanes only.
 *
 * The pass makes one copy per shape, for optimised and for unoptimised code. The order of the
 * parts, and the values kept in vector registers, limit it to the scalar registers that
 * measure_access.h allows.
 */
DEV_INLINE void count_units(uint64_t counters, uint64_t address, uint32_t offset, uint32_t shape,
			    uint32_t units)
{
	uint64_t exec = dev_exec(), mask = exec;
	bool once = !(shape & SHAPE_LATER_UNIT) && !dev_uniform32(offset), lds = shape & SHAPE_LDS;
	struct dev_sums sums = {0};
	struct dev_affine affine;

	if (shape & SHAPE_FLAT) {
		const DEV_FLAT void *pointer = (const DEV_FLAT void *)address;

		if (lds)
			mask = dev_ballot(__builtin_amdgcn_is_shared(pointer));
		else
			mask = dev_ballot(!__builtin_amdgcn_is_shared(pointer) &&
					  !__builtin_amdgcn_is_private(pointer));
		if (lds && !mask)
			return;
		once = once && !lds;
	}
	if (!lds && mask)
		add_lines(&sums, address + offset, shape, mask);
	affine = dev_affine64(address, exec);
	if (lds && mask)
		add_passes(&sums, (uint32_t)(address + offset), shape, units, mask, &affine);
	affine.is_affine = affine.is_affine && once;
	if (once) {
		sums.word[0] += pack(1, dev_count(exec), 0, 0);
		sums.word[2] += pack(0, 0, 0, affine.is_affine);
	}
	commit_sums(counters, &sums, exec);
	commit_maxima(counters, &sums, exec, &affine);
}

DEV_INLINE void count_unit(uint64_t counters, uint64_t address, uint32_t offset, uint32_t shape)
{
	count_units(counters, address, offset, shape, 1);
}

#endif
