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
};

static bool is_enumerated(struct find *find, LLVMBasicBlockRef block)
{
	int predicate;

	if (find->block != block)
		find->enumerated =
			plan_is_enumerated(find->plan, find->function, block, &predicate);
	find->block = block;
	return find->enumerated;
}

static uint32_t address_of(struct group_plan *plan, struct plan_site *site)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(site->inst);
	uint32_t address;

	if (!analysis_loop_depth(plan->analysis, block))
		return analysis_lane_address_expr(plan->analysis, site->site.pointer, plan->exprs);
	address = analysis_loop_address_expr(plan->analysis, site->site.pointer,
					     analysis_loop_header(plan->analysis, block),
					     plan->exprs, &site->step);
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
		site->address = address_of(plan, site);
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
