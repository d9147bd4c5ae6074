/* SPDX-License-Identifier: MIT */
/*
 * Memoised costs per instruction. Bank conflicts and line counts depend on the differences
 * between the lanes' addresses (and, for lines, on where the first one is in its line), and a
 * memory instruction mostly repeats its pattern; so the last pattern and its cost are kept, per
 * host thread, and counted afresh only when it changes.
 */
#ifndef PROBE_SIMGPU_EXEC_MEMORY_ACCESS_COST_CACHE_H
#define PROBE_SIMGPU_EXEC_MEMORY_ACCESS_COST_CACHE_H

#include <stdint.h>

enum {
	SIM_MEMOS = 256,
	SIM_MEMO_ENTRIES = 64,
};

struct sim_memo {
	_Alignas(64) uint32_t diff[64]; /* from the base; inactive lanes 0 */
	uint64_t exec;
	uintptr_t key; /* the instruction, + 1 for its second access */
	uint32_t base; /* the part of the base address that matters */
	uint32_t cost[2];
	/* For the cost model: lines of each 4 and 16 lanes, and runs of lines. */
	uint32_t quads, groups, entries;
	int32_t line[SIM_MEMO_ENTRIES]; /* first of each run, from that of the 128-byte line */
	uint8_t lines[SIM_MEMO_ENTRIES];
};

/* This thread's table of SIM_MEMOS, NULL if there is no memory for one. */
struct sim_memo *sim_memo_table(void);

/* Memory instructions get consecutive numbers when decoded, so those of a loop rarely collide. */
static inline struct sim_memo *memo_slot(struct sim_memo *table, unsigned int number)
{
	return &table[number % SIM_MEMOS];
}

#endif
