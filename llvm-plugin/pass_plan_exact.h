/* SPDX-License-Identifier: MIT */
/* What pass_plan.c asks of sites whose addresses follow from the launch, lane by lane. */
#ifndef PROBE_LLVM_PLUGIN_PASS_PLAN_EXACT_H
#define PROBE_LLVM_PLUGIN_PASS_PLAN_EXACT_H

#include "pass_plan.h"

/* Marks them, before there are groups; the plan has guards more then. */
void pass_plan_find_exact(struct pass_plan *plan, LLVMValueRef function);
/* Puts those that are in no group in groups of their own. */
void pass_plan_group_exact(struct pass_plan *plan);

#endif
