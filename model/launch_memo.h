/* SPDX-License-Identifier: MIT */
/*
 * Counters that follow from a launch alone (wave_placement.h), kept for launches that are like it,
 * since programs repeat launches. For one thread at a time.
 *
 * Example: a kernel that reads p[i] for i < n, launched in a loop. Launches with another grid or n
 * are computed anew. A p that differs by a multiple of 128 changes no counter, nor do arguments
 * that no expression uses.
 */
#ifndef PROBE_MODEL_LAUNCH_MEMO_H
#define PROBE_MODEL_LAUNCH_MEMO_H

#include <stdbool.h>
#include <stdint.h>

#include <probe/wire.h>

struct launch_memo;
struct probe_sites;
struct model_launch;

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
 * until the next call: as a launch like it left them, or none known. NULL: nothing can be kept.
 */
struct launch_memo_row *launch_memo_rows(struct launch_memo *memo, const struct probe_sites *table,
					 const struct model_launch *launch, uint32_t first,
					 uint32_t count);

#endif
