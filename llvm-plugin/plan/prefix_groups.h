/* SPDX-License-Identifier: MIT */
/* Groups whose executions may be counted by prefix masks (emit/prefix_masks.h). */
#ifndef PROBE_LLVM_PLUGIN_PLAN_PREFIX_GROUPS_H
#define PROBE_LLVM_PLUGIN_PLAN_PREFIX_GROUPS_H

#include <stdbool.h>

struct analysis;
struct group_plan;

/* Neighbouring lanes are in different lines if they are this far apart. */
#define APART 128
/* Numbers below this, times factors below that, and steps so wide: nothing overflows 32 bits. */
#define NUMBER_BITS  20
#define FACTOR_LIMIT (1 << 10)
#define STEP_BITS    22
#define STEP_LIMIT   (1 << STEP_BITS)

/* Do the group's sites cost the same wherever they are, at least in some launches? */
bool plan_counts_prefixes(const struct group_plan *plan, int number, const struct analysis *flow);

#endif
