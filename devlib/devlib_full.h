/* SPDX-License-Identifier: MIT */
/*
 * The lines of the way most executions take: all 64 lanes active, addresses at one stride.
 */
#ifndef PROBE_DEVLIB_FULL_H
#define PROBE_DEVLIB_FULL_H

#include "devlib_lds.h"
#include "devlib_wave.h"

/* max(used - needed, 0). LLVM would make a saturating vector instruction of it. */
DEV_INLINE uint32_t dev_above(uint32_t used, uint32_t needed)
{
	uint32_t above;

	__asm__("s_max_i32 %0, %1, 0" : "=s"(above) : "s"(dev_scalar32(used - needed)) : "scc");
	return above;
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

#endif
