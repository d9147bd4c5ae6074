/* SPDX-License-Identifier: MIT */
/* What group_plan.c asks of blocks that run once in a wave. */
#ifndef PROBE_LLVM_PLUGIN_PLAN_BRANCH_PREDICATES_H
#define PROBE_LLVM_PLUGIN_PLAN_BRANCH_PREDICATES_H

#include <stdbool.h>
#include <llvm-c/Core.h>

#include "llvm-plugin/plan/group_plan.h"

struct group_plan;

/*
 * Does the block run at most once in a wave, and do we know in which? *ret_guard says; the plan has
 * predicates more then. `depth` = 0.
 */
bool plan_executes_once(struct group_plan *plan, LLVMValueRef function, LLVMBasicBlockRef block,
			int depth, int *ret_guard);
/* Finds which lanes go where predicates are, where that follows from the launch. */
void plan_find_predicates(struct group_plan *plan);
/* Marks what is launched among the groups and predicates, which are all there. */
void plan_find_launch_addresses(struct group_plan *plan);

#endif
