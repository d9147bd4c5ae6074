/* SPDX-License-Identifier: MIT */
/* Which lines of L1 and of L2 one machine access of a wave touches, for the handler cache. */
#ifndef PROBE_HANDLERS_CACHE_LINES_H
#define PROBE_HANDLERS_CACHE_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/distinct.h"
#include "handlers/cache/lru.h"
#include "handlers/common/site_table.h"

enum {
	CACHE_LINES_MAX = LRU_LINES_MAX, /* of an access: 64 lanes, up to two lines each */
};

/* Zeroed, and `shift` and `ratio` set, before first use. */
struct cache_lines {
	unsigned shift; /* log2 of bytes of a line of L1 */
	unsigned ratio; /* log2 of lines of L1 in one of L2; at most 7 */
	/* Distinct ones, in the order of the lanes; addresses by the size of the line. */
	unsigned count, wides;
	uint64_t line[CACHE_LINES_MAX]; /* of L1 */
	uint8_t wide_of[CACHE_LINES_MAX];
	uint64_t wide[CACHE_LINES_MAX]; /* of L2 */
	struct distinct distinct;
};

/* Lanes at a stride: true if their lines follow from it. `offset`: bytes behind the addresses. */
bool cache_lines_affine(struct cache_lines *lines, const struct site_facts *facts,
			const struct probe_access *access, uint64_t offset);

/* Any lanes; of a flat access those in global memory. */
void cache_lines_any(struct cache_lines *lines, const struct site_facts *facts,
		     const struct probe_dispatch_info *dispatch, const uint64_t *addr,
		     unsigned count, uint64_t offset);

#endif
