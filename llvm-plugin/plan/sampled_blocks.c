/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/plan/sampled_blocks.h"

#include <stdbool.h>

#include "llvm-plugin/analysis/analysis.h"
#include "llvm-plugin/plan/group_plan.h"
#include "llvm-plugin/base/ir_helpers.h"

static void assign(struct group_plan *plan, bool loops)
{
	for (size_t i = 0; i < plan->sampled_blocks; i++) {
		struct sampled_block *block = &plan->sampled[i];

		if ((analysis_loop_depth(plan->analysis, block->block) > 0) == loops)
			block->sgpr = reserved_assign(&plan->counters, 2);
	}
}

void plan_find_sampled_blocks(struct group_plan *plan, uint32_t *row)
{
	bool loops = false;

	for (size_t i = 0; i < plan->sites; i++) {
		LLVMBasicBlockRef block = LLVMGetInstructionParent(plan->site[i].inst);
		size_t count = plan->sampled_blocks;

		if (plan->site[i].group != PLAN_NONE ||
		    (count && plan->sampled[count - 1].block == block))
			continue;
		plan->sampled = pass_alloc(plan->sampled, (count + 1) * sizeof(*plan->sampled));
		plan->sampled[plan->sampled_blocks++] =
			(struct sampled_block){.block = block, .row = (*row)++, .first = i};
	}
	/* Groups in loops are measured often where lanes leave the loop or data decide. */
	for (int i = 0; i < plan->groups; i++)
		loops |= plan->group[i].loops && !plan_follows_launch(&plan->group[i]);
	if (!plan->sampled_blocks && !loops)
		return;
	plan->sample = reserved_assign(&plan->counters, PLAN_SAMPLE_SGPRS);
	assign(plan, true);
	assign(plan, false);
}

const struct sampled_block *plan_sampled_block(const struct group_plan *plan,
					       const struct plan_site *site)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(site->inst);

	for (size_t i = 0; site->group == PLAN_NONE && i < plan->sampled_blocks; i++)
		if (plan->sampled[i].block == block)
			return &plan->sampled[i];
	return NULL;
}
