/* SPDX-License-Identifier: MIT */
/*
 * Derives the counters of sites that were not measured (codeobj/derived_sites.h): from the rows of
 * one launch of the `memory` kind, the rows as if every site had been measured.
 *
 * For each member of a group: take the wave classes (wave_classes.h) of its group's executions,
 * from the launch (wave_placement.h), the group's counts and its histograms (histograms.h). Compute
 * the cost of one execution in each class (site_cost.h), and sum up. Results that depend on the
 * launch alone are memoised for equivalent launches (launch_memo.h).
 */
#ifndef PROBE_MODEL_DERIVED_ROWS_H
#define PROBE_MODEL_DERIVED_ROWS_H

#include <stdbool.h>
#include <stddef.h>

#include <probe/wire.h>

#include "model/launch.h"

struct probe_sites;
struct model_scratch;

/* A site whose counters are lost: its id, and the reason, as the end of a message. */
struct derived_loss {
	uint32_t site;
	const char *reason;
};

#define DERIVED_LOSSES_NAMED 8

struct derived_rows {
	/*
	 * To be freed: executed sites, sorted by id; then those of which a sample was measured
	 * (PROBE_C_MEASURED), which may be the same ones.
	 */
	struct probe_counter_row *row;
	size_t count;
	/*
	 * Rows of no site of the kernel, and sites whose counters cannot be derived; of these only
	 * what the device measured remains.
	 */
	size_t lost;
	size_t sites_lost; /* sites among them; the first few are in `loss` */
	struct derived_loss loss[DERIVED_LOSSES_NAMED];
};

void derived_rows_lose(struct derived_rows *rows, uint32_t site, const char *reason);

/* NULL without memory. For one thread at a time. */
struct model_scratch *model_scratch_create(void);
void model_scratch_destroy(struct model_scratch *scratch);

/* `raw`: the rows from the device, at most one per id. False without memory. */
bool derived_rows_make(struct model_scratch *scratch, const struct probe_sites *table,
		       const struct model_launch *launch, const struct probe_counter_row *raw,
		       size_t raw_count, struct derived_rows *ret);

#endif
