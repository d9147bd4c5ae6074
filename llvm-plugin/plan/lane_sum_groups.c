/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/plan/lane_sum_groups.h"

#include <stddef.h>
#include <stdint.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

#include "llvm-plugin/analysis/analysis.h"
#include "llvm-plugin/base/reserved_registers.h"
#include "llvm-plugin/plan/group_plan.h"
#include "llvm-plugin/sites/access_sites.h"

enum { CONDITION_DEPTH = 6, CONDITION_VALUES = 128 };

/* By the rules of devlib/lds_passes.h for lanes with one stride. */
unsigned plan_lane_sum_way(const struct plan_site *site)
{
	int64_t stride = site->pattern.stride[0].constant, steps;
	uint32_t width = access_site_lds_width(&site->site);
	bool share = site->site.access != PROBE_ACCESS_ATOMIC;

	if (site->site.space != PROBE_SPACE_LDS || !access_site_is_one_call(&site->site) ||
	    site->pattern.stride[0].factor || site->pattern.fields || stride != (int32_t)stride)
		return 0;
	if (!stride)
		return share;
	if (share && width == 4 && stride > -4 && stride < 4)
		return 1;
	steps = stride / width;
	if (stride % width || !(steps % 4) || (width > 4 && !(steps % 2)))
		return 0;
	return steps % 2 ? 1 : 2;
}

/*
 * Does an operand that differs between lanes come from memory? Only `depth` instructions away, and
 * among the first `*left` values: conditions are short.
 */
static bool is_from_memory(const struct analysis *flow, LLVMValueRef user, unsigned operand,
			   unsigned depth, unsigned *left)
{
	LLVMValueRef value = LLVMGetOperand(user, operand);

	if (!*left || !LLVMIsAInstruction(value) || !analysis_differs(flow, user, operand))
		return false;
	--*left;
	if (LLVMIsALoadInst(value) || LLVMIsAAtomicRMWInst(value) ||
	    LLVMIsAAtomicCmpXchgInst(value))
		return true;
	for (int i = 0; depth && i < LLVMGetNumOperands(value); i++)
		if (is_from_memory(flow, value, (unsigned)i, depth - 1, left))
			return true;
	return false;
}

/* The branch by which lanes decide one by one whether to execute the block; NULL. */
static LLVMValueRef deciding_branch(const struct analysis *flow, LLVMBasicBlockRef block)
{
	LLVMBasicBlockRef above = analysis_idom(flow, block);
	LLVMValueRef last = above ? LLVMGetBasicBlockTerminator(above) : NULL;

	return last && LLVMIsABranchInst(last) && LLVMIsConditional(last) &&
			       analysis_differs(flow, last, 0)
		       ? last
		       : NULL;
}

bool plan_data_decide(const struct analysis *flow, LLVMBasicBlockRef block)
{
	LLVMValueRef branch = deciding_branch(flow, block);
	unsigned left = CONDITION_VALUES;

	return branch && is_from_memory(flow, branch, 0, CONDITION_DEPTH, &left);
}

static bool suits(const struct group_plan *plan, int number)
{
	const struct plan_group *group = &plan->group[number];

	if (!group->loops || group->once || group->observed || group->lanes_known ||
	    plan_follows_launch(group))
		return false;
	for (size_t i = group->first; i <= group->last; i++)
		if (plan->site[i].group == number && !plan_lane_sum_way(&plan->site[i]))
			return false;
	return analysis_loop_depth(plan->analysis, analysis_idom(plan->analysis, group->block)) &&
	       deciding_branch(plan->analysis, group->block);
}

/*
 * Masks that follow from ids are few, and often prefixes. They are counted so only in kernels that
 * have others, too.
 */
void plan_assign_lane_sums(struct group_plan *plan)
{
	bool data_decide = false;

	for (int i = 0; i < plan->groups && !data_decide; i++)
		data_decide = suits(plan, i) && plan->group[i].data_decide;
	for (int i = 0; i < plan->groups && data_decide; i++)
		if (suits(plan, i))
			plan->group[i].lane_sums = reserved_assign(&plan->counters, LANE_SUM_SGPRS);
}

bool plan_has_lane_sums(const struct group_plan *plan)
{
	for (int i = 0; i < plan->groups; i++)
		if (plan->group[i].lane_sums)
			return true;
	return false;
}
