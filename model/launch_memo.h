/* SPDX-License-Identifier: MIT */
/*
 * Memoises counters that follow from a launch alone (wave_placement.h), because programs repeat
 * launches. For one thread at a time.
 *
 * Example: a kernel reads p[i] for i < n and is launched in a loop. Launches with another grid or
 * another n are computed again. Counters do not change if p differs by a multiple of 128, or if
 * arguments differ that no expression uses.
 */
#ifndef PROBE_MODEL_LAUNCH_MEMO_H
#define PROBE_MODEL_LAUNCH_MEMO_H

#include <stdbool.h>
#include <stdint.h>

#include <probe/wire.h>

struct launch_memo;
struct probe_sites;
struct model_launch;

/* Memoised counters of a site. */
struct launch_memo_row {
	bool known;
	uint64_t value[PROBE_COUNTERS];
};

/* NULL without memory. */
struct launch_memo *launch_memo_create(void);
void launch_memo_destroy(struct launch_memo *memo);

/*
 * Rows of the sites [first, first + count) of the launch's kernel: those of an equivalent launch,
 * or rows that are not known yet and that the caller fills in. Valid until the next call. NULL:
 * nothing can be memoised.
 */
struct launch_memo_row *launch_memo_rows(struct launch_memo *memo, const struct probe_sites *table,
					 const struct model_launch *launch, uint32_t first,
					 uint32_t count);

#endif
