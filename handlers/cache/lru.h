/* SPDX-License-Identifier: MIT */
/* A cache by sets, the least recently used line of a set leaving it: which lines are there. */
#ifndef PROBE_HANDLERS_LRU_H
#define PROBE_HANDLERS_LRU_H

#include <stdbool.h>
#include <stdint.h>

struct lru_shape {
	uint64_t size, line, ways; /* bytes, bytes, lines of a set; powers of two */
};

/* Up to this many ways a set is two lines of the host's caches, and looked at as a whole. */
enum { LRU_SMALL = 16, LRU_ALIGN = 128, LRU_LINES_MAX = 192 };

/*
 * Tags are line / sets + 1, 0 = empty, in two parts: bits 0 to 15 are compared first. 48 bits are
 * kept: with the number of the set and the place in a line, at least 53 bits of an address.
 */
#define LRU_ORDER 0xfedcba9876543210ull
struct lru_set {
	uint16_t low[LRU_SMALL];
	uint64_t order; /* 4 bits per way, the most recently used first; exclusive or LRU_ORDER */
	uint64_t unused[3];
	uint32_t high[LRU_SMALL]; /* looked at where a low part is equal */
};
_Static_assert(sizeof(struct lru_set) == LRU_ALIGN, "two lines");

/*
 * Up to 64 ways: each use is noted at the end of a queue, and only the last note of a way counts.
 * The first one that does, from `head` on, is the way that was not used for longest. Places in the
 * queue count in a circle.
 */
enum { LRU_MEDIUM = 64, LRU_QUEUE = 256 };
struct lru_set64 {
	uint16_t low[LRU_MEDIUM];
	uint32_t high[LRU_MEDIUM];
	uint8_t queue[LRU_QUEUE], place[LRU_MEDIUM]; /* place[way]: of its last note */
	uint8_t head, tail;			     /* there is one free place at least */
	uint8_t unused[62];
};
_Static_assert(sizeof(struct lru_set64) % 64 == 0, "whole lines");

struct lru {
	uint64_t sets;	    /* a power of two */
	unsigned ways, log; /* log2 of sets */
	/* At multiples of LRU_ALIGN in `memory`. */
	struct lru_set *small;
	struct lru_set64 *medium;
	void *memory;
	/* Or, of longer sets: the same by set and way, and tags held, by hash. */
	uint16_t *low;
	uint32_t *high;
	uint16_t *next, *prev, *first;
	uint32_t *held;
	unsigned held_shift;
};

/* At least one set of at least one line? */
bool lru_shape_valid(const struct lru_shape *shape);
bool lru_init(struct lru *lru, const struct lru_shape *shape);
void lru_deinit(struct lru *lru);
void lru_empty(struct lru *lru);

/*
 * Were the lines (addresses / line size) there, each when its turn comes? They are now, the last
 * one the most recently used. All are different, and no more than LRU_LINES_MAX. hit[i]: 1 or 0;
 * returns how many.
 */
unsigned lru_touch(struct lru *lru, const uint64_t *lines, unsigned count, uint8_t *hit);

/* The line will be touched soon: of many, scattered over memory, ask for all first. */
static inline void lru_prefetch(const struct lru *lru, uint64_t line)
{
	const struct lru_set *set = &lru->small[line & (lru->sets - 1)];

	if (!lru->small)
		return;
	__builtin_prefetch(set, 1);
	__builtin_prefetch(set->high, 1);
}

#endif
