/* SPDX-License-Identifier: MIT */
/*
 * Reuse distances of a stream of lines: the number of distinct lines touched since the last touch
 * of a line. The last touch of each line is a bit in a sequence of time slots. The distance is the
 * number of bits after it, counted with a Fenwick tree over words of 64 slots.
 *
 * The distance is exact up to `limit` lines. Beyond that, lines are sampled by a hash of their
 * number, and the rate is halved whenever there are too many again. A distance counted in sampled
 * lines, divided by the rate, estimates the distance in all lines. Each touch of a sampled line
 * stands for 1 / rate touches (Waldspurger et al., "Efficient MRC Construction with SHARDS", FAST
 * 2015, with a fixed size). A line that is sampled at one rate is sampled at every higher rate.
 */
#ifndef PROBE_HANDLERS_CACHE_REUSE_DISTANCE_H
#define PROBE_HANDLERS_CACHE_REUSE_DISTANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REUSE_FIRST	UINT64_MAX	 /* never touched before */
#define REUSE_NO_MEMORY (UINT64_MAX - 1) /* out of memory: not counted */

/* Zeroed, except the limit, before first use. */
struct reuse {
	size_t limit;  /* lines that are tracked; 0 = all */
	unsigned thin; /* the rate is 2^-thin */
	/* Hash table with open addressing: lines and the slot of their last touch + 1; 0 = free. */
	uint64_t *line;
	uint32_t *time;
	size_t count, size;
	uint64_t *live;	 /* a bit per slot: it is the last touch of a line */
	uint32_t *entry; /* of a slot that is the last touch of a line: its place in the table */
	uint32_t *tree; /* Fenwick tree, from index 1, over the words of `live` before that of `now`
			 */
	uint32_t words;
	uint32_t now; /* next slot */
};

/* True if the line is sampled. Call reuse_touch() only for such lines. */
static inline bool reuse_follows(const struct reuse *reuse, uint64_t line)
{
	uint32_t mixed = (uint32_t)line ^ (uint32_t)(line >> 32) * 0x85ebca6bu;

	/* 32-bit arithmetic, which compilers vectorise. */
	mixed = (mixed ^ mixed >> 16) * 0x7feb352du;
	mixed = (mixed ^ mixed >> 15) * 0x846ca68bu;
	return !((mixed ^ mixed >> 16) & ((1u << reuse->thin) - 1));
}

/*
 * Copies the lines that are sampled, of at most REUSE_BATCH, to `ret`, which has space for so many;
 * returns their number.
 */
enum { REUSE_BATCH = 64 };
unsigned reuse_sample(const struct reuse *reuse, const uint64_t *lines, unsigned count,
		      uint64_t ret[REUSE_BATCH]);

/*
 * Touches the first of `count` distinct lines, and those after it that have the same distance
 * because they were last touched in this order: *run lines in all. Returns the distance in lines,
 * or its estimate. A touch stands for 1 << thin touches, with the value of `thin` before the call.
 */
uint64_t reuse_touch(struct reuse *reuse, const uint64_t *lines, unsigned count, unsigned *run);
/* Prefetches host memory for a line that will be touched soon. */
void reuse_prefetch(const struct reuse *reuse, uint64_t line);
void reuse_deinit(struct reuse *reuse);

#endif
