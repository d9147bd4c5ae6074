/* SPDX-License-Identifier: MIT */
/*
 * Counters of sites that were derived, not measured (codeobj/derived_sites.h): from the rows that a
 * launch of the `memory` kind left behind, the rows as if every site had been measured.
 *
 * For each member of a group: the wave classes (wave_classes.h) of its group's executions, from the
 * launch (wave_placement.h), the group's counts and its histograms (histograms.h); what one
 * execution costs by each of them (site_cost.h); and the sum. What follows from the launch alone is
 * kept for launches that are like it (launch_memo.h).
 */
#ifndef PROBE_MODEL_DERIVED_ROWS_H
#define PROBE_MODEL_DERIVED_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include <probe/wire.h>

#include "model/launch.h"

struct probe_sites;
struct model_scratch;

/* A site without counters: its id, and why, as the end of a message. */
struct derived_loss {
	uint32_t site;
	const char *why;
};

#define DERIVED_LOSSES_NAMED 8

struct derived_rows {
	struct probe_counter_row *row; /* for free(); executed sites, in the order of their ids */
	size_t count;
	size_t lost;	   /* rows that are no site's of the kernel, and sites without counters */
	size_t sites_lost; /* of them, sites: the first few are named */
	struct derived_loss loss[DERIVED_LOSSES_NAMED];
};

void derived_rows_lose(struct derived_rows *rows, uint32_t site, const char *why);

/* NULL without memory. For one thread at a time. */
struct model_scratch *model_scratch_create(void);
void model_scratch_destroy(struct model_scratch *scratch);

/* False without memory. `raw`: at most one row per id. */
bool derived_rows_make(struct model_scratch *scratch, const struct probe_sites *table,
		       const struct model_launch *launch, const struct probe_counter_row *raw,
		       size_t raw_count, struct derived_rows *ret);

#endif
