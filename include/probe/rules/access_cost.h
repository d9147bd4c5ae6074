/* SPDX-License-Identifier: MIT */
/*
 * The cost of one execution of an access, summed over its machine accesses, as device counters
 * (enum probe_counter in <probe/wire_device.h>).
 */
#ifndef PROBE_RULES_ACCESS_COST_H
#define PROBE_RULES_ACCESS_COST_H

#include <stdint.h>

#include <probe/rules/cache_lines.h>
#include <probe/rules/lds_model.h>
#include <probe/wire.h>

struct probe_access_cost {
	struct probe_cache_lines lines;
	uint32_t needed64, needed128; /* fewest cache lines that could hold the bytes */
	uint32_t excess64, excess128; /* lines beyond those */
	struct probe_lds_cost lds;
};

/* Add one machine access to global memory that accesses `bytes` bytes in total. */
static inline void probe_access_cost_add_lines(struct probe_access_cost *cost,
					       const struct probe_cache_lines *lines,
					       uint32_t bytes)
{
	uint32_t needed64 = (bytes + 63) / 64, needed128 = (bytes + 127) / 128;

	cost->lines.quads += lines->quads;
	cost->lines.used64 += lines->used64;
	cost->lines.used128 += lines->used128;
	cost->needed64 += needed64;
	cost->needed128 += needed128;
	cost->excess64 += lines->used64 > needed64 ? lines->used64 - needed64 : 0;
	cost->excess128 += lines->used128 > needed128 ? lines->used128 - needed128 : 0;
}

/* Add one machine access to LDS. */
static inline void probe_access_cost_add_lds(struct probe_access_cost *cost,
					     const struct probe_lds_cost *lds)
{
	cost->lds.passes += lds->passes;
	cost->lds.ideal += lds->ideal;
	cost->lds.way = lds->way > cost->lds.way ? lds->way : cost->lds.way;
}

/* Add `times` executions of that cost to counters. */
static inline void probe_access_cost_count(const struct probe_access_cost *cost, uint64_t times,
					   uint64_t counters[PROBE_COUNTERS])
{
	counters[PROBE_C_QUADS] += times * cost->lines.quads;
	counters[PROBE_C_LINES64] += times * cost->lines.used64;
	counters[PROBE_C_NEEDED64] += times * cost->needed64;
	counters[PROBE_C_EXCESS64] += times * cost->excess64;
	counters[PROBE_C_LINES128] += times * cost->lines.used128;
	counters[PROBE_C_NEEDED128] += times * cost->needed128;
	counters[PROBE_C_EXCESS128] += times * cost->excess128;
	counters[PROBE_C_PASSES] += times * cost->lds.passes;
	counters[PROBE_C_IDEAL_PASSES] += times * cost->lds.ideal;
	if (cost->lds.way > counters[PROBE_C_MAX_WAY])
		counters[PROBE_C_MAX_WAY] = cost->lds.way;
}

#endif
