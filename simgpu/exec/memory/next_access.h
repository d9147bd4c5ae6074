/* SPDX-License-Identifier: MIT */
/*
 * Fetches into the host's caches what a memory instruction will probably access next. Of the wave
 * with the same number in the next workgroup, or in the next iteration of a loop, that is mostly as
 * far away as the last access was. The pieces that waves access in turn are too short for the
 * host's own prediction, which also ends at each page.
 */
#ifndef PROBE_SIMGPU_EXEC_MEMORY_NEXT_ACCESS_H
#define PROBE_SIMGPU_EXEC_MEMORY_NEXT_ACCESS_H

#include "simgpu/exec/inst.h"
#include "simgpu/exec/memory/access_cost_cache.h"

enum {
	HOST_LINE = 64,
	NEXT_LINES = 16, /* that are fetched at most */
};

/* The probable address of the next access, after one at `first`. */
static inline uint64_t next_access(const struct sim_wave *w, const struct sim_inst *ip,
				   uint64_t first)
{
	struct sim_memo_table *table = w->memo;
	uint64_t *last = &table->last[ip->memo % SIM_LAST][w->in_group % SIM_LAST_WAVES];
	uint64_t next = 2 * first - *last;

	*last = first;
	return next;
}

static inline void fetch_lines(uint64_t from, uint64_t to)
{
	for (uint64_t at = from & -(uint64_t)HOST_LINE; at < to; at += HOST_LINE)
		__builtin_prefetch((const void *)at);
}

static inline void fetch_next_contiguous(const struct sim_wave *w, const struct sim_inst *ip,
					 uint64_t first, unsigned int bytes)
{
	uint64_t next;

	if (!w->memo)
		return;
	next = next_access(w, ip, first);
	fetch_lines(next, next + bytes);
}

static inline void fetch_next_pattern(const struct sim_wave *w, const struct sim_inst *ip,
				      uint64_t first, const struct sim_memo *memo)
{
	uint64_t base = next_access(w, ip, first) >> 7 << 1;

	/* In a loop along a row the same lines are accessed again. */
	if (memo->cost[0] > NEXT_LINES || base == first >> 7 << 1)
		return;
	for (unsigned int i = 0; i < memo->entries; i++) {
		uint64_t line = base + (uint64_t)(int64_t)memo->line[i];

		fetch_lines(line * HOST_LINE, (line + memo->lines[i]) * HOST_LINE);
	}
}

#endif
