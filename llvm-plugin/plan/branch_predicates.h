/* SPDX-License-Identifier: MIT */
/*
 * Blocks that a wave executes at most once, and the branches that decide whether it does. A
 * predicate counts the waves that do not take such a branch, or the host derives its condition from
 * the launch.
 */
#ifndef PROBE_LLVM_PLUGIN_PLAN_BRANCH_PREDICATES_H
#define PROBE_LLVM_PLUGIN_PLAN_BRANCH_PREDICATES_H

#include <stdbool.h>
#include <llvm-c/Core.h>

#include "llvm-plugin/plan/group_plan.h"

struct group_plan;

/*
 * Will most waves diverge at a conditional branch? Then counting those that do does not pay. True
 * for conditions that depend on loaded values.
 */
bool plan_divides(const struct analysis *flow, LLVMValueRef branch);
/*
 * Does the block execute at most once per wave, and is it known in which waves? *ret_guard is the
 * predicate that decides, which may be added to the plan; PLAN_NONE = all waves execute it. Callers
 * pass 0 as `depth`.
 */
bool plan_executes_once(struct group_plan *plan, LLVMValueRef function, LLVMBasicBlockRef block,
			int depth, int *ret_guard);
/*
 * Does the host know which lanes execute the block, and how often? Loops around it are predicates,
 * too.
 */
bool plan_is_enumerated(struct group_plan *plan, LLVMValueRef function, LLVMBasicBlockRef block,
			int *ret_predicate);
/* Derives the conditions of predicates from the launch, where possible. */
void plan_find_predicates(struct group_plan *plan);
/*
 * Marks groups whose executions and addresses can be derived from the launch. All groups and
 * predicates must exist.
 */
void plan_find_launch_addresses(struct group_plan *plan);

#endif
