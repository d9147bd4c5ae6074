/* SPDX-License-Identifier: MIT */
/*
 * Reuse distances of a stream of lines: how many distinct lines were touched since a line's last
 * touch. Each line's last touch is a bit in a row of time slots; the distance is the number of
 * bits behind it, counted by a tree of sums over words of 64 slots.
 *
 * Exact as long as there are no more lines than `limit`. Then lines are sampled by a hash of their
 * number, at half the rate whenever there are too many again: a distance counted in sampled lines,
 * divided by the rate, estimates the one in all lines, and each touch of a sampled line stands for
 * 1 / rate touches (Waldspurger et al., "Efficient MRC Construction with SHARDS", FAST 2015,
 * with a fixed size). Lines that are sampled at a rate are so at every higher one.
 */
#ifndef PROBE_HANDLERS_REUSE_H
#define PROBE_HANDLERS_REUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REUSE_FIRST	UINT64_MAX	 /* never touched before */
#define REUSE_NO_MEMORY (UINT64_MAX - 1) /* not counted */

struct reuse_line {
	uint64_t line;
	uint32_t time; /* slot of the last touch + 1; 0 = a free place */
};

/* Zeroed to begin with, but for the limit. */
struct reuse {
	size_t limit;		  /* lines that are followed; 0 = all */
	unsigned thin;		  /* the rate is 2^-thin */
	struct reuse_line *lines; /* open addressing */
	size_t count, size;
	uint64_t *live; /* bit per slot: a line's last touch */
	uint32_t *tree; /* Fenwick tree over the words of live before that of `now`, from 1 */
	uint32_t words;
	uint32_t now; /* next slot */
};

/* Is the line among those that are sampled? Only they are to be touched. */
static inline bool reuse_follows(const struct reuse *reuse, uint64_t line)
{
	uint32_t mixed = (uint32_t)line ^ (uint32_t)(line >> 32) * 0x85ebca6bu;

	/* Halves of the machine's widest numbers: compilers make several of these at once. */
	mixed = (mixed ^ mixed >> 16) * 0x7feb352du;
	mixed = (mixed ^ mixed >> 15) * 0x846ca68bu;
	return !((mixed ^ mixed >> 16) & ((1u << reuse->thin) - 1));
}

/* The distance in all lines, or its estimate; it stands for 1 << thin touches, as `thin` was. */
uint64_t reuse_touch(struct reuse *reuse, uint64_t line);
/* The line will be touched soon: of many, scattered over memory, ask for all first. */
void reuse_prefetch(const struct reuse *reuse, uint64_t line);
void reuse_deinit(struct reuse *reuse);

#endif
