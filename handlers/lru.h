/* SPDX-License-Identifier: MIT */
/* A cache by sets, the least recently used line of a set leaving it: which lines are there. */
#ifndef PROBE_HANDLERS_LRU_H
#define PROBE_HANDLERS_LRU_H

#include <stdbool.h>
#include <stdint.h>

struct lru_shape {
	uint64_t size, line, ways; /* bytes, bytes, lines of a set; powers of two */
};

struct lru {
	uint64_t *tags; /* by set, the most recently used first; line + 1, 0 = empty */
	uint64_t sets;	/* a power of two */
	unsigned ways;
	/* Lines held by hash, where sets are too long to be searched for what is not there; or
	 * NULL. */
	uint32_t *held;
	unsigned held_shift;
};

/* At least one set of at least one line? */
bool lru_shape_valid(const struct lru_shape *shape);
bool lru_init(struct lru *lru, const struct lru_shape *shape);
void lru_deinit(struct lru *lru);
void lru_empty(struct lru *lru);

/* Was the line (address / line size) there? It is the most recently used now, if `allocate` or so.
 */
bool lru_touch(struct lru *lru, uint64_t line, bool allocate);
/* The line will be touched soon: of many, scattered over memory, ask for all first. */
void lru_prefetch(const struct lru *lru, uint64_t line);

#endif
