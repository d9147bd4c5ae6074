/* SPDX-License-Identifier: MIT */
/* Groups of proved sites; see group_plan.h. */
#include "llvm-plugin/plan/group_plan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>
#include <probe/wire_batch.h>

#include "llvm-plugin/analysis/address_class.h"
#include "llvm-plugin/plan/branch_predicates.h"
#include "llvm-plugin/plan/lane_addresses.h"
#include "llvm-plugin/plan/lane_sum_groups.h"
#include "llvm-plugin/plan/prefix_groups.h"
#include "llvm-plugin/plan/representatives.h"
#include "llvm-plugin/plan/sampled_blocks.h"
#include "llvm-plugin/base/call_units.h"
#include "llvm-plugin/base/compile_options.h"
#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/sites/access_sites.h"

static void list(struct group_plan *plan, LLVMValueRef function)
{
	size_t capacity = 0;

	for (LLVMValueRef inst = pass_first_inst(function); inst; inst = pass_next_inst(inst)) {
		struct plan_site site = {.inst = inst,
					 .group = PLAN_NONE,
					 .stream = PLAN_NONE,
					 .address = PROBE_EXPR_NONE,
					 .step = PROBE_EXPR_NONE};

		if (!access_site_wanted(inst, plan->options, &site.site))
			continue;
		if (plan->sites == capacity) {
			capacity = capacity ? 2 * capacity : 64;
			plan->site = pass_alloc(plan->site, capacity * sizeof(*plan->site));
		}
		site.proved = site.site.pointer &&
			      analysis_affine(plan->analysis, inst, site.site.pointer,
					      &site.pattern, &site.blocker);
		plan->site[plan->sites++] = site;
	}
}

/* Describe how addresses depend on the lane, for reports. */
static void describe(struct group_plan *plan)
{
	struct address_classes *classes = address_classes_create(plan->analysis);

	for (size_t i = 0; i < plan->sites; i++) {
		struct plan_site *site = &plan->site[i];

		if (!site->site.pointer)
			continue;
		site->description = pass_alloc(NULL, sizeof(*site->description));
		address_classes_add(classes, (uint32_t)i, site->inst, site->site.pointer,
				    site->proved ? &site->pattern : NULL, site->description);
	}
	address_classes_destroy(classes);
}

/* ---- Groups --------------------------------------------------------------------------------- */

static uint32_t natural_align(const struct access_site *site)
{
	return site->unit == 12 ? 16 : site->unit;
}

/* Are lanes whole dwords apart, so that it does not matter where in a dword they begin? */
static bool apart_by_dwords(const struct affine_address *pattern)
{
	int64_t all = 0;

	for (int i = 0; i < 3; i++)
		all |= pattern->stride[i].constant | pattern->stride[i].factor;
	for (unsigned i = 0; i < pattern->fields; i++)
		all |= pattern->field[i].scale;
	return all % 4 == 0;
}

/* Does the cost of an LDS access not depend on where in LDS the lanes begin? */
static bool costs_alike_in_lds(const struct plan_site *site)
{
	return site->site.align >= natural_align(&site->site) && site->site.unit != 12 &&
	       (site->site.align >= 4 || apart_by_dwords(&site->pattern));
}

/* Can the cost of the access be derived from the launch? */
static bool eligible(const struct plan_site *site)
{
	const struct affine_address *pattern = &site->pattern;
	bool lds = site->site.space == PROBE_SPACE_LDS;

	if (!site->proved || (!lds && site->site.space != PROBE_SPACE_GLOBAL))
		return false;
	if (site->site.size / site->site.unit > PLAN_UNITS)
		return false;
	if (lds && !costs_alike_in_lds(site))
		return false;
	for (int i = 0; i < 3; i++)
		if (pattern->first_is_lowest && pattern->stride[i].constant < 0)
			return false;
	for (unsigned i = 0; i < pattern->fields; i++)
		if (pattern->first_is_lowest && pattern->field[i].scale < 0)
			return false;
	return true;
}

/* Do all lanes access one aligned word? Then the cost does not depend on the address. */
static bool is_one_word(const struct plan_site *site)
{
	return affine_uniform(&site->pattern) && site->site.align >= natural_align(&site->site);
}

static int find_stream(const struct group_plan *plan, const struct plan_group *group,
		       const struct plan_site *site, int32_t *ret_delta)
{
	for (unsigned i = 0; i < group->streams; i++) {
		const struct plan_site *representative =
			&plan->site[group->stream[i].representative];
		int64_t delta;

		if (representative->site.space == site->site.space &&
		    affine_distance(plan->analysis, &representative->pattern, &site->pattern,
				    &delta) &&
		    delta == (int32_t)delta) {
			*ret_delta = (int32_t)delta;
			return (int)i;
		}
	}
	return PLAN_NONE;
}

/* A group can have one observed value only. */
static bool add_observed(struct plan_group *group, const struct affine_address *pattern)
{
	for (unsigned i = 0; i < pattern->fields; i++) {
		LLVMValueRef with = pattern->field[i].with;

		if (!with)
			continue;
		if ((group->observed && group->observed != with) || group->aligned > PLAN_OBSERVED)
			return false;
		group->observed = with;
	}
	return true;
}

/*
 * Adds what the site needs to the group: *ret_stream, at *ret_delta bytes from its first address.
 * False: it does not fit; the group may then be changed.
 */
static bool find_place(const struct group_plan *plan, struct plan_group *group, size_t index,
		       int *ret_stream, int32_t *ret_delta)
{
	const struct plan_site *site = &plan->site[index];
	bool aligned = site->site.space == PROBE_SPACE_GLOBAL && !is_one_word(site), known;

	*ret_stream = PLAN_NONE;
	*ret_delta = 0;
	if (group->sites == PLAN_SITES || !add_observed(group, &site->pattern))
		return false;
	if (is_one_word(site))
		return true;
	*ret_stream = find_stream(plan, group, site, ret_delta);
	known = *ret_stream != PLAN_NONE;
	aligned = aligned && !(known && group->stream[*ret_stream].aligned);
	if ((!known && group->streams == PLAN_STREAMS) ||
	    (aligned && group->observed && group->aligned == PLAN_OBSERVED))
		return false;
	if (!known) {
		*ret_stream = (int)group->streams++;
		group->stream[*ret_stream] = (struct plan_stream){.representative = index};
	}
	group->stream[*ret_stream].aligned |= aligned;
	group->aligned += aligned;
	return true;
}

/* Would the site keep the others of the group from being counted by sums over lanes? */
static bool differ(const struct group_plan *plan, const struct plan_group *group,
		   const struct plan_site *site)
{
	return pass_enabled(plan->options, PASS_LANE_SUMS) &&
	       !plan_lane_sum_way(&plan->site[group->first]) != !plan_lane_sum_way(site) &&
	       analysis_loop_depth(plan->analysis, group->block) &&
	       plan_data_decide(plan->analysis, group->block);
}

static bool join(struct group_plan *plan, int number, size_t index)
{
	struct plan_group group = plan->group[number];
	struct plan_site *site = &plan->site[index];

	if ((group.sites &&
	     (group.lanes_known != site->lanes_known || differ(plan, &group, site))) ||
	    !find_place(plan, &group, index, &site->stream, &site->delta)) {
		site->stream = PLAN_NONE;
		site->delta = 0;
		return false;
	}
	site->group = number;
	group.last = index;
	group.sites++;
	group.lanes_known = site->lanes_known;
	plan->group[number] = group;
	return true;
}

/* Join one of the groups in the site's block. */
static bool join_some(struct group_plan *plan, size_t index)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(plan->site[index].inst);

	for (int i = plan->groups - 1; i >= 0 && plan->group[i].block == block; i--)
		if (join(plan, i, index))
			return true;
	return false;
}

static void make_groups(struct group_plan *plan)
{
	int capacity = 0;

	for (size_t i = 0; i < plan->sites; i++) {
		LLVMBasicBlockRef here = LLVMGetInstructionParent(plan->site[i].inst);

		if (!eligible(&plan->site[i]) || join_some(plan, i))
			continue;
		if (plan->groups == capacity) {
			capacity = capacity ? 2 * capacity : 16;
			plan->group =
				pass_alloc(plan->group, (size_t)capacity * sizeof(*plan->group));
		}
		plan->group[plan->groups++] =
			(struct plan_group){.block = here, .first = i, .predicate = PLAN_NONE};
		/* Fails if the site has several observed values. */
		if (!join(plan, plan->groups - 1, i))
			plan->groups--;
	}
}

/* Can a record of a batch represent an execution of the site (batch_code.h)? */
static bool fits_batch(const struct plan_site *site, size_t index)
{
	return site->site.pointer && site->site.space == PROBE_SPACE_GLOBAL &&
	       access_site_is_one_call(&site->site) && index < PROBE_BATCH_ROWS;
}

/*
 * Batches are for measured sites in loops. If a kernel has them, they replace the execution-mask
 * histograms of loops' groups of one site, too.
 */
static void assign_batch(struct group_plan *plan)
{
	bool any = false;

	for (size_t i = 0; i < plan->sites; i++) {
		struct plan_site *site = &plan->site[i];

		site->batched =
			site->group == PLAN_NONE && fits_batch(site, i) &&
			analysis_loop_depth(plan->analysis, LLVMGetInstructionParent(site->inst));
		any |= site->batched;
	}
	if (any)
		plan->batch = reserved_assign(&plan->counters, PLAN_BATCH_SGPRS);
	for (int i = 0; plan->batch && i < plan->groups; i++) {
		struct plan_group *group = &plan->group[i];

		group->batched = group->loops && group->sites == 1 && !group->observed &&
				 fits_batch(&plan->site[group->first], group->first);
	}
}

static bool counts_by(const struct group_plan *plan, int number, enum plan_histogram kind)
{
	static const enum pass_mechanism mechanism[PLAN_HISTOGRAM_KINDS] = {
		[PLAN_BY_MASK] = PASS_MASK_HISTOGRAM,
		[PLAN_BY_RESIDUE] = PASS_LINE_HISTOGRAM,
		[PLAN_BY_PREFIX] = PASS_PREFIX_HISTOGRAM,
	};
	const struct plan_group *group = &plan->group[number];

	if (!pass_enabled(plan->options, mechanism[kind]) || group->lanes_only)
		return false;
	if (kind == PLAN_BY_PREFIX)
		return !group->lane_sums && plan->registers &&
		       plan->lane_counters < PLAN_LANE_COUNTERS &&
		       plan_counts_prefixes(plan, number);
	if (number >= PLAN_HISTOGRAMS || plan_follows_launch(group) ||
	    (kind == PLAN_BY_MASK && (group->batched || group->data_decide)))
		return false;
	return kind == PLAN_BY_MASK || (group->aligned && !group->observed);
}

uint32_t plan_histogram_rows(const struct plan_group *group, enum plan_histogram kind)
{
	return kind == PLAN_BY_MASK	 ? PROBE_BUCKET_ROWS
	       : kind == PLAN_BY_RESIDUE ? group->aligned * PROBE_RESIDUE_ROWS
					 : PROBE_PREFIX_ROWS;
}

static void number_histograms(struct group_plan *plan, uint32_t *row)
{
	for (int i = 0; i < plan->groups; i++)
		for (int kind = 0; kind < PLAN_HISTOGRAM_KINDS; kind++) {
			uint32_t *first = &plan->group[i].histogram[kind];

			*first = PROBE_ROW_NONE;
			if (!counts_by(plan, i, kind))
				continue;
			plan->lane_counters += kind == PLAN_BY_PREFIX;
			*first = *row;
			*row += plan_histogram_rows(&plan->group[i], kind);
		}
}

/*
 * Do residues change between iterations? If addresses remain multiples of 128, counting executions
 * is cheaper.
 */
static bool residues_change(const struct group_plan *plan, const struct plan_group *group)
{
	for (unsigned i = 0; i < group->streams; i++) {
		const struct plan_stream *stream = &group->stream[i];
		int64_t step;

		if (stream->aligned &&
		    analysis_loop_step(plan->analysis, group->block,
				       plan->site[stream->representative].site.pointer, &step) &&
		    step % 128)
			return true;
	}
	return false;
}

/* Two addresses use half of the lanes each. */
static void assign_lanes(struct group_plan *plan)
{
	for (int i = 0; i < plan->groups && plan->lane_counters < PLAN_LANE_COUNTERS; i++) {
		struct plan_group *group = &plan->group[i];

		group->residues_in_lanes =
			plan->registers && group->loops && !group->once && group->aligned <= 2 &&
			plan_has(group, PLAN_BY_RESIDUE) && !plan_has(group, PLAN_BY_PREFIX) &&
			residues_change(plan, group);
		plan->lane_counters += group->residues_in_lanes;
	}
}

static void assign(struct group_plan *plan, bool loops)
{
	for (int i = 0; i < plan->groups; i++) {
		struct plan_group *group = &plan->group[i];

		if (!group->lanes_only && !group->once && !group->observed &&
		    !group->residues_in_lanes && group->loops == loops)
			group->sgpr = reserved_assign(&plan->counters, 1);
	}
}

bool plan_counts_in_registers(const struct group_plan *plan)
{
	unsigned others = plan->batch ? PLAN_BATCH_SGPRS : plan->sample ? PLAN_SAMPLE_SGPRS : 0;

	return plan->counters.assigned > others;
}

/*
 * Groups that execute at most once are counted in registers only if registers are stored at the
 * wave's end anyway.
 */
static void assign_counters(struct group_plan *plan)
{
	assign(plan, true);
	if (plan_counts_in_registers(plan))
		assign(plan, false);
}

static bool all_in_lds(const struct group_plan *plan, const struct plan_group *group)
{
	const struct plan_group *groups = plan->group;

	for (size_t i = group->first; i <= group->last; i++)
		if (plan->site[i].group == group - groups &&
		    plan->site[i].site.space != PROBE_SPACE_LDS)
			return false;
	return true;
}

/* How often does a group's block execute, and which loops and conditions surround it? */
static void describe_block(struct group_plan *plan, struct plan_group *group, LLVMValueRef function,
			   bool once)
{
	group->loops = analysis_loop_depth(plan->analysis, group->block);
	group->data_decide = group->loops && all_in_lds(plan, group) &&
			     plan_data_decide(plan->analysis, group->block);
	group->once =
		once && plan_executes_once(plan, function, group->block, 0, &group->predicate);
	if (group->lanes_known && group->loops)
		group->iterates =
			plan_is_enumerated(plan, function, group->block, &group->predicate);
}

static void find_groups(struct group_plan *plan, LLVMValueRef function, bool once)
{
	if (once && pass_enabled(plan->options, PASS_LANE_ADDRESSES))
		plan_find_lane_addresses(plan, function);
	make_groups(plan);
	plan_group_lane_addresses(plan);
	for (int i = 0; i < plan->groups; i++)
		describe_block(plan, &plan->group[i], function, once);
}

/* Rows behind those of the sites; returns the first one that is free. */
static uint32_t number_rows(struct group_plan *plan, uint32_t row)
{
	for (int i = 0; i < plan->predicates; i++)
		plan->predicate[i].row = row++;
	for (int i = 0; i < plan->groups; i++)
		plan->group[i].row = row++;
	return row;
}

/* What is counted in which rows and registers. */
static void assign_rows(struct group_plan *plan)
{
	const struct pass_options *options = plan->options;
	uint32_t behind = plan->first_site + (uint32_t)plan->sites;
	uint32_t row = number_rows(plan, behind);

	if (plan->registers && options->measured_every > 1)
		plan_find_sampled_blocks(plan, &row);
	else if (plan->registers && pass_enabled(options, PASS_BATCHES))
		assign_batch(plan);
	if (plan->registers && options->measured_every <= 1 &&
	    pass_enabled(options, PASS_LANE_SUMS))
		plan_assign_lane_sums(plan);
	number_histograms(plan, &row);
	plan->rows = row - behind;
	if (pass_enabled(options, PASS_RESIDUE_LANES))
		assign_lanes(plan);
	if (plan->registers && pass_enabled(options, PASS_RUN_COUNTERS))
		assign_counters(plan);
}

static struct analysis *analyse(LLVMValueRef function, const struct call_unit *unit,
				const struct pass_options *options, void *analyses)
{
	struct analysis *in = analysis_create(function, unit->kernel, analyses);

	analysis_set_original(in, unit->original);
	analysis_trust_launch(in);
	if (!pass_enabled(options, PASS_BIT_FIELDS))
		analysis_forbid_fields(in);
	if (!pass_enabled(options, PASS_ITERATIONS))
		analysis_forbid_iterations(in);
	return in;
}

struct group_plan *group_plan_create(const struct call_unit *unit,
				     const struct pass_options *options, struct expr_graph *exprs,
				     void *analyses)
{
	struct group_plan *plan = pass_alloc(NULL, sizeof(*plan));
	LLVMValueRef function = unit->base;
	bool memory = options->kinds & 1u << PROBE_KIND_MEMORY &&
		      !pass_is_optnone(unit->original, options);
	bool once = unit->kernel && !pass_may_end_early(function);

	*plan = (struct group_plan){
		.options = options,
		.analysis = analyse(function, unit, options, analyses),
		.exprs = exprs,
		.first_site = unit->first_site,
		.registers = once && memory && !options->portable &&
			     !reserved_named(function, RESERVED_GROUPS),
		.counters = {.use = RESERVED_GROUPS},
	};
	plan->loops_diverge = plan_loops_diverge(plan->analysis, function);
	list(plan, function);
	if (memory && options->prove)
		find_groups(plan, function, once);
	if (pass_enabled(options, PASS_LAUNCH_ADDRESSES))
		plan_find_launch_addresses(plan);
	assign_rows(plan);
	for (size_t i = 0; i < plan->sites; i++)
		plan->site[i].measured = plan->site[i].group == PLAN_NONE;
	if (memory && pass_enabled(options, PASS_LEADERS) && !options->portable)
		plan_find_representatives(plan, plan->analysis);
	describe(plan);
	analysis_destroy(plan->analysis);
	plan->analysis = NULL;
	return plan;
}

void plan_drop_counters(struct group_plan *plan)
{
	for (int i = 0; i < plan->groups; i++) {
		plan->group[i].sgpr = 0;
		plan->group[i].lane_sums = 0;
		plan->group[i].histogram[PLAN_BY_PREFIX] = PROBE_ROW_NONE;
		plan->group[i].residues_in_lanes = false;
	}
	for (size_t i = 0; i < plan->sampled_blocks; i++)
		plan->sampled[i].sgpr = 0;
	/* They were assigned first, and nothing is added up from them. */
	plan->counters.assigned = plan->sample ? PLAN_SAMPLE_SGPRS : 0;
	plan->batch = 0;
	plan->lane_counters = 0;
	plan->registers = false;
}

void group_plan_destroy(struct group_plan *plan)
{
	if (!plan)
		return;
	for (size_t i = 0; i < plan->sites; i++) {
		free(plan->site[i].followers);
		free(plan->site[i].description);
	}
	free(plan->site);
	free(plan->sampled);
	free(plan->group);
	free(plan->predicate);
	free(plan);
}
