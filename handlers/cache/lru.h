/* SPDX-License-Identifier: MIT */
/* A set-associative cache with LRU replacement: it knows which lines are cached, not their data. */
#ifndef PROBE_HANDLERS_LRU_H
#define PROBE_HANDLERS_LRU_H

#include <stdbool.h>
#include <stdint.h>

struct lru_shape {
	uint64_t size, line, ways; /* bytes, bytes per line, lines per set; powers of two */
};

/*
 * A set with up to LRU_SMALL ways occupies two cache lines of the host and is compared as a whole.
 */
enum { LRU_SMALL = 16, LRU_ALIGN = 128, LRU_LINES_MAX = 192 };

/*
 * Tags are line / sets + 1, 0 = empty, in two parts; bits 0 to 15 are compared first. 48 bits are
 * stored, which with the set number and the offset in a line cover at least 53 address bits.
 */
#define LRU_ORDER 0xfedcba9876543210ull
struct lru_set {
	uint16_t low[LRU_SMALL];
	uint64_t order; /* 4 bits per way, the most recently used first; exclusive or LRU_ORDER */
	uint64_t unused[3];
	uint32_t high[LRU_SMALL]; /* compared if the low part is equal */
};
_Static_assert(sizeof(struct lru_set) == LRU_ALIGN, "two lines");

/*
 * For up to 64 ways: each use is appended to a circular queue, and only the last entry of a way is
 * valid. The first valid entry from `head` on is the least recently used way.
 */
enum { LRU_MEDIUM = 64, LRU_QUEUE = 256 };
struct lru_set64 {
	uint16_t low[LRU_MEDIUM];
	uint32_t high[LRU_MEDIUM];
	uint8_t queue[LRU_QUEUE], place[LRU_MEDIUM]; /* place[way]: position of its valid entry */
	uint8_t head, tail;			     /* at least one position is free */
	uint8_t unused[62];
};
_Static_assert(sizeof(struct lru_set64) % 64 == 0, "whole lines");

struct lru {
	uint64_t sets;	    /* a power of two */
	unsigned ways, log; /* log2 of sets */
	/* Aligned to LRU_ALIGN in `memory`. */
	struct lru_set *small;
	struct lru_set64 *medium;
	void *memory;
	/* For longer sets: the tags by set and way, and a hash table of the tags. */
	uint16_t *low;
	uint32_t *high;
	uint16_t *next, *prev, *first;
	uint32_t *present;
	unsigned present_shift;
};

/* True if there is at least one set with at least one line. */
bool lru_shape_valid(const struct lru_shape *shape);
bool lru_init(struct lru *lru, const struct lru_shape *shape);
void lru_deinit(struct lru *lru);
void lru_empty(struct lru *lru);

/*
 * Touches lines (address / line size) one after the other. hit[i] is 1 if the line was in the
 * cache, else 0; returns the number of hits. The lines are distinct; at most LRU_LINES_MAX.
 */
unsigned lru_touch(struct lru *lru, const uint64_t *lines, unsigned count, uint8_t *hit);

/*
 * Prefetches host memory for a line that will be touched soon. For many scattered lines, prefetch
 * all before the first touch.
 */
static inline void lru_prefetch(const struct lru *lru, uint64_t line)
{
	const struct lru_set *set = &lru->small[line & (lru->sets - 1)];

	if (!lru->small)
		return;
	__builtin_prefetch(set, 1);
	__builtin_prefetch(set->high, 1);
}

#endif
