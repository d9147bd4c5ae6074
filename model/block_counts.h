/* SPDX-License-Identifier: MIT */
/*
 * Rows of the `count` kind (wire.h section 3): from what a launch left behind, executions and lanes
 * of every BLOCK that it ran.
 */
#ifndef PROBE_MODEL_BLOCK_COUNTS_H
#define PROBE_MODEL_BLOCK_COUNTS_H

#include "model/proved_rows.h"

/* As proved_rows_make(). */
bool counted_rows_make(const struct probe_sites *table, const struct proved_launch *launch,
		       const struct probe_counter_row *raw, size_t raw_count,
		       struct proved_rows *ret);

/* Waves, and lanes, of the workgroups of a launch that counted. */
void counted_launch(const struct proved_launch *launch, uint64_t *ret_waves, uint64_t *ret_lanes);

#endif
