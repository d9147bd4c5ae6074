/* SPDX-License-Identifier: MIT */
/*
 * Counters of sites that were proved, not measured (wire.h section 3): from the rows a launch left
 * behind and what the compiler proved, the rows as if all had been measured.
 */
#ifndef PROBE_MODEL_PROVED_ROWS_H
#define PROBE_MODEL_PROVED_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include <probe/wire.h>

#include "common/selection.h"

struct probe_sites;
struct proved_scratch;

struct proved_launch {
	const char *kernel; /* mangled name of the original */
	const char *arch;
	uint32_t lanes;			       /* of a wave; 0 = 64 */
	uint32_t grid[3], group[3];	       /* work-items */
	const struct probe_workgroups *groups; /* that counted; NULL = all */
	const unsigned char *arguments;	       /* NULL = not told */
	uint32_t argument_bytes;
	uint64_t code; /* the code object, by a number that no other one of the run has */
	bool partial;  /* rows were lost: what is counted by what did not happen is not known */
};

/* A site whose counters cannot be told: its id, and what it failed at. */
struct proved_lost {
	uint32_t site;
	const char *why;
};

#define PROVED_LOST_MAX 8

struct proved_rows {
	struct probe_counter_row *row; /* for free(); executed sites, in the order of their ids */
	size_t count;
	size_t lost; /* rows that are no site's of the kernel, and sites that cannot be told */
	size_t sites_lost; /* of them, sites: the first few are named */
	struct proved_lost site_lost[PROVED_LOST_MAX];
};

void proved_rows_lose(struct proved_rows *rows, uint32_t site, const char *why);

/* NULL without memory. For one thread at a time. */
struct proved_scratch *proved_scratch_create(void);
void proved_scratch_destroy(struct proved_scratch *scratch);

/* False without memory. `raw`: at most one row per id. */
bool proved_rows_make(struct proved_scratch *scratch, const struct probe_sites *table,
		      const struct proved_launch *launch, const struct probe_counter_row *raw,
		      size_t raw_count, struct proved_rows *ret);

/* How many of workgroups [0, count) along an axis counted. */
uint64_t proved_groups_chosen(const struct probe_workgroups *groups, int axis, uint64_t count);

#endif
