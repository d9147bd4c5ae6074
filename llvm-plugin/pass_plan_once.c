/* SPDX-License-Identifier: MIT */
/* Groups that a wave runs once at most: in which waves, and what of that the host knows. */
#include "pass_plan_once.h"

#include "pass_shim.h"

/*
 * The first block that runs whenever this one does, and after which this one always runs: the lanes
 * that run them are the same, since lanes that part join again where all ways meet.
 */
static LLVMBasicBlockRef first_of(const struct analysis *flow, LLVMBasicBlockRef block)
{
	LLVMBasicBlockRef first = block;

	for (LLVMBasicBlockRef up = block; up; up = analysis_idom(flow, up))
		if (!analysis_loop_depth(flow, up) && analysis_postdominates(flow, block, up))
			first = up;
	return first;
}

static LLVMBasicBlockRef only_predecessor(LLVMValueRef function, LLVMBasicBlockRef block)
{
	LLVMBasicBlockRef found = NULL;

	for (LLVMBasicBlockRef from = LLVMGetFirstBasicBlock(function); from;
	     from = LLVMGetNextBasicBlock(from)) {
		LLVMValueRef last = LLVMGetBasicBlockTerminator(from);

		for (unsigned i = 0; i < LLVMGetNumSuccessors(last); i++)
			if (LLVMGetSuccessor(last, i) == block) {
				if (found)
					return NULL;
				found = from;
			}
	}
	return found;
}

/* Is the value made of loads of what a kernel may write? Then nobody knows it beforehand. */
static bool is_data(LLVMValueRef value, unsigned depth, unsigned *steps)
{
	LLVMValueRef inst = LLVMIsAInstruction(value);
	int operands;

	if (!inst || depth > 16 || ++*steps > 200)
		return false;
	if (LLVMIsALoadInst(inst))
		return LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(inst, 0))) !=
		       PROBE_SPACE_CONSTANT;
	operands = LLVMGetNumOperands(inst);
	for (int i = 0; i < operands; i++)
		if (is_data(LLVMGetOperand(inst, (unsigned)i), depth + 1, steps))
			return true;
	return LLVMIsAAtomicRMWInst(inst) || LLVMIsAAtomicCmpXchgInst(inst);
}

/* Lanes of most waves will part here: to count the waves in which they do is not worth it. */
static bool divides(const struct analysis *flow, LLVMValueRef branch)
{
	unsigned steps = 0;

	return analysis_differs(flow, branch, 0) && is_data(LLVMGetCondition(branch), 0, &steps);
}

/* A switch is of use only where the host knows the way of each lane. */
static bool may_guard(struct pass_plan *plan, struct plan_guard *guard)
{
	LLVMValueRef branch = LLVMGetBasicBlockTerminator(guard->from);
	struct launch_expr base;

	if (!LLVMIsASwitchInst(branch))
		return LLVMIsABranchInst(branch);
	pass_plan_find_branches(plan);
	if ((guard->parent != PLAN_NONE && !plan->guard[guard->parent].base) ||
	    !analysis_switch_expr(plan->analysis, branch, guard->block, &base))
		return false;
	guard->base = pass_plan_keep_base(&base);
	return true;
}

static bool may_divide(const struct analysis *flow, LLVMValueRef branch)
{
	return LLVMIsASwitchInst(branch) ||
	       (LLVMIsABranchInst(branch) && LLVMIsConditional(branch) &&
		!LLVMIsConstant(LLVMGetCondition(branch)) && !divides(flow, branch));
}

bool pass_plan_once(struct pass_plan *plan, LLVMValueRef function, LLVMBasicBlockRef block,
		    int depth, int *ret_guard)
{
	const struct analysis *flow = plan->analysis;
	struct plan_guard guard = {.parent = PLAN_NONE};

	if (!pass_enabled(plan->options, PASS_BRANCHES) || analysis_loop_depth(flow, block) ||
	    depth > 16)
		return false;
	guard.block = first_of(flow, block);
	*ret_guard = PLAN_NONE;
	if (guard.block == LLVMGetEntryBasicBlock(function))
		return true;
	for (int i = 0; i < plan->guards; i++)
		if (plan->guard[i].block == guard.block) {
			*ret_guard = i;
			return true;
		}
	guard.from = only_predecessor(function, guard.block);
	if (!guard.from || !may_divide(flow, LLVMGetBasicBlockTerminator(guard.from)) ||
	    !pass_plan_once(plan, function, guard.from, depth + 1, &guard.parent) ||
	    !may_guard(plan, &guard))
		return false;
	plan->guard = pass_alloc(plan->guard, (size_t)(plan->guards + 1) * sizeof(*plan->guard));
	*ret_guard = plan->guards;
	plan->guard[plan->guards++] = guard;
	return true;
}

/* ---- What follows from the launch ------------------------------------------------------------ */

struct launch_expr *pass_plan_keep_base(const struct launch_expr *base)
{
	struct launch_expr *ret = pass_alloc(NULL, sizeof(*ret));

	*ret = *base;
	return ret;
}

/* Guards come behind those that they are in. */
void pass_plan_find_branches(struct pass_plan *plan)
{
	for (int i = 0; i < plan->guards; i++) {
		struct plan_guard *guard = &plan->guard[i];
		LLVMValueRef branch = LLVMGetBasicBlockTerminator(guard->from);
		struct launch_expr base;

		if (guard->base || (guard->parent != PLAN_NONE && !plan->guard[guard->parent].base))
			continue;
		if (analysis_branch_expr(plan->analysis, branch,
					 LLVMGetSuccessor(branch, 0) != guard->block, &base))
			guard->base = pass_plan_keep_base(&base);
	}
}

/* Is there an execution that would have to be measured? */
static bool has_doubts(const struct pass_plan *plan, int number)
{
	const struct plan_group *group = &plan->group[number];

	for (size_t i = group->first; i <= group->last; i++)
		if (plan->site[i].group == number && plan->site[i].pattern.wrap_count)
			return true;
	return false;
}

/* Can the host tell where all the group's addresses lie, and which lanes use them? */
static void find_bases(struct pass_plan *plan, int number)
{
	struct plan_group *group = &plan->group[number];
	struct launch_expr base;

	if (group->alone || !group->once || group->observed ||
	    (group->guard == PLAN_NONE
		     ? !group->aligned || number >= PLAN_CELLED
		     : !plan->guard[group->guard].base || has_doubts(plan, number)))
		return;
	group->launched = true;
	for (unsigned i = 0; i < group->streams; i++) {
		struct plan_stream *stream = &group->stream[i];

		if (!stream->aligned)
			continue;
		if (!analysis_address_expr(plan->analysis, plan->site[stream->lead].site.pointer,
					   &base)) {
			group->launched = false;
			return;
		}
		stream->base = pass_plan_keep_base(&base);
	}
}

void pass_plan_find_launched(struct pass_plan *plan)
{
	pass_plan_find_branches(plan);
	for (int i = 0; i < plan->groups; i++)
		find_bases(plan, i);
}
