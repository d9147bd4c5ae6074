/* SPDX-License-Identifier: MIT */
/*
 * What follows from a launch alone (wave_placement.h), kept for launches that are like it: programs
 * launch the same again and again. For one thread at a time.
 */
#ifndef PROBE_MODEL_LAUNCH_MEMO_H
#define PROBE_MODEL_LAUNCH_MEMO_H

#include <stdbool.h>
#include <stdint.h>

#include <probe/wire.h>

struct launch_memo;
struct probe_sites;
struct proved_launch;

/* Counters of a site, all of which follow from the launch. */
struct launch_memo_row {
	bool known;
	uint64_t value[PROBE_COUNTERS];
};

/* NULL without memory. */
struct launch_memo *launch_memo_create(void);
void launch_memo_destroy(struct launch_memo *memo);

/*
 * Rows of the sites [first, first + count), those of the launch's kernel, to be read and filled in
 * until the next call: with what a like launch left, or none known. Like launches differ at most in
 * arguments that nothing is calculated from, and by multiples of 128 in pointers that are only
 * added to. Of `launch` kernel, code, grid, group, groups, lanes and arguments count. NULL: nothing
 * can be kept.
 */
struct launch_memo_row *launch_memo_rows(struct launch_memo *memo, const struct probe_sites *table,
					 const struct proved_launch *launch, uint32_t first,
					 uint32_t count);

#endif
