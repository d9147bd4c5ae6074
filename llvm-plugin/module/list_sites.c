/* SPDX-License-Identifier: MIT */
/* What a unit's sites and rows are in the site table, and, on request, in the compiler's output. */
#include "llvm-plugin/module/list_sites.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

#include "llvm-plugin/kinds/count_clone.h"
#include "llvm-plugin/plan/group_plan.h"
#include "llvm-plugin/plan/sampled_blocks.h"
#include "llvm-plugin/base/call_units.h"
#include "llvm-plugin/base/compile_options.h"
#include "llvm-plugin/sites/access_sites.h"
#include "llvm-plugin/sites/table_builder.h"

static void print_stride(const struct affine_stride *stride)
{
	fprintf(stderr, "%+lld", (long long)stride->constant);
	if (stride->factor)
		fprintf(stderr, "%+lld*%s%u@%u", (long long)stride->factor,
			stride->bits & PROBE_STRIDE_LAUNCH ? "launch" : "arg", stride->bits & 0xff,
			stride->offset);
}

/* Print the instruction at which a proof failed. */
static void print_blocker(LLVMValueRef blocker)
{
	char *text;

	fprintf(stderr, " measured");
	if (blocker) {
		text = LLVMPrintValueToString(blocker);
		fprintf(stderr, ": lanes may differ in%s%.*s", *text == ' ' ? "" : " ",
			(int)strcspn(text, "\n"), text);
		LLVMDisposeMessage(text);
	}
	fprintf(stderr, "\n");
}

static void print_field(const struct affine_address *proof, const struct affine_field *field)
{
	fprintf(stderr, " %+lld*%s(+1*%c)>>%u", (long long)field->scale,
		field->with ? "and" : "bits", 'x' + field->axis, field->shift);
	if (field->mask != UINT32_MAX)
		fprintf(stderr, "&%u", field->mask);
	if (field->multiplier) {
		fprintf(stderr, "*(");
		print_stride(&proof->stride[field->multiplier - 1]);
		fprintf(stderr, ")");
	}
}

static bool is_multiplier(const struct affine_address *proof, int stride)
{
	for (unsigned i = 0; i < proof->fields; i++)
		if (proof->field[i].multiplier == stride + 1)
			return true;
	return false;
}

static void print_strides(const struct affine_address *proof)
{
	for (int i = 0; i < 3; i++) {
		const struct affine_stride *stride = &proof->stride[i];

		if ((!stride->constant && !stride->factor) || is_multiplier(proof, i))
			continue;
		fprintf(stderr, " ");
		print_stride(stride);
		fprintf(stderr, "*%c", 'x' + i);
	}
}

static void print_pattern(const struct plan_site *site)
{
	const struct affine_address *proof = &site->pattern;

	fprintf(stderr, " U");
	print_strides(proof);
	for (unsigned i = 0; i < proof->fields; i++)
		print_field(proof, &proof->field[i]);
	fprintf(stderr, ", wraps %u%s", proof->wrap_count,
		proof->first_is_lowest ? ", first lane lowest" : "");
	if (proof->aligned_count)
		fprintf(stderr, ", aligned %u", proof->aligned_count);
	fprintf(stderr, "%s\n", site->group == PLAN_NONE ? ", measured" : "");
}

static void print_proof(const struct call_unit *unit, uint32_t id, const struct plan_site *site)
{
	size_t size;
	const char *name = LLVMGetValueName2(unit->original, &size);

	fprintf(stderr, "probe: site %u of %.*s:", id, (int)size, name);
	if (site->proved)
		print_pattern(site);
	else
		print_blocker(site->blocker);
	if (site->lanes_known)
		fprintf(stderr,
			"probe: site %u of %.*s: not measured in launches of up to 16384 waves\n",
			id, (int)size, name);
}

static struct probe_site_stride stride_of(const struct affine_stride *from)
{
	struct probe_site_stride to = {.constant = from->constant, .factor = from->factor};

	if (from->factor) {
		to.offset = from->offset;
		to.bits = from->bits;
	}
	return to;
}

/* Index of a stream among the aligned ones, whose addresses are tested. */
static unsigned aligned_index(const struct plan_group *group, int stream)
{
	unsigned index = 0;

	for (int i = 0; i < stream; i++)
		index += group->stream[i].aligned;
	return index;
}

static void set_bitfields(const struct plan_site *site, struct probe_site_proof *ret)
{
	for (unsigned i = 0; i < site->pattern.fields; i++) {
		const struct affine_field *from = &site->pattern.field[i];

		ret->bitfield[i] = (struct probe_site_bitfield){
			.scale = from->scale,
			.mask = from->mask,
			.axis = from->axis,
			.shift = from->shift,
			.observed = from->with != NULL,
			.multiplier = from->multiplier,
		};
	}
}

static const struct probe_site_proof no_proof = {
	.group = PROBE_ROW_NONE,
	.base = PROBE_EXPR_NONE,
	.lanes = PROBE_EXPR_NONE,
	.step = PROBE_EXPR_NONE,
};

static void list_proof(const struct group_plan *plan, const struct plan_site *site,
		       struct site_table *table)
{
	struct probe_site_proof proof = no_proof;
	const struct sampled_block *sampled;

	/* Strides of no id mean something with the bit fields only. */
	for (int i = 0; i < 3; i++)
		if (site->group != PLAN_NONE || !is_multiplier(&site->pattern, i))
			proof.stride[i] = stride_of(&site->pattern.stride[i]);
	sampled = plan_sampled_block(plan, site);
	if (sampled)
		proof.group = sampled->row;
	if (site->group != PLAN_NONE) {
		const struct plan_group *group = &plan->group[site->group];

		proof.group = group->row;
		set_bitfields(site, &proof);
		proof.delta = site->delta;
		proof.first_is_lowest = site->pattern.first_is_lowest;
		if (site->stream != PLAN_NONE && group->stream[site->stream].aligned) {
			proof.aligned = 1;
			proof.address = (uint8_t)aligned_index(group, site->stream);
			if (group->follows_launch)
				proof.base = group->stream[site->stream].base;
		}
	}
	if (site->lanes_known) {
		proof.lanes = plan->site[site->representative].address;
		proof.step = plan->site[site->representative].step;
		proof.stepped = (uint8_t)plan->site[site->representative].stepped;
		proof.distance = site->distance;
	}
	site_table_set_proof(table, &proof);
}

/* Add a row of counters without a site; `inst` gives its source location. */
static void list_row(struct site_table *table, LLVMValueRef inst, const struct call_unit *unit,
		     enum probe_access_kind access)
{
	struct access_site site = {
		.access = access,
		.space = PROBE_SPACE_GLOBAL,
		.size = 4,
		.unit = 4,
		.align = 4,
	};

	site_table_add_site(table, inst, &site, unit->original, 1u << PROBE_KIND_MEMORY);
	site_table_set_proof(table, &no_proof);
}

static uint32_t predicate_row(const struct group_plan *plan, int predicate)
{
	return predicate == PLAN_NONE ? PROBE_ROW_NONE : plan->predicate[predicate].row;
}

static void list_predicate(struct site_table *table, const struct call_unit *unit,
			   const struct group_plan *plan, const struct branch_predicate *predicate)
{
	const struct probe_site_predicate entry = {
		.row = predicate->row,
		.parent = predicate_row(plan, predicate->parent),
		.condition = predicate->condition,
		.loop = predicate->loop,
	};

	list_row(table, LLVMGetBasicBlockTerminator(predicate->from), unit,
		 PROBE_ACCESS_COUNTED_ROW);
	site_table_add_predicate(table, &entry);
}

static uint32_t sampled_flags(const struct group_plan *plan)
{
	return plan->sample ? PROBE_GROUP_SAMPLED | plan->options->measured_every
							    << PROBE_GROUP_EVERY_SHIFT
			    : 0;
}

static void list_group(struct site_table *table, const struct call_unit *unit,
		       const struct group_plan *plan, const struct plan_group *group)
{
	const struct probe_site_group entry = {
		.row = group->row,
		.parent = predicate_row(plan, group->predicate),
		.flags = (group->once ? PROBE_GROUP_ONCE : 0) |
			 (group->follows_launch ? PROBE_GROUP_LAUNCH : 0) |
			 (group->lanes_known && !plan_follows_launch(group) ? PROBE_GROUP_LANES
									    : 0) |
			 (group->lanes_only ? PROBE_GROUP_LANES_ONLY : 0) |
			 (group->iterates ? PROBE_GROUP_LOOP : 0) | sampled_flags(plan),
		.mask_rows = group->histogram[PLAN_BY_MASK],
		.residue_rows = group->histogram[PLAN_BY_RESIDUE],
		.prefix_rows = group->histogram[PLAN_BY_PREFIX],
	};

	list_row(table, plan->site[group->first].inst, unit, PROBE_ACCESS_COUNTED_ROW);
	site_table_add_group(table, &entry);
}

static void list_sampled(struct site_table *table, const struct call_unit *unit,
			 const struct group_plan *plan, const struct sampled_block *block)
{
	const struct probe_site_group entry = {
		.row = block->row,
		.parent = PROBE_ROW_NONE,
		.flags = sampled_flags(plan),
		.mask_rows = PROBE_ROW_NONE,
		.residue_rows = PROBE_ROW_NONE,
		.prefix_rows = PROBE_ROW_NONE,
	};

	list_row(table, plan->site[block->first].inst, unit, PROBE_ACCESS_COUNTED_ROW);
	site_table_add_group(table, &entry);
}

static void list_histogram(struct site_table *table, const struct group_plan *plan,
			   const struct plan_group *group, enum plan_histogram kind,
			   const struct call_unit *unit)
{
	uint32_t rows = plan_has(group, kind) ? plan_histogram_rows(group, kind) : 0;

	for (uint32_t i = 0; i < rows; i++)
		list_row(table, plan->site[group->first].inst, unit, PROBE_ACCESS_MEASURED_ROW);
}

static void list_sites(struct call_unit *unit, struct site_table *table,
		       const struct pass_options *options, void *analyses)
{
	const struct group_plan *plan;

	unit->first_site = site_table_sites(table);
	plan = unit->plan = group_plan_create(unit, options, &table->exprs, analyses);
	for (size_t i = 0; i < plan->sites; i++) {
		const struct plan_site *site = &plan->site[i];

		unit->proved += site->proved;
		unit->counted += site->group != PLAN_NONE;
		if (options->verbose > 1)
			print_proof(unit, site_table_sites(table), site);
		site_table_add_site(table, site->inst, &site->site, unit->original,
				    options->kinds & ~(1u << PROBE_KIND_COUNT));
		if (site->description)
			site_table_set_address(table, site->description, unit->first_site);
		list_proof(plan, site, table);
	}
	for (int i = 0; i < plan->predicates; i++)
		list_predicate(table, unit, plan, &plan->predicate[i]);
	for (int i = 0; i < plan->groups; i++)
		list_group(table, unit, plan, &plan->group[i]);
	for (size_t i = 0; i < plan->sampled_blocks; i++)
		list_sampled(table, unit, plan, &plan->sampled[i]);
	for (int i = 0; i < plan->groups; i++)
		for (int kind = 0; kind < PLAN_HISTOGRAM_KINDS; kind++)
			list_histogram(table, plan, &plan->group[i], kind, unit);
	unit->rows = plan->rows;
	unit->site_count = site_table_sites(table) - unit->first_site;
}

void list_unit(struct call_unit *unit, LLVMModuleRef module, struct site_table *table,
	       const struct pass_options *options, void *analyses)
{
	unit->range_first = site_table_sites(table);
	if (options->kinds & ~(1u << PROBE_KIND_COUNT))
		list_sites(unit, table, options, analyses);
	if (options->kinds & 1u << PROBE_KIND_COUNT)
		count_list(unit, module, table, options, analyses);
	unit->range_end = site_table_sites(table);
}
