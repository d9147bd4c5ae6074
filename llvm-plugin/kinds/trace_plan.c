/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/kinds/trace_plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <llvm-c/Core.h>

#include "llvm-plugin/analysis/analysis.h"
#include "llvm-plugin/base/call_units.h"
#include "llvm-plugin/base/compile_options.h"
#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/kinds/region_marks.h"
#include "llvm-plugin/kinds/trace_scatter.h"

struct walk {
	struct trace_plan *plan;
	const struct pass_options *options;
	const struct analysis *analysis;
	bool is_optnone;
	bool open; /* may further sites join the last group? */
	size_t capacity, group_capacity;
};

static void add_site(struct walk *walk, LLVMValueRef inst, const struct access_site *site)
{
	struct trace_plan *plan = walk->plan;
	struct trace_affine *proof;

	if (plan->sites == walk->capacity) {
		walk->capacity = walk->capacity ? 2 * walk->capacity : 64;
		plan->site = pass_alloc(plan->site, walk->capacity * sizeof(*plan->site));
		plan->proof = pass_alloc(plan->proof, walk->capacity * sizeof(*plan->proof));
	}
	proof = &plan->proof[plan->sites];
	*proof = (struct trace_affine){0};
	if (walk->options->prove && !walk->is_optnone)
		trace_affine_prove(walk->analysis, inst, site->pointer, proof);
	plan->site[plan->sites++] = (struct trace_site){.inst = inst, .site = *site};
}

static struct trace_group *add_group(struct walk *walk)
{
	struct trace_plan *plan = walk->plan;

	if (plan->groups == walk->group_capacity) {
		walk->group_capacity = walk->group_capacity ? 2 * walk->group_capacity : 16;
		plan->group = pass_alloc(plan->group, walk->group_capacity * sizeof(*plan->group));
	}
	walk->open = true;
	plan->group[plan->groups] = (struct trace_group){.first = plan->sites - 1};
	return &plan->group[plan->groups++];
}

/* Set the site's base: one at a constant distance, or a new one. False: the group has too many. */
static bool find_base(const struct walk *walk, struct trace_group *group, struct trace_site *site)
{
	const struct trace_site *sites = walk->plan->site;
	int64_t distance;

	for (site->base = 0; site->base < group->bases; site->base++)
		if (analysis_distance(walk->analysis,
				      sites[group->base[site->base].first].site.pointer,
				      site->site.pointer, &distance) &&
		    distance == (int32_t)distance) {
			site->distance = (int32_t)distance;
			return true;
		}
	if (group->bases == PROBE_GROUP_BASES)
		return false;
	group->base[group->bases++] = (struct trace_base){.first = (size_t)(site - sites)};
	return true;
}

static bool is_scattered(const struct walk *walk, const struct trace_site *site,
			 const struct trace_affine *proof)
{
	return !walk->options->portable && pass_enabled(walk->options, PASS_TRACE_SCATTER) &&
	       (proof->divided || trace_is_scattered(walk->analysis, site->site.pointer));
}

/*
 * Add the last site to a group. Mixing unproved with proved addresses would require tests of all
 * addresses of the record.
 */
static void join_group(struct walk *walk)
{
	struct trace_plan *plan = walk->plan;
	struct trace_site *site = &plan->site[plan->sites - 1];
	const struct trace_affine *proof = &plan->proof[plan->sites - 1];
	struct trace_group *group = walk->open ? &plan->group[plan->groups - 1] : NULL;

	if (!group || group->sites == PROBE_GROUP_SITES || group->proved != proof->proved ||
	    !find_base(walk, group, site)) {
		group = add_group(walk);
		group->proved = proof->proved;
		find_base(walk, group, site);
	}
	group->by_argument = group->by_argument || proof->by_argument;
	if (!group->proved && !group->base[site->base].sites)
		group->scattered = group->scattered || is_scattered(walk, site, proof);
	group->base[site->base].sites++;
	group->sites++;
}

static bool ends_group(LLVMValueRef inst)
{
	return pass_is_barrier(inst) || pass_is_message(inst) || pass_ends_wave(inst) ||
	       pass_direct_callee(inst) ||
	       (LLVMIsACallInst(inst) && !LLVMIsAFunction(LLVMGetCalledValue(inst)));
}

static void walk_function(struct walk *walk, LLVMValueRef function)
{
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block)) {
		walk->open = false;
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
		     inst = LLVMGetNextInstruction(inst)) {
			struct access_site site;

			if (access_site_wanted(inst, walk->options, &site)) {
				add_site(walk, inst, &site);
				if (!walk->is_optnone)
					join_group(walk);
			} else if (ends_group(inst)) {
				walk->open = false;
			}
		}
	}
}

struct trace_plan *trace_plan_create(LLVMValueRef function, bool kernel, bool is_optnone,
				     const struct pass_options *options, void *analyses)
{
	struct trace_plan *plan = pass_alloc(NULL, sizeof(*plan));
	struct analysis *analysis = analysis_create(function, kernel, analyses);
	struct walk walk = {
		.plan = plan, .options = options, .analysis = analysis, .is_optnone = is_optnone};

	*plan = (struct trace_plan){0};
	walk_function(&walk, function);
	analysis_destroy(analysis);
	return plan;
}

void trace_plan_destroy(struct trace_plan *plan)
{
	if (!plan)
		return;
	free(plan->site);
	free(plan->proof);
	free(plan->group);
	free(plan);
}
