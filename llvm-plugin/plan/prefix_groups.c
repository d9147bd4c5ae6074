/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/plan/prefix_groups.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

#include "llvm-plugin/analysis/analysis.h"
#include "llvm-plugin/plan/group_plan.h"

static bool is_wide(int64_t stride)
{
	stride = stride < 0 ? -stride : stride;
	return stride >= WIDE_STRIDE && stride < STRIDE_LIMIT;
}

/* Is the value available at the end of the entry block? */
static bool is_early(LLVMValueRef value)
{
	if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMIntegerTypeKind)
		return false;
	if (LLVMIsAArgument(value))
		return true;
	return LLVMIsAInstruction(value) &&
	       LLVMGetInstructionParent(value) == LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(
							  LLVMGetInstructionParent(value)));
}

/* May lanes with different x access different lines, while all others access one address? */
static bool may_be_wide(const struct affine_address *pattern)
{
	const struct affine_stride *x = &pattern->stride[0];

	for (int i = 1; i < 3; i++)
		if (pattern->stride[i].constant || pattern->stride[i].factor)
			return false;
	if (pattern->fields)
		return false;
	if (!x->factor)
		return is_wide(x->constant);
	return is_early(x->value) && x->factor > -FACTOR_LIMIT && x->factor < FACTOR_LIMIT &&
	       x->constant > -STRIDE_LIMIT && x->constant < STRIDE_LIMIT;
}

static bool suits(const struct plan_site *site)
{
	uint32_t natural = site->site.unit == 12 ? 16 : site->site.unit;

	if (site->site.space == PROBE_SPACE_LDS)
		return true;
	return site->site.align >= natural &&
	       (affine_uniform(&site->pattern) || may_be_wide(&site->pattern));
}

bool plan_loops_diverge(const struct analysis *flow, LLVMValueRef function)
{
	for (LLVMBasicBlockRef at = LLVMGetFirstBasicBlock(function); at;
	     at = LLVMGetNextBasicBlock(at)) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(at);

		if (LLVMIsABranchInst(last) && LLVMIsConditional(last) &&
		    analysis_loop_depth(flow, at) && analysis_differs(flow, last, 0))
			return true;
	}
	return false;
}

bool plan_counts_prefixes(const struct group_plan *plan, int number)
{
	const struct plan_group *group = &plan->group[number];

	if (!plan->loops_diverge || !group->loops || group->once || group->observed)
		return false;
	for (size_t i = group->first; i <= group->last; i++)
		if (plan->site[i].group == number && !suits(&plan->site[i]))
			return false;
	return true;
}
