/* SPDX-License-Identifier: MIT */
/*
 * The `count` kind: count a block in memory. Counters in registers are the work of
 * llvm-plugin/kinds/count_kind.c.
 */
#include "devlib/counter_replica.h"

DEV_INLINE void add(uint64_t row, uint32_t word, uint64_t value)
{
	__atomic_fetch_add((uint64_t DEV_GLOBAL *)(row + word * 8), value, __ATOMIC_RELAXED);
}

DEV_INLINE void count_block(uint64_t wave, uint32_t site)
{
	uint64_t exec = dev_exec(), row = wave + (uint64_t)site * (PROBE_COUNTERS * 8);

	if (dev_lane() != dev_first(exec))
		return;
	add(row, PROBE_C_EXECUTIONS, 1);
	add(row, PROBE_C_LANES, dev_count(exec));
}

/* A block without a register counter. `wave`: address of the wave's replica minus the first row. */
DEV_ENTRY void __probe_dev_count_block(uint64_t wave, uint32_t site)
{
	count_block(wave, site);
}

/* The same for unoptimised code, as a called function. */
DEV_SHARED void __probe_dev_count_optnone(uint64_t wave, uint32_t site)
{
	count_block(wave, site);
}
