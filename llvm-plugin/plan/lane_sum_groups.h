/* SPDX-License-Identifier: MIT */
/* Groups whose executions are counted by sums over lanes (emit/lane_sums.h). */
#ifndef PROBE_LLVM_PLUGIN_PLAN_LANE_SUM_GROUPS_H
#define PROBE_LLVM_PLUGIN_PLAN_LANE_SUM_GROUPS_H

#include <stdbool.h>
#include <llvm-c/Core.h>

struct analysis;
struct group_plan;
struct plan_site;

enum { LANE_SUM_SGPRS = 3 }; /* registers of a group */

/*
 * How many lanes at most of a phase access different dwords of one bank, if the work-items of a
 * wave are neighbours along x: 1, or 2 if these are lanes 16 apart. 0 = something else.
 */
unsigned plan_lane_sum_way(const struct plan_site *site);
/* Do data decide for each lane whether it executes the block? */
bool plan_data_decide(const struct analysis *flow, LLVMBasicBlockRef block);
/* Give registers to groups in loops that can be counted so, if masks depend on data. */
void plan_assign_lane_sums(struct group_plan *plan);
bool plan_has_lane_sums(const struct group_plan *plan);

#endif
