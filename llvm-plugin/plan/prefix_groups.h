/* SPDX-License-Identifier: MIT */
/* Groups whose executions may be counted by prefix masks (emit/prefix_masks.h). */
#ifndef PROBE_LLVM_PLUGIN_PLAN_PREFIX_GROUPS_H
#define PROBE_LLVM_PLUGIN_PLAN_PREFIX_GROUPS_H

#include <stdbool.h>
#include <llvm-c/Core.h>

struct analysis;
struct group_plan;

enum {
	/* Adjacent lanes access different lines if their stride is at least this. */
	WIDE_STRIDE = 128,
	/* Limits of arguments, factors and strides. Their products fit into 32 bits. */
	ARGUMENT_BITS = 20,
	FACTOR_LIMIT = 1 << 10,
	STRIDE_BITS = 22,
	STRIDE_LIMIT = 1 << STRIDE_BITS,
};

/* May lanes of a wave leave a loop of the function one after the other? */
bool plan_loops_diverge(const struct analysis *flow, LLVMValueRef function);
/*
 * Is the group in a loop, and the cost of its sites independent of the address, at least in some
 * launches? `number`: index of the group.
 */
bool plan_counts_prefixes(const struct group_plan *plan, int number);

#endif
