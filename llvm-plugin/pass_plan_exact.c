/* SPDX-License-Identifier: MIT */
/* Sites whose addresses the host makes lane by lane (wire.h, PROBE_GROUP_LANES). */
#include "pass_plan_exact.h"

#include <stdlib.h>

#include "pass_plan_once.h"
#include "pass_shim.h"

struct find {
	struct pass_plan *plan;
	LLVMValueRef function;
	LLVMBasicBlockRef block; /* looked at last */
	bool reckoned;		 /* does the host know which lanes come there? */
};

static void drop_guards(struct pass_plan *plan, int from)
{
	for (int i = from; i < plan->guards; i++)
		free(plan->guard[i].base);
	plan->guards = from;
}

/* Guards that are of no use here stay only if groups are behind them anyway. */
static bool is_reckoned(struct find *find, LLVMBasicBlockRef block)
{
	struct pass_plan *plan = find->plan;
	int guards = plan->guards, guard = PLAN_NONE;

	if (find->block == block)
		return find->reckoned;
	find->block = block;
	find->reckoned = pass_plan_once(plan, find->function, block, 0, &guard);
	pass_plan_find_branches(plan);
	if (find->reckoned && guard != PLAN_NONE)
		find->reckoned = plan->guard[guard].base != NULL;
	if (!find->reckoned)
		drop_guards(plan, guards);
	return find->reckoned;
}

/* What an LDS access costs does not depend on where its variable lies if all lanes are aligned. */
static bool may_be_exact(const struct pass_site *site)
{
	if (!site->pointer || LLVMGetTypeKind(LLVMTypeOf(site->pointer)) != LLVMPointerTypeKind)
		return false;
	return site->space == PROBE_SPACE_GLOBAL ||
	       (site->space == PROBE_SPACE_LDS && site->unit != 12 && site->align >= site->unit);
}

/* At a constant distance from one before? */
static bool find_lead(struct pass_plan *plan, size_t index)
{
	struct plan_site *site = &plan->site[index];
	LLVMBasicBlockRef block = LLVMGetInstructionParent(site->inst);

	for (size_t i = index; i > 0 && index - i < PLAN_SITES; i--) {
		const struct plan_site *lead = &plan->site[i - 1];

		if (LLVMGetInstructionParent(lead->inst) != block)
			break;
		if (!lead->lanes || lead->site.space != site->site.space ||
		    !analysis_distance(plan->analysis, lead->site.pointer, site->site.pointer,
				       &site->beside))
			continue;
		site->exact = true;
		site->lead = i - 1;
		return true;
	}
	return false;
}

void pass_plan_find_exact(struct pass_plan *plan, LLVMValueRef function)
{
	struct find find = {.plan = plan, .function = function};
	struct launch_expr base;

	for (size_t i = 0; i < plan->sites; i++) {
		struct plan_site *site = &plan->site[i];

		if (!may_be_exact(&site->site) ||
		    !is_reckoned(&find, LLVMGetInstructionParent(site->inst)) ||
		    find_lead(plan, i) ||
		    !analysis_lane_address_expr(plan->analysis, site->site.pointer, &base))
			continue;
		site->exact = true;
		site->lead = i;
		site->lanes = pass_plan_keep_base(&base);
	}
}

static bool join(struct pass_plan *plan, struct plan_group *group, size_t index)
{
	struct plan_site *site = &plan->site[index];

	if (!group->alone || group->block != LLVMGetInstructionParent(site->inst) ||
	    group->sites == PLAN_SITES)
		return false;
	for (unsigned i = 0; i < group->streams && site->stream == PLAN_NONE; i++) {
		const struct plan_site *lead = &plan->site[group->stream[i].lead];
		int64_t delta;

		if (lead->site.space == site->site.space &&
		    analysis_distance(plan->analysis, lead->site.pointer, site->site.pointer,
				      &delta) &&
		    delta == (int32_t)delta) {
			site->stream = (int)i;
			site->delta = (int32_t)delta;
		}
	}
	if (site->stream == PLAN_NONE) {
		if (group->streams == PLAN_STREAMS)
			return false;
		site->stream = (int)group->streams++;
		group->stream[site->stream] = (struct plan_stream){.lead = index};
	}
	group->last = index;
	group->sites++;
	return true;
}

void pass_plan_group_exact(struct pass_plan *plan)
{
	for (size_t i = 0; i < plan->sites; i++) {
		struct plan_site *site = &plan->site[i];

		if (!site->exact || site->group != PLAN_NONE)
			continue;
		if (!plan->groups || !join(plan, &plan->group[plan->groups - 1], i)) {
			plan->group = pass_alloc(plan->group,
						 (size_t)(plan->groups + 1) * sizeof(*plan->group));
			plan->group[plan->groups++] = (struct plan_group){
				.block = LLVMGetInstructionParent(site->inst),
				.first = i,
				.guard = PLAN_NONE,
				.counter = PLAN_NONE,
				.exact = true,
				.alone = true,
			};
			join(plan, &plan->group[plan->groups - 1], i);
		}
		site->group = plan->groups - 1;
	}
}
