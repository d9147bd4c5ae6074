/* SPDX-License-Identifier: MIT */
/*
 * Counters of the `count` kind (struct site_block): derives executions and lanes of every BLOCK
 * site from the rows that the device has counted.
 *
 * Example: 3 of 20 waves do not take a branch. The device counts these 3; the block behind the
 * branch was executed 20 - 3 times.
 */
#ifndef PROBE_MODEL_BLOCK_COUNTS_H
#define PROBE_MODEL_BLOCK_COUNTS_H

#include "model/derived_rows.h"

/* See derived_rows_make(). */
bool block_counts_make(const struct probe_sites *table, const struct model_launch *launch,
		       const struct probe_counter_row *raw, size_t raw_count,
		       struct derived_rows *ret);

#endif
