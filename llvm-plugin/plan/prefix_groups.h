/* SPDX-License-Identifier: MIT */
/* Groups whose executions may be counted by prefix masks (emit/prefix_masks.h). */
#ifndef PROBE_LLVM_PLUGIN_PLAN_PREFIX_GROUPS_H
#define PROBE_LLVM_PLUGIN_PLAN_PREFIX_GROUPS_H

#include <stdbool.h>

struct analysis;
struct group_plan;

/* Adjacent lanes access different lines if their stride is at least this. */
#define APART 128
/* Limits of arguments, factors and strides, so that nothing overflows 32 bits. */
#define NUMBER_BITS  20
#define FACTOR_LIMIT (1 << 10)
#define STEP_BITS    22
#define STEP_LIMIT   (1 << STEP_BITS)

/* Is the cost of the group's sites independent of the address, at least in some launches? */
bool plan_counts_prefixes(const struct group_plan *plan, int number, const struct analysis *flow);

#endif
