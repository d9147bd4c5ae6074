/* SPDX-License-Identifier: MIT */
/* Sites whose addresses the host computes per lane (wire_sites.h, PROBE_GROUP_LANES). */
#include "llvm-plugin/plan/lane_addresses.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

#include "llvm-plugin/plan/branch_predicates.h"
#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/sites/access_sites.h"

struct find {
	struct group_plan *plan;
	LLVMValueRef function;
	LLVMBasicBlockRef block; /* visited last */
	bool enumerated;	 /* does the host know which lanes come there? */
	int predicate;		 /* the innermost one */
};

static bool is_enumerated(struct find *find, LLVMBasicBlockRef block)
{
	if (find->block != block)
		find->enumerated =
			plan_is_enumerated(find->plan, find->function, block, &find->predicate);
	find->block = block;
	return find->enumerated;
}

/* The loops around a block, and that of them whose iterations the host need not evaluate. */
struct loops {
	LLVMBasicBlockRef stepped; /* its header */
	unsigned level;		   /* 0 = the outermost loop */
	bool required;		   /* it may have too many iterations to evaluate */
	uint64_t stepped_iterations, other_iterations;
};

/* The loop with most iterations. False: several have too many, or the others together. */
static bool find_loops(const struct group_plan *plan, LLVMBasicBlockRef block, struct loops *ret)
{
	LLVMBasicBlockRef header = analysis_loop_header(plan->analysis, block);
	unsigned level = analysis_loop_depth(plan->analysis, block);

	*ret = (struct loops){.stepped_iterations = 1, .other_iterations = 1};
	for (; header; header = analysis_outer_loop(plan->analysis, header)) {
		unsigned most = analysis_few_iterations(plan->analysis, header);

		level--;
		if ((!most && ret->required) || ret->other_iterations > ANALYSIS_FEW)
			return false;
		if (most && (ret->required || most <= ret->stepped_iterations)) {
			ret->other_iterations *= most;
			continue;
		}
		ret->other_iterations *= ret->stepped_iterations;
		ret->stepped_iterations = most;
		ret->required = !most;
		ret->stepped = header;
		ret->level = level;
	}
	return ret->other_iterations <= ANALYSIS_FEW;
}

/* Do all guards leave the same lanes in each iteration of the loop? */
static bool guards_are_steady(const struct find *find, const struct loops *loops)
{
	const struct group_plan *plan = find->plan;

	for (int i = find->predicate; i != PLAN_NONE; i = plan->predicate[i].parent)
		if (analysis_depends_on_loop(plan->exprs, plan->predicate[i].condition,
					     loops->level))
			return false;
	return true;
}

/* An address in loops. */
static uint32_t iterated_address(const struct find *find, struct plan_site *site)
{
	struct group_plan *plan = find->plan;
	LLVMBasicBlockRef block = LLVMGetInstructionParent(site->inst);
	uint32_t address = PROBE_EXPR_NONE;
	struct loops loops;

	if (!find_loops(plan, block, &loops))
		return PROBE_EXPR_NONE;
	site->stepped = loops.level;
	if (loops.stepped && guards_are_steady(find, &loops))
		address = analysis_loop_address_expr(plan->analysis, site->site.pointer, block,
						     loops.stepped, plan->exprs, &site->step);
	if (address != PROBE_EXPR_NONE || loops.required ||
	    loops.other_iterations * loops.stepped_iterations > ANALYSIS_FEW)
		return address;
	site->step = PROBE_EXPR_NONE;
	return analysis_lane_address_expr(plan->analysis, site->site.pointer, block, plan->exprs);
}

static uint32_t address_of(const struct find *find, struct plan_site *site)
{
	struct group_plan *plan = find->plan;
	LLVMBasicBlockRef block = LLVMGetInstructionParent(site->inst);
	uint32_t address;

	if (!analysis_loop_depth(plan->analysis, block))
		return analysis_lane_address_expr(plan->analysis, site->site.pointer, block,
						  plan->exprs);
	address = iterated_address(find, site);
	/* Otherwise there could be too many classes: in each wave others, in each iteration. */
	return address != PROBE_EXPR_NONE &&
			       (site->proved || analysis_same_distances(plan->exprs, address))
		       ? address
		       : PROBE_EXPR_NONE;
}

/*
 * The cost of an LDS access does not depend on the variable's address if all lanes are aligned. LDS
 * variables of more than two bytes begin at multiples of a dword.
 */
static bool may_be_exact(const struct access_site *site)
{
	if (!site->pointer || LLVMGetTypeKind(LLVMTypeOf(site->pointer)) != LLVMPointerTypeKind)
		return false;
	return site->space == PROBE_SPACE_GLOBAL ||
	       (site->space == PROBE_SPACE_LDS && site->unit != 12 && site->align >= site->unit);
}

/* Is the site at a constant distance from an earlier one? */
static bool find_representative(struct group_plan *plan, size_t index)
{
	struct plan_site *site = &plan->site[index];
	LLVMBasicBlockRef block = LLVMGetInstructionParent(site->inst);

	for (size_t i = index; i > 0 && index - i < PLAN_SITES; i--) {
		const struct plan_site *representative = &plan->site[i - 1];

		if (LLVMGetInstructionParent(representative->inst) != block)
			break;
		if (representative->address == PROBE_EXPR_NONE ||
		    representative->site.space != site->site.space ||
		    !analysis_distance(plan->analysis, representative->site.pointer,
				       site->site.pointer, &site->distance))
			continue;
		site->lanes_known = true;
		site->representative = i - 1;
		return true;
	}
	return false;
}

void plan_find_lane_addresses(struct group_plan *plan, LLVMValueRef function)
{
	struct find find = {.plan = plan, .function = function};

	for (size_t i = 0; i < plan->sites; i++) {
		struct plan_site *site = &plan->site[i];

		if (!may_be_exact(&site->site) ||
		    !is_enumerated(&find, LLVMGetInstructionParent(site->inst)) ||
		    find_representative(plan, i))
			continue;
		site->address = address_of(&find, site);
		site->lanes_known = site->address != PROBE_EXPR_NONE;
		site->representative = i;
	}
}

static bool join(struct group_plan *plan, struct plan_group *group, size_t index)
{
	struct plan_site *site = &plan->site[index];

	if (!group->lanes_only || group->block != LLVMGetInstructionParent(site->inst) ||
	    group->sites == PLAN_SITES)
		return false;
	for (unsigned i = 0; i < group->streams && site->stream == PLAN_NONE; i++) {
		const struct plan_site *representative =
			&plan->site[group->stream[i].representative];
		int64_t delta;

		if (representative->site.space == site->site.space &&
		    analysis_distance(plan->analysis, representative->site.pointer,
				      site->site.pointer, &delta) &&
		    delta == (int32_t)delta) {
			site->stream = (int)i;
			site->delta = (int32_t)delta;
		}
	}
	if (site->stream == PLAN_NONE) {
		if (group->streams == PLAN_STREAMS)
			return false;
		site->stream = (int)group->streams++;
		group->stream[site->stream] = (struct plan_stream){.representative = index};
	}
	group->last = index;
	group->sites++;
	return true;
}

void plan_group_lane_addresses(struct group_plan *plan)
{
	for (size_t i = 0; i < plan->sites; i++) {
		struct plan_site *site = &plan->site[i];

		if (!site->lanes_known || site->group != PLAN_NONE)
			continue;
		if (!plan->groups || !join(plan, &plan->group[plan->groups - 1], i)) {
			plan->group = pass_alloc(plan->group,
						 (size_t)(plan->groups + 1) * sizeof(*plan->group));
			plan->group[plan->groups++] = (struct plan_group){
				.block = LLVMGetInstructionParent(site->inst),
				.first = i,
				.predicate = PLAN_NONE,
				.lanes_known = true,
				.lanes_only = true,
			};
			join(plan, &plan->group[plan->groups - 1], i);
		}
		site->group = plan->groups - 1;
	}
}
