/* SPDX-License-Identifier: MIT */
/*
 * To which access a fix that swaps indices would move the cost. If lanes run along another index,
 * accesses of the kernel that are contiguous now may no longer be.
 */
#ifndef PROBE_HANDLERS_ADVICE_MOVED_COST_H
#define PROBE_HANDLERS_ADVICE_MOVED_COST_H

#include <stdint.h>

#include "handlers/advice/advice.h"

enum { CONTIGUOUS_MAX = 32 }; /* others of a kernel are not compared */

struct contiguous_access {
	const struct probe_site_term *terms;
	unsigned term_count; /* 0 = unknown */
	unsigned bytes;
	enum probe_access_kind access;
	uint32_t line, column;
	uint64_t executions;
};

/* Accesses of a kernel to global memory whose neighbouring lanes use neighbouring elements. */
struct contiguous_accesses {
	struct contiguous_access list[CONTIGUOUS_MAX];
	unsigned count;
};

/* Adds the access if it is one of them. */
void contiguous_add(struct contiguous_accesses *list, const struct advice_site *site, uint32_t line,
		    uint32_t column);

/*
 * The first one that no longer is if the lanes of the access, which are `stride` bytes apart, run
 * along the index with the smallest step, and that is executed often enough to matter; or NULL.
 */
const struct contiguous_access *advice_moves_to(const struct advice_site *site, uint64_t stride);

#endif
