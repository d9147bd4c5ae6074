/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/plan/representatives.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

#include "llvm-plugin/analysis/analysis.h"
#include "llvm-plugin/plan/group_plan.h"
#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/sites/access_sites.h"

enum { SITES = 32 }; /* as in measure_access.h: one bit per site */

/* Distances that are multiples of this only rotate the banks of all lanes. */
static uint32_t bank_alignment(const struct access_site *site)
{
	return site->unit > 8 ? 16 : site->unit > 4 ? 8 : 4;
}

/* Do both accesses always have the same counters, given the same EXEC? */
static bool count_the_same(const struct analysis *flow, const struct plan_site *a,
			   const struct plan_site *b)
{
	bool lds = a->site.space == PROBE_SPACE_LDS;
	struct analysis_difference difference;
	int64_t distance;

	if (analysis_distance(flow, a->site.pointer, b->site.pointer, &distance))
		return distance % (lds ? access_site_lds_width(&a->site) : 128) == 0;
	return lds &&
	       analysis_difference(flow, a->site.pointer, b->site.pointer,
				   LLVMGetInstructionParent(a->inst), &difference) &&
	       difference.multiple % bank_alignment(&a->site) == 0;
}

/* Is the value an instruction of this one's block, and not before it? */
static bool comes_later(LLVMValueRef value, LLVMValueRef inst)
{
	if (!LLVMIsAInstruction(value) ||
	    LLVMGetInstructionParent(value) != LLVMGetInstructionParent(inst))
		return false;
	while (inst && inst != value)
		inst = LLVMGetNextInstruction(inst);
	return inst;
}

/* Are all values of the difference available before this instruction? */
static bool is_known(const struct analysis_difference *difference, LLVMValueRef inst)
{
	for (unsigned i = 0; i < difference->terms; i++)
		for (unsigned k = 0; k < difference->term[i].factors; k++)
			if (comes_later(difference->term[i].factor[k].value, inst))
				return false;
	return true;
}

/* Add a follower, which represents all of `sites`. False: it cannot be one. */
static bool add_test(const struct analysis *flow, struct plan_site *first,
		     const struct plan_site *site, uint32_t sites)
{
	struct representative *representative = first->followers;
	struct analysis_difference difference;

	if (site->site.space != PROBE_SPACE_GLOBAL ||
	    (representative && representative->tests == DISTANCE_TESTS) ||
	    !analysis_difference(flow, first->site.pointer, site->site.pointer,
				 LLVMGetInstructionParent(first->inst), &difference) ||
	    !is_known(&difference, first->inst))
		return false;
	if (!representative) {
		representative = pass_alloc(NULL, sizeof(*representative));
		*representative = (struct representative){.unit = first->site.unit};
		first->followers = representative;
	}
	representative->test[representative->tests++] =
		(struct distance_test){.sites = sites, .difference = difference};
	return true;
}

/* A callee may end the wave. */
static bool ends_run(LLVMValueRef inst)
{
	LLVMValueRef callee =
		LLVMIsACallInst(inst) ? LLVMIsAFunction(LLVMGetCalledValue(inst)) : NULL;

	return LLVMIsACallInst(inst) &&
	       (!callee || !LLVMGetIntrinsicID(callee) || pass_ends_wave(inst));
}

/* Can the site be counted together with others? */
static bool may_represent(const struct plan_site *site)
{
	return site->measured && !site->behind && site->site.space != PROBE_SPACE_FLAT &&
	       access_site_is_one_call(&site->site);
}

/* Find sites after this one in its block: those always counted with it, and those to test. */
static void find_followers(struct group_plan *plan, const struct analysis *flow, size_t index,
			   bool always)
{
	struct plan_site *first = &plan->site[index], *site = first;
	LLVMValueRef inst = first->inst;

	if (!may_represent(first))
		return;
	while ((inst = LLVMGetNextInstruction(inst)) && !ends_run(inst)) {
		uint32_t n = (uint32_t)(site + 1 - first);

		if (n == SITES || index + n == plan->sites)
			break;
		if (site[1].inst != inst)
			continue;
		site++;
		if (!site->measured || site->behind ||
		    !access_site_alike(&first->site, &site->site))
			continue;
		if (always && count_the_same(flow, first, site)) {
			first->also |= 1u << n;
			site->measured = false;
		} else if (!always && !((uint64_t)site->also << n >> 32) &&
			   add_test(flow, first, site, 1u << n | site->also << n)) {
			site->behind = n;
		}
	}
}

void plan_find_representatives(struct group_plan *plan, const struct analysis *flow)
{
	for (size_t i = 0; i < plan->sites; i++)
		find_followers(plan, flow, i, true);
	for (size_t i = 0; i < plan->sites; i++)
		find_followers(plan, flow, i, false);
}
