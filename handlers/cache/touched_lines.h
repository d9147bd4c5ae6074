/* SPDX-License-Identifier: MIT */
/* The lines of L1 and L2 that one machine access of a wave touches, for the handler cache. */
#ifndef PROBE_HANDLERS_CACHE_TOUCHED_LINES_H
#define PROBE_HANDLERS_CACHE_TOUCHED_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/distinct.h"
#include "handlers/cache/lru.h"
#include "handlers/common/site_table.h"

enum {
	TOUCHED_LINES_MAX = 192, /* of one access: 64 lanes, up to two cache lines each */
};

/* Zeroed, with `shift` and `ratio` set, before first use. */
struct touched_lines {
	unsigned shift; /* log2 of bytes of a line of L1 */
	unsigned ratio; /* log2 of lines of L1 in one of L2; at most 7 */
	/* Distinct lines in lane order: address / line size. */
	unsigned count, wides;
	uint64_t line[TOUCHED_LINES_MAX]; /* of L1 */
	/* Index in wide[] for each of line[]; unused if these are equally many. */
	uint8_t wide_of[TOUCHED_LINES_MAX];
	uint64_t wide[TOUCHED_LINES_MAX]; /* of L2 */
	struct distinct distinct;
};

/*
 * Uses the closed form, if there is one; otherwise returns false. `offset` is added to the
 * addresses.
 */
bool touched_lines_affine(struct touched_lines *lines, const struct site_facts *facts,
			  const struct probe_access *access, uint64_t offset);

struct lane_addresses {
	const struct site_facts *facts;
	const struct probe_dispatch_info *dispatch;
	const uint64_t *addr;
	unsigned count;
};

/* probe_access_expand() */
unsigned touched_lines_expand(const struct probe_access *access, uint64_t addr[64]);

/* For any addresses; of a flat access, only those in global memory. */
void touched_lines_any(struct touched_lines *lines, const struct lane_addresses *lanes,
		       uint64_t offset);

#endif
