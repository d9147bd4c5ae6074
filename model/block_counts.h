/* SPDX-License-Identifier: MIT */
/*
 * Rows of the `count` kind (struct site_block): from what a launch left behind, executions
 * and lanes of every BLOCK that it ran.
 *
 * Example: of 20 waves of a launch 3 do not take a branch. The device counts these 3; the block
 * behind the branch ran 20 - 3 times.
 */
#ifndef PROBE_MODEL_BLOCK_COUNTS_H
#define PROBE_MODEL_BLOCK_COUNTS_H

#include "model/derived_rows.h"

/* As derived_rows_make(). */
bool block_counts_make(const struct probe_sites *table, const struct model_launch *launch,
		       const struct probe_counter_row *raw, size_t raw_count,
		       struct derived_rows *ret);

#endif
