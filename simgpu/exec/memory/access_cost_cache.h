/* SPDX-License-Identifier: MIT */
/*
 * Memoised costs per instruction. Bank conflicts and cache-line counts depend on the differences
 * between the lanes' addresses and, for cache lines, on the offset of the first address in its
 * line. A memory instruction mostly repeats its pattern, at the same offset or, in a loop along a
 * row, at the next one. So each host thread keeps the last pattern and its cost for each offset,
 * and counts again only when the pattern changes.
 */
#ifndef PROBE_SIMGPU_EXEC_MEMORY_ACCESS_COST_CACHE_H
#define PROBE_SIMGPU_EXEC_MEMORY_ACCESS_COST_CACHE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	SIM_MEMOS = 1024,
	SIM_MEMO_OFFSETS = 32, /* of dwords in 128 bytes */
	SIM_MEMO_ENTRIES = 64,
	SIM_LAST = 128,
	SIM_LAST_WAVES = 16,
};

struct sim_memo {
	_Alignas(64) uint32_t diff[64]; /* difference from the base; 0 for inactive lanes */
	uint64_t exec;
	uintptr_t key; /* the instruction */
	uint32_t base; /* relevant part of the base address */
	/*
	 * Global memory: the lowest and highest of diff as signed numbers, if `near`: all lanes are
	 * active and within 2 GiB of the first.
	 */
	int32_t lowest, highest;
	bool near;
	uint32_t cost[2];
	/* For the cost model: lines of each 4 lanes, cycles of the address unit, runs of lines. */
	uint32_t quads, cycles, entries;
	int32_t line[SIM_MEMO_ENTRIES]; /* first line of each run, relative to the 128-byte line of
					 * the first address */
	uint8_t lines[SIM_MEMO_ENTRIES];
};

struct sim_memo_table {
	struct sim_memo memo[SIM_MEMOS];
	/* The latest address of an instruction, for each wave of a workgroup (next_access.h). */
	uint64_t last[SIM_LAST][SIM_LAST_WAVES];
};

/* This thread's table; NULL without memory. */
struct sim_memo_table *sim_memo_table(void);

/*
 * Memory instructions are numbered consecutively when decoded, so those of one loop rarely collide,
 * if it has at most 32 of them or their offsets do not change.
 */
static inline struct sim_memo *memo_slot(struct sim_memo_table *table, unsigned int number,
					 unsigned int base)
{
	return &table->memo[(number + base / 4 * (SIM_MEMOS / SIM_MEMO_OFFSETS)) % SIM_MEMOS];
}

#endif
