/* SPDX-License-Identifier: MIT */
/*
 * Dispatches of one kernel, clone, agent and launch shape as one row, summed in memory while a
 * program is recorded: reports then read a few rows in place of millions (table probe_dispatchsum).
 */
#ifndef PROBE_STORE_DISPATCH_SUMS_H
#define PROBE_STORE_DISPATCH_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct probe_hr_complete;
struct probe_hr_dispatch;

struct probe_dispatch_sum {
	struct probe_dispatch_key {
		uint32_t kernel, launched, kind, verdict, agent, grid[3], group[3];
	} key;
	uint64_t first;	     /* lowest id */
	uint64_t dispatches; /* 0 = the slot is free */
	uint64_t timed, ns;  /* how many have times; their sum */
};

/* With more rows than this, they are no summary: all are dropped. */
#define PROBE_DISPATCH_SUMS_MAX (1u << 16)

struct probe_dispatch_sums {
	struct probe_dispatch_sum *slots;
	size_t capacity; /* a power of two, or 0 */
	uint32_t count;
	bool dropped; /* too many, or no memory */
};

/*
 * `complete` NULL: the dispatch has no times yet. `again`: it was added so before. If it differs now, all
 * rows are dropped.
 */
void probe_dispatch_sums_add(struct probe_dispatch_sums *sums,
			     const struct probe_hr_dispatch *dispatch,
			     const struct probe_hr_complete *complete, bool again);
/* The rows in any order: `at` begins with 0. NULL: there are no more. */
const struct probe_dispatch_sum *probe_dispatch_sums_next(const struct probe_dispatch_sums *sums,
							  size_t *at);
void probe_dispatch_sums_deinit(struct probe_dispatch_sums *sums);

#endif
