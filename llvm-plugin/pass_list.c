/* SPDX-License-Identifier: MIT */
/* What a unit's sites and rows are in the site table, and, on request, in the compiler's output. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pass.h"
#include "pass_plan.h"
#include "pass_shim.h"

static void print_stride(const struct affine_stride *stride, char id)
{
	if (stride->constant || stride->factor)
		fprintf(stderr, " %+lld", (long long)stride->constant);
	if (stride->factor)
		fprintf(stderr, "%+lld*%s%u@%u", (long long)stride->factor,
			stride->bits & PROBE_STRIDE_LAUNCH ? "launch" : "arg", stride->bits & 0xff,
			stride->offset);
	if (stride->constant || stride->factor)
		fprintf(stderr, "*%c", id);
}

/* The instruction, as LLVM writes it, that a proof failed at. */
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

static void print_field(const struct affine_field *field)
{
	fprintf(stderr, " %+lld*%s(+1*%c)>>%u", (long long)field->times,
		field->with ? "and" : "bits", 'x' + field->axis, field->shift);
	if (field->mask != UINT32_MAX)
		fprintf(stderr, "&%u", field->mask);
}

static void print_proof(const struct pass_unit *unit, uint32_t id, const struct plan_site *site)
{
	const struct affine_address *proof = &site->pattern;
	size_t size;
	const char *name = LLVMGetValueName2(unit->original, &size);

	fprintf(stderr, "probe: site %u of %.*s:", id, (int)size, name);
	if (!site->proved) {
		print_blocker(site->blocker);
		return;
	}
	fprintf(stderr, " U");
	for (int i = 0; i < 3; i++)
		print_stride(&proof->stride[i], (char)('x' + i));
	for (unsigned i = 0; i < proof->fields; i++)
		print_field(&proof->field[i]);
	fprintf(stderr, ", wraps %u%s", proof->wrap_count, proof->rising ? " rising" : "");
	fprintf(stderr, "%s\n", site->group == PLAN_NONE ? ", measured" : "");
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

/* Number of a stream among those that are tested. */
static unsigned tested_index(const struct plan_group *group, int stream)
{
	unsigned index = 0;

	for (int i = 0; i < stream; i++)
		index += group->stream[i].aligned;
	return index;
}

static void put_digits(const struct plan_site *site, struct probe_site_proof *ret)
{
	for (unsigned i = 0; i < site->pattern.fields; i++) {
		const struct affine_field *from = &site->pattern.field[i];

		ret->bitfield[i] = (struct probe_site_bitfield){
			.times = from->times,
			.mask = from->mask,
			.axis = from->axis,
			.shift = from->shift,
			.observed = from->with != NULL,
		};
	}
}

static void list_proof(const struct pass_plan *plan, const struct plan_site *site,
		       struct pass_table *table)
{
	struct probe_site_proof proof = {.group = PROBE_ROW_NONE};

	for (int i = 0; i < 3; i++)
		proof.stride[i] = stride_of(&site->pattern.stride[i]);
	if (site->group != PLAN_NONE) {
		const struct plan_group *group = &plan->group[site->group];

		proof.group = group->row;
		put_digits(site, &proof);
		proof.delta = site->delta;
		proof.rising = site->pattern.rising;
		if (site->stream != PLAN_NONE && group->stream[site->stream].aligned) {
			proof.aligned = 1;
			proof.address = (uint8_t)tested_index(group, site->stream);
		}
	}
	pass_table_set_proof(table, &proof);
}

/* A row of counters that belongs to no site of its own; `inst` says where it is. */
static void list_row(struct pass_table *table, LLVMValueRef inst, const struct pass_unit *unit,
		     enum probe_access_kind access)
{
	const struct probe_site_proof none = {.group = PROBE_ROW_NONE};
	struct pass_site site = {
		.access = access,
		.space = PROBE_SPACE_GLOBAL,
		.size = 4,
		.unit = 4,
		.align = 4,
	};

	pass_table_add_site(table, inst, &site, unit->original, 1u << PROBE_KIND_MEMORY);
	pass_table_set_proof(table, &none);
}

static uint32_t guard_row(const struct pass_plan *plan, int guard)
{
	return guard == PLAN_NONE ? PROBE_ROW_NONE : plan->guard[guard].row;
}

static void list_guard(struct pass_table *table, const struct pass_unit *unit,
		       const struct pass_plan *plan, const struct plan_guard *guard)
{
	const struct probe_site_predicate entry = {
		.row = guard->row,
		.parent = guard_row(plan, guard->parent),
		.launch = guard->base != NULL,
	};

	list_row(table, LLVMGetBasicBlockTerminator(guard->from), unit, PROBE_ACCESS_COUNTED);
	pass_table_add_predicate(table, &entry);
}

static void list_group(struct pass_table *table, const struct pass_unit *unit,
		       const struct pass_plan *plan, const struct plan_group *group)
{
	const struct probe_site_group entry = {
		.row = group->row,
		.parent = guard_row(plan, group->guard),
		.flags = (group->once ? PROBE_GROUP_ONCE : 0) |
			 (group->launched ? PROBE_GROUP_LAUNCH : 0) |
			 (group->exact && !pass_plan_is_free(group) ? PROBE_GROUP_LANES : 0) |
			 (group->alone ? PROBE_GROUP_LANES_ONLY : 0),
		.mask_rows = group->cells,
		.residue_rows = group->bins,
		.prefix_rows = group->heads,
	};

	list_row(table, plan->site[group->first].inst, unit, PROBE_ACCESS_COUNTED);
	pass_table_add_group(table, &entry);
}

static void list_base(struct pass_table *table, const struct launch_expr *base, uint32_t row,
		      unsigned index)
{
	struct probe_expr_op of = {
		.code = PROBE_EXPR_OF,
		.bits = 64,
		.index = (uint16_t)index,
		.value = row,
	};

	pass_table_add_expr(table, &of, 1);
	pass_table_add_expr(table, base->op, base->ops);
}

/* Of a site, lane by lane. */
static void list_lanes(struct pass_table *table, const struct pass_plan *plan, size_t index)
{
	const struct plan_site *site = &plan->site[index];
	uint32_t id = plan->first_site + (uint32_t)index;
	struct launch_expr beside = {
		.op = {{
			.code = PROBE_EXPR_BESIDE,
			.bits = 64,
			.offset = plan->first_site + (uint32_t)site->lead,
			.value = site->beside,
		}},
		.ops = 1,
	};

	list_base(table, site->lanes ? site->lanes : &beside, id, 0);
}

static void list_bases(struct pass_table *table, const struct pass_plan *plan)
{
	for (size_t i = 0; i < plan->sites; i++)
		if (plan->site[i].lanes ||
		    (plan->site[i].exact && !pass_plan_is_free(&plan->group[plan->site[i].group])))
			list_lanes(table, plan, i);
	for (int i = 0; i < plan->guards; i++)
		if (plan->guard[i].base)
			list_base(table, plan->guard[i].base, plan->guard[i].row, 0);
	for (int i = 0; i < plan->groups; i++) {
		const struct plan_group *group = &plan->group[i];

		for (unsigned k = 0; k < group->streams && group->launched; k++)
			if (group->stream[k].aligned)
				list_base(table, group->stream[k].base, group->row,
					  tested_index(group, (int)k));
	}
}

static unsigned cell_rows(const struct plan_group *group)
{
	if (group->cells == PROBE_ROW_NONE)
		return 0;
	return PROBE_CELL_ROWS +
	       (group->bins == PROBE_ROW_NONE ? 0 : group->aligned * PROBE_BIN_ROWS);
}

static void list_rows(struct pass_table *table, const struct pass_plan *plan, int group,
		      unsigned count, const struct pass_unit *unit)
{
	for (unsigned i = 0; i < count; i++)
		list_row(table, plan->site[plan->group[group].first].inst, unit,
			 PROBE_ACCESS_SHARED);
}

static void list_sites(struct pass_unit *unit, struct pass_table *table,
		       const struct pass_options *options, void *analyses)
{
	struct pass_plan plan;

	unit->first_site = pass_table_sites(table);
	pass_plan_init(&plan, unit, unit->base, options, unit->first_site, analyses);
	for (size_t i = 0; i < plan.sites; i++) {
		const struct plan_site *site = &plan.site[i];

		unit->proved += site->proved;
		unit->counted += site->group != PLAN_NONE;
		if (options->verbose > 1)
			print_proof(unit, pass_table_sites(table), site);
		pass_table_add_site(table, site->inst, &site->site, unit->original,
				    options->kinds & ~(1u << PROBE_KIND_COUNT));
		list_proof(&plan, site, table);
	}
	for (int i = 0; i < plan.guards; i++)
		list_guard(table, unit, &plan, &plan.guard[i]);
	for (int i = 0; i < plan.groups; i++)
		list_group(table, unit, &plan, &plan.group[i]);
	for (int i = 0; i < plan.groups; i++)
		list_rows(table, &plan, i, cell_rows(&plan.group[i]), unit);
	for (int i = 0; i < plan.groups; i++) {
		if (plan.group[i].heads != PROBE_ROW_NONE)
			list_rows(table, &plan, i, PROBE_HEAD_ROWS, unit);
	}
	list_bases(table, &plan);
	unit->rows = plan.rows;
	unit->site_count = pass_table_sites(table) - unit->first_site;
	pass_plan_deinit(&plan);
}

void pass_list_unit(struct pass_unit *unit, LLVMModuleRef module, struct pass_table *table,
		    const struct pass_options *options, void *analyses)
{
	unit->range_first = pass_table_sites(table);
	if (options->kinds & ~(1u << PROBE_KIND_COUNT))
		list_sites(unit, table, options, analyses);
	if (options->kinds & 1u << PROBE_KIND_COUNT)
		pass_count_list(unit, module, table, options, analyses);
	unit->range_end = pass_table_sites(table);
}
