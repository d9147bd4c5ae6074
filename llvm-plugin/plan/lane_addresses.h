/* SPDX-License-Identifier: MIT */
/* For group_plan.c: sites whose addresses per lane follow from the launch. */
#ifndef PROBE_LLVM_PLUGIN_PLAN_LANE_ADDRESSES_H
#define PROBE_LLVM_PLUGIN_PLAN_LANE_ADDRESSES_H

#include <llvm-c/Core.h>

#include "llvm-plugin/plan/group_plan.h"

struct group_plan;

/* Marks these sites, before groups are formed. May add predicates to the plan. */
void plan_find_lane_addresses(struct group_plan *plan, LLVMValueRef function);
/* Puts such sites that are in no group into groups of their own. */
void plan_group_lane_addresses(struct group_plan *plan);

#endif
