/* SPDX-License-Identifier: MIT */
/*
 * The way most executions take: all 64 lanes active, addresses at one stride. Closed forms, and
 * since no lane is inactive, v_writelane may lay the counters out: lane i holds counter i.
 */
#ifndef PROBE_DEVLIB_FULL_H
#define PROBE_DEVLIB_FULL_H

#include "devlib_lds.h"
#include "devlib_wave.h"

/*
 * One add for the sums and one maximum for the maxima, each lane on its own word. EXEC is all ones
 * before and after. Not visible to the back end as memory operations: it counts fewer operations in
 * flight than there are, which only makes its waits longer, and nothing waits for these. `counters`
 * comes from a readfirstlane by scalar additions, so it is in scalar registers; between the two lie
 * more than the 5 wait states that memory operations need after such a write.
 */
DEV_INLINE void dev_full_commit(uint64_t counters, uint32_t value)
{
	uint64_t wide = value;
	uint32_t offset = dev_lane() * 8;

	__asm__ volatile("s_mov_b64 exec, 0xfff\n\t"
			 "global_atomic_add_x2 %0, %1, %2\n\t"
			 "s_mov_b64 exec, 0x7000\n\t"
			 "global_atomic_umax_x2 %0, %1, %2\n\t"
			 "s_mov_b64 exec, -1"
			 :
			 : "v"(offset), "v"(wide), "s"(counters));
}

/* max(used - needed, 0). LLVM would make a saturating vector instruction of it. */
DEV_INLINE uint32_t dev_above(uint32_t used, uint32_t needed)
{
	uint32_t above;

	__asm__("s_max_i32 %0, %1, 0" : "=s"(above) : "s"(used - needed) : "scc");
	return above;
}

/* What all sites have in common: one execution of 64 lanes, affine or not. */
DEV_INLINE uint32_t dev_full_common(bool affine, int32_t stride)
{
	uint32_t v = 0;

	v = dev_write32(v, PROBE_C_EXECUTIONS, 1);
	v = dev_write32(v, PROBE_C_LANES, 64);
	v = dev_write32(v, PROBE_C_AFFINE, affine);
	v = dev_write32(v, PROBE_C_STRIDE_HI,
			affine ? (uint32_t)PROBE_STRIDE_BIAS + (uint32_t)stride : 0);
	return dev_write32(v, PROBE_C_STRIDE_LO,
			   affine ? (uint32_t)PROBE_STRIDE_BIAS - (uint32_t)stride : 0);
}

struct dev_lines_full {
	uint32_t quads, used64, used128, excess64, excess128;
};

DEV_INLINE void dev_full_unit(struct dev_lines_full *sum, uint32_t address, uint32_t below,
			      uint32_t unit)
{
	uint64_t change64 = dev_ballot((address ^ below) > 63) | 1;
	uint64_t change128 = dev_ballot((address ^ below) > 127) | 1;
	uint32_t lines64 = dev_count(change64), lines128 = dev_count(change128);

	sum->quads += 16 + dev_count(change64 & 0xeeeeeeeeeeeeeeeeull);
	sum->used64 += lines64;
	sum->used128 += lines128;
	sum->excess64 += dev_above(lines64, unit);
	sum->excess128 += dev_above(lines128, (unit + 1) / 2);
}

/*
 * Lines of all units of 64 lanes at one stride. Lane 0 compares with 0, from which every address
 * differs in its line: the first line counts itself. Below 2^31 apart, two addresses on different
 * lines differ there in their low 32 bits. Few units, which are the rule, make no loop.
 */
DEV_INLINE void dev_full_lines_of(struct dev_lines_full *sum, uint32_t address, uint32_t below,
				  uint32_t shape)
{
	uint32_t unit = shape & 0xff, units = shape >> 8 & 0xff;

	dev_full_unit(sum, address, below, unit);
	if (units > 1)
		dev_full_unit(sum, address + unit, below + unit, unit);
	if (units > 2)
		dev_full_unit(sum, address + 2 * unit, below + 2 * unit, unit);
	if (units > 3)
		dev_full_unit(sum, address + 3 * unit, below + 3 * unit, unit);
	for (uint32_t k = 4; k < units; k++)
		dev_full_unit(sum, address + k * unit, below + k * unit, unit);
}

/* Global memory. True if this execution was of the simple sort and is counted. */
DEV_INLINE bool dev_full_lines(uint64_t counters, uint64_t address, uint32_t shape)
{
	uint32_t unit = shape & 0xff, units = shape >> 8 & 0xff;
	uint64_t below = dev_below64(address), step = address - below;
	int32_t stride = (int32_t)dev_read32((uint32_t)step, 1);
	struct dev_lines_full sum = {0};
	uint32_t v;

	if ((dev_ballot(step != (uint64_t)(int64_t)stride) & ~1ull) || stride == INT32_MIN)
		return false;
	if (shape & SHAPE_UNALIGNED && dev_ballot((address & 63) + unit > 64))
		return false;
	dev_full_lines_of(&sum, (uint32_t)address, (uint32_t)below, shape);
	v = dev_full_common(true, stride);
	v = dev_write32(v, PROBE_C_QUADS, sum.quads);
	v = dev_write32(v, PROBE_C_LINES64, sum.used64);
	v = dev_write32(v, PROBE_C_NEEDED64, unit * units);
	v = dev_write32(v, PROBE_C_EXCESS64, sum.excess64);
	v = dev_write32(v, PROBE_C_LINES128, sum.used128);
	v = dev_write32(v, PROBE_C_NEEDED128, (unit + 1) / 2 * units);
	v = dev_write32(v, PROBE_C_EXCESS128, sum.excess128);
	dev_full_commit(counters, v);
	return true;
}

/* A stride that does not fall on groups of banks, 0 = it does or stays inside of dwords. */
DEV_INLINE uint32_t dev_full_misfit(const struct dev_phases *phases, int32_t stride)
{
	uint32_t misfit = (uint32_t)stride & ((1u << phases->shift) - 1);

	/* Strides below a dword: neighbours share dwords, and no bank is reached twice. */
	return phases->shift == 2 && stride > -4 && stride < 4 ? 0 : misfit;
}

/*
 * LDS. The stride may break where a phase begins, as it does in rows of a two-dimensional
 * workgroup: each phase costs the same. Such an execution is not affine.
 */
DEV_INLINE bool dev_full_passes(uint64_t counters, uint32_t address, uint32_t shape)
{
	struct dev_phases phases = dev_phases(shape);
	uint32_t units = shape >> 8 & 0xff;
	uint32_t step = address - dev_below32(address);
	int32_t stride = (int32_t)dev_read32(step, 1);
	uint64_t breaks = dev_ballot(step != (uint32_t)stride) & ~1ull;
	uint32_t way, v;

	if (breaks & ~phases.breaks || dev_full_misfit(&phases, stride))
		return false;
	if (!phases.share && !stride)
		return false;
	way = dev_stride_way(stride >> phases.shift, phases.bits);
	v = dev_full_common(!breaks, stride);
	v = dev_write32(v, PROBE_C_PASSES, phases.count * way * units);
	v = dev_write32(v, PROBE_C_IDEAL_PASSES, phases.count * units);
	v = dev_write32(v, PROBE_C_MAX_WAY, way);
	dev_full_commit(counters, v);
	return true;
}

/* Flat: all lanes in one aperture. */
DEV_INLINE bool dev_full_flat(uint64_t counters, uint64_t address, uint32_t shape)
{
	uint32_t high = (uint32_t)(address >> 32), first = dev_uniform32(high);
	const DEV_FLAT void *window = (const DEV_FLAT void *)((uint64_t)first << 32);

	if (dev_ballot(high != first) || __builtin_amdgcn_is_private(window))
		return false;
	if (__builtin_amdgcn_is_shared(window))
		return dev_full_passes(counters, (uint32_t)address, shape);
	return dev_full_lines(counters, address, shape);
}

#endif
