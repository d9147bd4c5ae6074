/* SPDX-License-Identifier: MIT */
/*
 * Exact reuse distances of a stream of lines: how many distinct lines were touched since a line's
 * last touch. Each line's last touch is a bit in a row of time slots; the distance is the number of
 * bits behind it, counted by a tree of sums over words of 64 slots.
 */
#ifndef PROBE_HANDLERS_REUSE_H
#define PROBE_HANDLERS_REUSE_H

#include <stddef.h>
#include <stdint.h>

#define REUSE_FIRST	UINT64_MAX	 /* never touched before */
#define REUSE_NO_MEMORY (UINT64_MAX - 1) /* not counted */

struct reuse_line {
	uint64_t line;
	uint32_t time; /* slot of the last touch + 1; 0 = a free place */
};

/* Zeroed to begin with. */
struct reuse {
	struct reuse_line *lines; /* open addressing */
	size_t count, size;
	uint64_t *live; /* bit per slot: a line's last touch */
	uint32_t *tree; /* Fenwick tree over the words of live before that of `now`, from 1 */
	uint32_t words;
	uint32_t now; /* next slot */
};

uint64_t reuse_touch(struct reuse *reuse, uint64_t line);
/* The line will be touched soon: of many, scattered over memory, ask for all first. */
void reuse_prefetch(const struct reuse *reuse, uint64_t line);
void reuse_deinit(struct reuse *reuse);

#endif
