/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/plan/branch_predicates.h"

#include <stdbool.h>
#include <stddef.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

#include "llvm-plugin/base/compile_options.h"
#include "llvm-plugin/base/ir_helpers.h"

/*
 * The first block that executes whenever this one does, and after which this one always executes.
 * Both execute with the same lanes, because diverged lanes reconverge where all paths meet.
 */
static LLVMBasicBlockRef first_of(const struct analysis *flow, LLVMBasicBlockRef block)
{
	LLVMBasicBlockRef first = block;

	for (LLVMBasicBlockRef up = block; up; up = analysis_idom(flow, up))
		if (!analysis_loop_depth(flow, up) && analysis_postdominates(flow, block, up))
			first = up;
	return first;
}

/* NULL also if the only predecessor has several branches to the block. */
static LLVMBasicBlockRef only_predecessor(LLVMBasicBlockRef block)
{
	LLVMBasicBlockRef found = NULL;

	for (LLVMUseRef use = LLVMGetFirstUse(LLVMBasicBlockAsValue(block)); use;
	     use = LLVMGetNextUse(use)) {
		LLVMValueRef end = LLVMIsATerminatorInst(LLVMGetUser(use));

		if (end && found)
			return NULL;
		found = end ? LLVMGetInstructionParent(end) : found;
	}
	return found;
}

/*
 * Does the value depend on loads from memory that a kernel may write? Then it does not follow from
 * the launch.
 */
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

bool plan_divides(const struct analysis *flow, LLVMValueRef branch)
{
	unsigned steps = 0;

	return analysis_differs(flow, branch, 0) && is_data(LLVMGetCondition(branch), 0, &steps);
}

static bool parent_follows_launch(const struct group_plan *plan,
				  const struct branch_predicate *predicate)
{
	return predicate->parent == PLAN_NONE ||
	       plan->predicate[predicate->parent].condition != PROBE_EXPR_NONE;
}

/* Can the host evaluate this predicate and those that guard it? */
static bool is_small(const struct group_plan *plan, const struct branch_predicate *last)
{
	uint32_t condition[PROBE_GUARDS_MAX];
	const struct branch_predicate *p = last;
	unsigned guards = 0, loops = 0;

	while (p && guards < PROBE_GUARDS_MAX && p->condition != PROBE_EXPR_NONE) {
		loops += p->loop;
		condition[guards++] = p->condition;
		p = p->parent == PLAN_NONE ? NULL : &plan->predicate[p->parent];
	}
	return !p && loops <= PROBE_LOOPS_MAX &&
	       expr_count(plan->exprs, condition, guards, PROBE_STEPS_MAX) < PROBE_STEPS_MAX;
}

/* A switch is useful only if the host can derive the successor of each lane. */
static bool may_be_predicate(struct group_plan *plan, struct branch_predicate *predicate)
{
	LLVMValueRef branch = LLVMGetBasicBlockTerminator(predicate->from);

	if (!LLVMIsASwitchInst(branch))
		return LLVMIsABranchInst(branch);
	plan_find_predicates(plan);
	if (parent_follows_launch(plan, predicate))
		predicate->condition =
			analysis_switch_expr(plan->analysis, branch, predicate->block, plan->exprs);
	return predicate->condition != PROBE_EXPR_NONE && is_small(plan, predicate);
}

static bool may_divide(const struct analysis *flow, LLVMValueRef branch)
{
	return LLVMIsASwitchInst(branch) ||
	       (LLVMIsABranchInst(branch) && LLVMIsConditional(branch) &&
		!LLVMIsConstant(LLVMGetCondition(branch)) && !plan_divides(flow, branch));
}

static int add_predicate(struct group_plan *plan, const struct branch_predicate *predicate)
{
	plan->predicate = pass_alloc(plan->predicate,
				     (size_t)(plan->predicates + 1) * sizeof(*plan->predicate));
	plan->predicate[plan->predicates] = *predicate;
	return plan->predicates++;
}

bool plan_executes_once(struct group_plan *plan, LLVMValueRef function, LLVMBasicBlockRef block,
			int depth, int *ret_guard)
{
	const struct analysis *flow = plan->analysis;
	struct branch_predicate predicate = {.parent = PLAN_NONE, .condition = PROBE_EXPR_NONE};

	if (!pass_enabled(plan->options, PASS_BRANCHES) || analysis_loop_depth(flow, block) ||
	    depth > 16)
		return false;
	predicate.block = first_of(flow, block);
	*ret_guard = PLAN_NONE;
	if (predicate.block == LLVMGetEntryBasicBlock(function))
		return true;
	for (int i = 0; i < plan->predicates; i++)
		if (plan->predicate[i].block == predicate.block && !plan->predicate[i].loop) {
			*ret_guard = i;
			return true;
		}
	predicate.from = only_predecessor(predicate.block);
	if (!predicate.from || !may_divide(flow, LLVMGetBasicBlockTerminator(predicate.from)) ||
	    !plan_executes_once(plan, function, predicate.from, depth + 1, &predicate.parent) ||
	    !may_be_predicate(plan, &predicate))
		return false;
	*ret_guard = add_predicate(plan, &predicate);
	return true;
}

/* ---- Blocks in loops ------------------------------------------------------------------------- */

/* As first_of(), within an iteration of the innermost loop. */
static LLVMBasicBlockRef first_in_loop(const struct analysis *flow, LLVMBasicBlockRef block,
				       LLVMBasicBlockRef header)
{
	LLVMBasicBlockRef first = block;

	for (LLVMBasicBlockRef up = block; up != header;) {
		up = analysis_idom(flow, up);
		if (analysis_loop_header(flow, up) == header &&
		    analysis_postdominates(flow, block, up))
			first = up;
	}
	return first;
}

static int find_predicate(const struct group_plan *plan, LLVMBasicBlockRef block, bool loop)
{
	for (int i = 0; i < plan->predicates; i++)
		if (plan->predicate[i].block == block && plan->predicate[i].loop == loop)
			return i;
	return PLAN_NONE;
}

/* The lanes that branch from one block to another. */
static bool branch_from(struct group_plan *plan, LLVMBasicBlockRef from, LLVMBasicBlockRef block,
			int parent, int *ret)
{
	struct branch_predicate predicate = {
		.block = block, .from = from, .parent = parent, .condition = PROBE_EXPR_NONE};
	LLVMValueRef branch = LLVMGetBasicBlockTerminator(from);

	*ret = find_predicate(plan, block, false);
	if (*ret != PLAN_NONE)
		return true;
	if (!LLVMIsABranchInst(branch) || !LLVMIsConditional(branch) ||
	    LLVMGetSuccessor(branch, 0) == LLVMGetSuccessor(branch, 1))
		return false;
	*ret = add_predicate(plan, &predicate);
	return true;
}

static bool executes_in_loop(struct group_plan *plan, LLVMValueRef function,
			     LLVMBasicBlockRef block, int depth, int *ret);

static bool enters_loop(struct group_plan *plan, LLVMValueRef function, LLVMBasicBlockRef header,
			int depth, int *ret)
{
	struct branch_predicate predicate = {.block = header, .loop = true};
	LLVMValueRef end;

	*ret = find_predicate(plan, header, true);
	if (*ret != PLAN_NONE)
		return true;
	predicate.from = analysis_loop_entry(plan->analysis, header);
	if (!predicate.from ||
	    !(analysis_outer_loop(plan->analysis, header)
		      ? executes_in_loop(plan, function, predicate.from, depth, &predicate.parent)
		      : plan_executes_once(plan, function, predicate.from, 0, &predicate.parent)))
		return false;
	end = LLVMGetBasicBlockTerminator(predicate.from);
	if (LLVMGetNumSuccessors(end) != 1 &&
	    !branch_from(plan, predicate.from, header, predicate.parent, &predicate.parent))
		return false;
	predicate.condition = analysis_repeats_expr(plan->analysis, header, plan->exprs);
	if (predicate.condition == PROBE_EXPR_NONE)
		return false;
	*ret = add_predicate(plan, &predicate);
	return true;
}

static bool executes_in_loop(struct group_plan *plan, LLVMValueRef function,
			     LLVMBasicBlockRef block, int depth, int *ret)
{
	LLVMBasicBlockRef header = analysis_loop_header(plan->analysis, block), first, from;
	int parent;

	first = first_in_loop(plan->analysis, block, header);
	if (first == header)
		return depth < 16 && enters_loop(plan, function, header, depth + 1, ret);
	from = only_predecessor(first);
	return depth < 16 && from && analysis_loop_header(plan->analysis, from) == header &&
	       executes_in_loop(plan, function, from, depth + 1, &parent) &&
	       branch_from(plan, from, first, parent, ret);
}

bool plan_is_enumerated(struct group_plan *plan, LLVMValueRef function, LLVMBasicBlockRef block,
			int *ret_predicate)
{
	bool loops = analysis_loop_depth(plan->analysis, block);
	int predicates = plan->predicates;
	bool known;

	*ret_predicate = PLAN_NONE;
	if (loops)
		known = pass_enabled(plan->options, PASS_LOOPS) &&
			executes_in_loop(plan, function, block, 0, ret_predicate);
	else
		known = plan_executes_once(plan, function, block, 0, ret_predicate);
	plan_find_predicates(plan);
	for (int i = *ret_predicate; known && i != PLAN_NONE; i = plan->predicate[i].parent)
		known = plan->predicate[i].condition != PROBE_EXPR_NONE;
	if (known && *ret_predicate != PLAN_NONE)
		known = is_small(plan, &plan->predicate[*ret_predicate]);
	/* Predicates that are not used here are kept only if they guard groups anyway. */
	if (!known)
		plan->predicates = predicates;
	return known;
}

/* ---- What can be derived from the launch ----------------------------------------------------- */

/* A predicate comes after its parent. */
void plan_find_predicates(struct group_plan *plan)
{
	for (int i = 0; i < plan->predicates; i++) {
		struct branch_predicate *predicate = &plan->predicate[i];
		LLVMValueRef branch = LLVMGetBasicBlockTerminator(predicate->from);

		if (predicate->condition == PROBE_EXPR_NONE &&
		    parent_follows_launch(plan, predicate))
			predicate->condition = analysis_branch_expr(
				plan->analysis, branch,
				LLVMGetSuccessor(branch, 0) != predicate->block, plan->exprs);
		if (predicate->condition != PROBE_EXPR_NONE && !is_small(plan, predicate))
			predicate->condition = PROBE_EXPR_NONE;
	}
}

/* May there be executions that have to be measured? */
static bool has_assumptions(const struct group_plan *plan, int number)
{
	const struct plan_group *group = &plan->group[number];

	for (size_t i = group->first; i <= group->last; i++)
		if (plan->site[i].group == number &&
		    (plan->site[i].pattern.wrap_count || plan->site[i].pattern.aligned_count))
			return true;
	return false;
}

/* Can the host derive all addresses of the group, and which lanes execute it? */
static void find_bases(struct group_plan *plan, int number)
{
	struct plan_group *group = &plan->group[number];

	if (group->lanes_only || !group->once || group->observed ||
	    (group->predicate == PLAN_NONE
		     ? !group->aligned || number >= PLAN_HISTOGRAMS ||
			       !pass_enabled(plan->options, PASS_LINE_HISTOGRAM)
		     : plan->predicate[group->predicate].condition == PROBE_EXPR_NONE ||
			       has_assumptions(plan, number)))
		return;
	group->follows_launch = true;
	for (unsigned i = 0; i < group->streams; i++) {
		struct plan_stream *stream = &group->stream[i];

		if (!stream->aligned)
			continue;
		stream->base = analysis_address_expr(
			plan->analysis, plan->site[stream->representative].site.pointer,
			plan->exprs);
		if (stream->base == PROBE_EXPR_NONE) {
			group->follows_launch = false;
			return;
		}
	}
}

void plan_find_launch_addresses(struct group_plan *plan)
{
	plan_find_predicates(plan);
	for (int i = 0; i < plan->groups; i++)
		find_bases(plan, i);
}
