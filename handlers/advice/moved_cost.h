/* SPDX-License-Identifier: MIT */
/*
 * To which accesses of the kernel a fix would move the cost: if lanes run along another index, or
 * if workgroups become wider, accesses that touch few cache lines now may touch many.
 */
#ifndef PROBE_HANDLERS_ADVICE_MOVED_COST_H
#define PROBE_HANDLERS_ADVICE_MOVED_COST_H

#include <stdint.h>

#include "handlers/advice/advice.h"

enum { COMPARED_MAX = 64 }; /* others of a kernel are not compared */

struct compared_access {
	const struct probe_site_term *terms;
	unsigned term_count;
	const uint64_t *counters;
	unsigned bytes;
	enum probe_access_kind access;
	uint32_t line, column;
	bool known;	 /* its terms show with which indices the address changes */
	bool contiguous; /* neighbouring lanes use neighbouring elements */
	bool loaded;	 /* its index is data */
	/* Cache lines of 128 B of an execution: now, and if all lanes of a wave were in one row. */
	double lines, wide;
};

/* Accesses of a kernel to global memory. */
struct compared_accesses {
	struct compared_access list[COMPARED_MAX];
	unsigned count;
};

/* Adds the access if it is one of them. */
void compared_add(struct compared_accesses *list, const struct advice_site *site, uint32_t line,
		  uint32_t column);

/*
 * An access that touches few cache lines now, and more of them if the lanes of `site`, which are
 * `stride` bytes apart, run along the index with the smallest step; it is executed often enough to
 * matter. NULL = none. Unless it is `known`, it only may.
 */
const struct compared_access *advice_moves_to(const struct advice_site *site, uint64_t stride);

/* Would all accesses together touch more cache lines in workgroups that are a wave wide? */
bool advice_widening_costs(const struct advice_site *site);

#endif
