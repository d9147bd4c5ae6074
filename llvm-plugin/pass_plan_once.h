/* SPDX-License-Identifier: MIT */
/* What pass_plan.c asks of blocks that run once in a wave. */
#ifndef PROBE_LLVM_PLUGIN_PASS_PLAN_ONCE_H
#define PROBE_LLVM_PLUGIN_PASS_PLAN_ONCE_H

#include "pass_plan.h"

/*
 * Does the block run at most once in a wave, and do we know in which? *ret_guard says; the plan has
 * guards more then. `depth` = 0.
 */
bool pass_plan_once(struct pass_plan *plan, LLVMValueRef function, LLVMBasicBlockRef block,
		    int depth, int *ret_guard);
/* Finds which lanes go where guards are, where that follows from the launch. */
void pass_plan_find_branches(struct pass_plan *plan);
/* Marks what is launched among the groups and guards, which are all there. */
void pass_plan_find_launched(struct pass_plan *plan);
struct launch_expr *pass_plan_keep_base(const struct launch_expr *base);

#endif
