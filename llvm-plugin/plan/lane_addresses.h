/* SPDX-License-Identifier: MIT */
/* What group_plan.c asks of sites whose addresses follow from the launch, lane by lane. */
#ifndef PROBE_LLVM_PLUGIN_PLAN_LANE_ADDRESSES_H
#define PROBE_LLVM_PLUGIN_PLAN_LANE_ADDRESSES_H

#include <llvm-c/Core.h>

#include "llvm-plugin/plan/group_plan.h"

struct group_plan;

/* Marks them, before there are groups; the plan has predicates more then. */
void plan_find_lane_addresses(struct group_plan *plan, LLVMValueRef function);
/* Puts those that are in no group in groups of their own. */
void plan_group_lane_addresses(struct group_plan *plan);

#endif
