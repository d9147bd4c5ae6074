/* SPDX-License-Identifier: MIT */
/* A set-associative cache with LRU replacement: it knows which lines are cached, not their data. */
#ifndef PROBE_HANDLERS_LRU_H
#define PROBE_HANDLERS_LRU_H

#include <stdbool.h>
#include <stdint.h>

/* For functions: compiled for each level of vectors, of which the loader chooses the host's. */
#ifdef __x86_64__
#define CACHE_VECTORS __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CACHE_VECTORS
#endif

struct lru_shape {
	uint64_t size, line, ways; /* bytes, bytes per line, lines per set; powers of two */
};

/*
 * Tags are line / sets + 1, 0 = empty. A set with up to LRU_SMALL ways is one cache line of the
 * host: its tags, the most recently used first, are compared and moved as a whole.
 */
enum { LRU_SMALL = 16, LRU_ALIGN = 64, LRU_LINES_MAX = 64 };
struct lru_set {
	uint32_t tag[LRU_SMALL];
};
_Static_assert(sizeof(struct lru_set) == LRU_ALIGN, "one line");

/*
 * Up to 64 ways, and fewer ways if 32 bits do not hold every tag. Tags are in two parts; bits 0 to
 * 15 are compared first. 48 bits are stored, which with the set number and the offset in a line
 * cover at least 53 address bits. The least recently used is the first.
 */
enum { LRU_MEDIUM = 64 };
struct lru_set64 {
	uint16_t low[LRU_MEDIUM], unused_low[LRU_MEDIUM]; /* vectors cross the end */
	uint32_t high[LRU_MEDIUM], unused_high[LRU_MEDIUM];
};
_Static_assert(sizeof(struct lru_set64) % LRU_ALIGN == 0, "whole lines");

struct lru {
	uint64_t sets;	    /* a power of two */
	unsigned ways, log; /* log2 of sets */
	bool wide;	    /* with AVX-512; false gives the same results */
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
 * Touches up to LRU_LINES_MAX lines (address / line size) one after the other. Returns a bit for
 * each that was in the cache. The lines are distinct.
 */
uint64_t lru_touch(struct lru *lru, const uint64_t *lines, unsigned count);

/* Prefetches host memory for a line that will be touched soon. */
static inline void lru_prefetch(const struct lru *lru, uint64_t line)
{
	if (lru->small)
		__builtin_prefetch(&lru->small[line & (lru->sets - 1)], 1);
}

#endif
