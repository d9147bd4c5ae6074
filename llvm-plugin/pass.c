/* SPDX-License-Identifier: MIT */
/* One run of the pass over one module. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pass.h"
#include "pass_plan.h"
#include "pass_shim.h"

static bool report(LLVMModuleRef module, char *text)
{
	char *line = pass_format("probe: %s", text);

	probe_shim_error(module, line);
	free(line);
	free(text);
	return false;
}

/* The table of a module without probes says so, so that reports can. */
static void refuse(const struct pass_units *units, LLVMModuleRef module)
{
	struct pass_table table;

	pass_table_init(&table);
	for (size_t i = 0; i < units->count; i++) {
		LLVMValueRef original = units->unit[i].original;

		if (!units->unit[i].kernel)
			continue;
		pass_table_add_kernel(&table, &units->unit[i], 0);
		pass_table_add_uncovered(&table,
					 LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(original)),
					 original, PROBE_UNCOVERED_TARGET, "kernel");
	}
	pass_marks_remove(module);
	pass_table_emit(&table, module);
	pass_table_deinit(&table);
}

/*
 * Is there something to probe? In a kernel without accesses nobody asks for its barriers; a
 * function's are its callers'.
 */
static bool has_sites(LLVMValueRef function, bool kernel, const struct pass_options *options)
{
	struct pass_site site;

	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
		     inst = LLVMGetNextInstruction(inst))
			if (pass_site_wanted(inst, options, &site) || pass_is_message(inst) ||
			    (pass_site_read(inst, &site) == PASS_ACCESS_LOWERED &&
			     pass_in_scope(inst, options)) ||
			    (!kernel && pass_is_barrier(inst)))
				return true;
	return false;
}

/* Visit each unit a unit calls; true if a visit changed something. */
static bool each_callee(const struct pass_units *units, struct pass_unit *unit,
			bool (*visit)(struct pass_unit *unit, const struct pass_unit *callee))
{
	bool changed = false;

	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(unit->original); block;
	     block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
		     inst = LLVMGetNextInstruction(inst)) {
			struct pass_unit *callee = pass_units_find(units, pass_direct_callee(inst));

			if (callee && callee != unit)
				changed |= visit(unit, callee);
		}
	return changed;
}

static bool inherit_probed(struct pass_unit *unit, const struct pass_unit *callee)
{
	bool changed = callee->probed && !unit->probed;

	unit->probed |= callee->probed;
	return changed;
}

static bool inherit_range(struct pass_unit *unit, const struct pass_unit *callee)
{
	struct pass_unit old = *unit;

	if (callee->range_first == callee->range_end)
		return false;
	if (old.range_first == old.range_end || callee->range_first < old.range_first)
		unit->range_first = callee->range_first;
	if (old.range_first == old.range_end || callee->range_end > old.range_end)
		unit->range_end = callee->range_end;
	return unit->range_first != old.range_first || unit->range_end != old.range_end;
}

/* Both run until nothing changes: once is enough without recursion, callees come first. */
static void mark_probed(struct pass_units *units, const struct pass_options *options)
{
	bool changed;

	for (size_t i = 0; i < units->count; i++)
		units->unit[i].probed =
			has_sites(units->unit[i].original, units->unit[i].kernel, options);
	do {
		changed = false;
		for (size_t i = 0; i < units->count; i++)
			changed |= each_callee(units, &units->unit[i], inherit_probed);
	} while (changed);
}

static void spread_ranges(struct pass_units *units)
{
	bool changed;

	do {
		changed = false;
		for (size_t i = 0; i < units->count; i++)
			changed |= each_callee(units, &units->unit[i], inherit_range);
	} while (changed);
}

static void print_stride(const struct pass_stride *stride, uint32_t site, char id)
{
	bool reckoned = stride->bits & PROBE_STRIDE_RECKONED;

	if (stride->constant || stride->factor)
		fprintf(stderr, " %+lld", (long long)stride->constant);
	if (stride->factor)
		fprintf(stderr, "%+lld*%s%u@%u", (long long)stride->factor,
			stride->bits & PROBE_STRIDE_LAUNCH ? "launch"
			: reckoned			   ? "number"
							   : "arg",
			stride->bits & 0xff,
			reckoned ? 3 * site + (uint32_t)(id - 'x') : stride->offset);
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

static void print_digit(const struct pass_digit *digit)
{
	static const char *const names[PROBE_DIGIT_OPS] = {"bits", "and", "add",
							   "min",  "max", "mod"};

	fprintf(stderr, " %+lld*%s(", (long long)digit->times, names[digit->op]);
	for (int i = 0; i < 3; i++)
		if (digit->inner[i])
			fprintf(stderr, "%+d*%c", digit->inner[i], 'x' + i);
	fprintf(stderr, ")>>%u", digit->shift);
	if (digit->mask != UINT32_MAX)
		fprintf(stderr, "&%u", digit->mask);
}

static void print_proof(const struct pass_unit *unit, uint32_t id, const struct plan_site *site)
{
	const struct pass_pattern *proof = &site->pattern;
	size_t size;
	const char *name = LLVMGetValueName2(unit->original, &size);

	fprintf(stderr, "probe: site %u of %.*s:", id, (int)size, name);
	if (!site->proved) {
		print_blocker(site->blocker);
		return;
	}
	fprintf(stderr, " U");
	for (int i = 0; i < 3; i++)
		print_stride(&proof->stride[i], id, (char)('x' + i));
	for (unsigned i = 0; i < proof->digits; i++)
		print_digit(&proof->digit[i]);
	fprintf(stderr, ", wraps %u%s", proof->wrap_count, proof->rising ? " rising" : "");
	if (proof->guesses)
		fprintf(stderr, ", guesses %u", proof->guesses);
	fprintf(stderr, "%s\n", site->group == PLAN_NONE ? ", measured" : "");
}

static void put_stride(const struct pass_stride *from, const struct pass_base *base,
		       struct pass_table *table, struct probe_site_stride *to)
{
	const struct probe_base_op of = {
		.code = PROBE_BASE_OF, .bits = 64, .value = PROBE_ROW_NONE};

	*to = (struct probe_site_stride){.constant = from->constant};
	if (!from->factor)
		return;
	to->factor = from->factor;
	to->offset = from->offset;
	to->bits = from->bits;
	if (!base)
		return;
	pass_table_add_base(table, &of, 1);
	to->offset = pass_table_add_base(table, base->op, base->ops);
}

/* Number of a stream among those that are tested. */
static unsigned tested_index(const struct plan_group *group, int stream)
{
	unsigned index = 0;

	for (int i = 0; i < stream; i++)
		index += group->stream[i].aligned;
	return index;
}

static void put_digits(const struct plan_site *site, const struct plan_group *group,
		       struct probe_site_proof *ret)
{
	for (unsigned i = 0; i < site->pattern.digits; i++) {
		const struct pass_digit *from = &site->pattern.digit[i];
		int number = pass_plan_number(group, from);

		ret->digit[i] = (struct probe_site_digit){
			.times = from->times,
			.mask = from->mask,
			.shift = from->shift,
			.op = from->op,
			.with = (uint8_t)(number == PLAN_NONE ? 0 : number),
		};
		memcpy(ret->digit[i].inner, from->inner, sizeof(from->inner));
	}
}

static void list_proof(const struct pass_plan *plan, const struct plan_site *site,
		       struct pass_table *table)
{
	struct probe_site_proof proof = {.group = PROBE_ROW_NONE, .shared = PROBE_ROW_NONE};

	for (int i = 0; i < 3; i++)
		put_stride(&site->pattern.stride[i], site->base[i], table, &proof.stride[i]);
	if (site->group != PLAN_NONE) {
		const struct plan_group *group = &plan->group[site->group];

		proof.group = group->row;
		put_digits(site, group, &proof);
		proof.delta = site->delta;
		if (group->shared != PROBE_ROW_NONE)
			proof.shared = group->shared + site->cost;
		if (site->pattern.rising)
			proof.flags |= PROBE_PROOF_RISING | PROBE_PROOF_LANES;
		if (site->stream != PLAN_NONE && group->stream[site->stream].aligned)
			proof.flags |= PROBE_PROOF_ALIGNED |
				       (uint32_t)tested_index(group, site->stream) << 8;
	}
	pass_table_set_proof(table, &proof);
}

/* A row of counters that belongs to no site of its own; `inst` says where it is. */
static void list_row(struct pass_table *table, LLVMValueRef inst, const struct pass_unit *unit,
		     enum probe_access_kind access, const struct probe_site_proof *proof)
{
	struct pass_site site = {
		.access = access,
		.space = PROBE_SPACE_GLOBAL,
		.size = 4,
		.unit = 4,
		.align = 4,
	};

	pass_table_add_site(table, inst, &site, unit->original, 1u << PROBE_KIND_MEMORY);
	pass_table_set_proof(table, proof);
}

static struct probe_site_proof guard_proof(const struct plan_guard *guard, uint32_t parent)
{
	return (struct probe_site_proof){
		.group = parent,
		.shared = PROBE_ROW_NONE,
		.flags = PROBE_PROOF_ONCE |
			 (guard->base ? PROBE_PROOF_LAUNCHED | PROBE_PROOF_BRANCH : 0),
	};
}

static struct probe_site_proof group_proof(const struct plan_group *group, uint32_t parent)
{
	bool heads = group->heads != PROBE_ROW_NONE, windows = group->windows != PROBE_ROW_NONE;

	return (struct probe_site_proof){
		.group = parent,
		.shared = group->cells,
		.delta = group->bins == PROBE_ROW_NONE ? 0 : (int32_t)group->bins,
		.flags = (group->once ? PROBE_PROOF_ONCE : 0) |
			 (group->launched ? PROBE_PROOF_LAUNCHED : 0) |
			 (group->exact && !pass_plan_is_free(group) ? PROBE_PROOF_EXACT : 0) |
			 (group->alone ? PROBE_PROOF_ALONE : 0) | (heads ? PROBE_PROOF_HEADS : 0) |
			 (windows ? PROBE_PROOF_WINDOWS : 0),
		.stride = {{.offset = heads ? group->heads : 0},
			   {.offset = windows ? group->windows : 0}},
	};
}

static void list_base(struct pass_table *table, const struct pass_base *base, uint32_t row,
		      unsigned index)
{
	struct probe_base_op of = {
		.code = PROBE_BASE_OF,
		.bits = 64,
		.index = (uint16_t)index,
		.value = row,
	};

	pass_table_add_base(table, &of, 1);
	pass_table_add_base(table, base->op, base->ops);
}

/* Of a site, lane by lane. */
static void list_lanes(struct pass_table *table, const struct pass_plan *plan, size_t index)
{
	const struct plan_site *site = &plan->site[index];
	uint32_t id = plan->first_site + (uint32_t)index;
	struct pass_base beside = {
		.op = {{
			.code = PROBE_BASE_BESIDE,
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

static uint32_t guard_row(const struct pass_plan *plan, int guard)
{
	return guard == PLAN_NONE ? PROBE_ROW_NONE : plan->guard[guard].row;
}

static void list_shared(struct pass_table *table, const struct pass_plan *plan, int group,
			unsigned count, const struct pass_unit *unit)
{
	const struct probe_site_proof none = {.group = PROBE_ROW_NONE, .shared = PROBE_ROW_NONE};

	for (unsigned i = 0; i < count; i++)
		list_row(table, plan->site[plan->group[group].first].inst, unit,
			 PROBE_ACCESS_SHARED, &none);
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
	for (int i = 0; i < plan.guards; i++) {
		struct probe_site_proof proof =
			guard_proof(&plan.guard[i], guard_row(&plan, plan.guard[i].parent));

		list_row(table, LLVMGetBasicBlockTerminator(plan.guard[i].from), unit,
			 PROBE_ACCESS_COUNTED, &proof);
	}
	for (int i = 0; i < plan.groups; i++) {
		struct probe_site_proof proof =
			group_proof(&plan.group[i], guard_row(&plan, plan.group[i].guard));

		list_row(table, plan.site[plan.group[i].first].inst, unit, PROBE_ACCESS_COUNTED,
			 &proof);
	}
	for (int i = 0; i < plan.groups; i++)
		if (plan.group[i].shared != PROBE_ROW_NONE)
			list_shared(table, &plan, i, plan.group[i].costs, unit);
	for (int i = 0; i < plan.groups; i++)
		list_shared(table, &plan, i, cell_rows(&plan.group[i]), unit);
	for (int i = 0; i < plan.groups; i++) {
		if (plan.group[i].windows != PROBE_ROW_NONE)
			list_shared(table, &plan, i, PROBE_WINDOW_ROWS, unit);
		if (plan.group[i].heads != PROBE_ROW_NONE)
			list_shared(table, &plan, i, PROBE_HEAD_ROWS, unit);
	}
	list_bases(table, &plan);
	unit->rows = plan.rows;
	unit->site_count = pass_table_sites(table) - unit->first_site;
	pass_plan_deinit(&plan);
}

static void list_unit(struct pass_unit *unit, LLVMModuleRef module, struct pass_table *table,
		      const struct pass_options *options, void *analyses)
{
	unit->range_first = pass_table_sites(table);
	if (options->kinds & ~(1u << PROBE_KIND_COUNT))
		list_sites(unit, table, options, analyses);
	if (options->kinds & 1u << PROBE_KIND_COUNT)
		pass_count_list(unit, module, table, options, analyses);
	unit->range_end = pass_table_sites(table);
}

/*
 * The time kind has a clone of every kernel, the count kind of every unit, and the kinds with rings
 * one of every function: what a kernel calls must leave its cursor's registers, or its counts,
 * alone (devlib_cursor.h, pass_count.h).
 */
static bool has_clone(const struct pass_unit *unit, unsigned kind)
{
	return unit->probed || kind == PROBE_KIND_TIME || kind == PROBE_KIND_COUNT ||
	       (!unit->kernel && probe_kind_has_rings(kind));
}

static bool has_clones(const struct pass_unit *unit, const struct pass_options *options)
{
	for (unsigned kind = 1; kind < PROBE_KINDS; kind++)
		if (options->kinds & 1u << kind && has_clone(unit, kind))
			return true;
	return false;
}

static void build(struct pass_units *units, LLVMModuleRef module, struct devlib *devlib,
		  const struct pass_options *options, void *analyses)
{
	for (unsigned kind = 1; kind < PROBE_KINDS; kind++) {
		if (!(options->kinds & 1u << kind))
			continue;
		for (size_t i = 0; i < units->count; i++)
			if (has_clone(&units->unit[i], kind) && kind != PROBE_KIND_COUNT)
				pass_clone_kind(&units->unit[i], module, kind);
		for (size_t i = 0; i < units->count; i++)
			if (!has_clone(&units->unit[i], kind))
				continue;
			else if (probe_kind_has_rings(kind))
				pass_ring_insert(units, &units->unit[i], kind, devlib, options,
						 analyses);
			else if (kind == PROBE_KIND_COUNT)
				pass_count_insert(units, &units->unit[i], devlib, options,
						  analyses);
			else
				pass_insert(units, &units->unit[i], kind, devlib, options,
					    analyses);
	}
	for (size_t i = 0; i < units->count; i++)
		if (units->unit[i].base)
			probe_shim_delete(units->unit[i].base, analyses);
	pass_marks_remove(module);
	pass_unmark(module);
}

/* Before the back end, which makes more of some instructions and less of others. */
static void count_code(const struct pass_units *units, struct pass_table *table)
{
	for (size_t i = 0; i < units->count; i++) {
		const struct pass_unit *unit = &units->unit[i];

		table->code_before += pass_count_code(unit->original);
		for (unsigned kind = 1; kind < PROBE_KINDS; kind++)
			if (unit->clone[kind])
				table->code_after += pass_count_code(unit->clone[kind]);
	}
}

static bool any_in_scope(LLVMValueRef function, const struct pass_options *options)
{
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
		     inst = LLVMGetNextInstruction(inst))
			if (pass_in_scope(inst, options))
				return true;
	return false;
}

/* Sites of memory and trace are accesses, those of time and count may be anything. */
static bool scope_matches(const struct pass_units *units, const struct pass_options *options)
{
	bool marks = options->kinds & (1u << PROBE_KIND_TIME | 1u << PROBE_KIND_COUNT);

	for (size_t i = 0; i < units->count; i++)
		if (units->unit[i].probed ||
		    (marks && any_in_scope(units->unit[i].original, options)))
			return true;
	return false;
}

/* A misspelt scope would else be found out when the run has nothing to show. */
static void warn_scope(LLVMModuleRef module)
{
	size_t size;
	const char *name = LLVMGetSourceFileName(module, &size);

	fprintf(stderr,
		"probe: warning: PROBE_SCOPE=%s: nothing in %.*s is in this scope, so it is not "
		"probed\n",
		getenv("PROBE_SCOPE"), (int)size, name);
}

static void instrument(struct pass_units *units, LLVMModuleRef module, struct devlib *devlib,
		       const struct pass_options *options, void *analyses)
{
	struct pass_table table;
	uint32_t kernels = 0, sites = 0, proved = 0, counted = 0;

	pass_table_init(&table);
	pass_uncovered_list(&table, units, module);
	mark_probed(units, options);
	for (size_t i = 0; i < units->count; i++) {
		struct pass_unit *unit = &units->unit[i];

		if (!has_clones(unit, options))
			continue;
		pass_clone_base(unit, module, options, analyses);
		list_unit(unit, module, &table, options, analyses);
		proved += unit->proved;
		counted += unit->counted;
		sites += unit->site_count - unit->rows;
	}
	for (size_t i = 0; i < units->count; i++)
		if (units->unit[i].base)
			pass_time_list(&units->unit[i], &table, options);
	for (size_t i = 0; i < units->count; i++)
		if (units->unit[i].probed && options->kinds & 1u << PROBE_KIND_TRACE)
			pass_trace_list(&units->unit[i], &table, options, analyses);
	spread_ranges(units);
	probe_shim_keep_skips();
	build(units, module, devlib, options, analyses);
	count_code(units, &table);
	devlib_unlink(devlib, analyses);
	for (size_t i = 0; i < units->count; i++)
		if (units->unit[i].kernel) {
			pass_table_add_kernel(&table, &units->unit[i], options->kinds);
			kernels++;
		}
	for (size_t i = 0; i < units->count; i++)
		pass_count_deinit(&units->unit[i]);
	if (options->scopes && kernels && !scope_matches(units, options))
		warn_scope(module);
	if (options->verbose)
		fprintf(stderr,
			"probe: %s: %u kernels, %u sites (%u with proved strides, %u "
			"counted by them), %u accesses not covered; %u instructions, and %u in clones\n",
			LLVMGetTarget(module), kernels, sites, proved, counted,
			pass_table_uncovered(&table), table.code_before, table.code_after);
	pass_table_emit(&table, module);
	pass_table_deinit(&table);
}

bool probe_pass_run(LLVMModuleRef module, void *analyses, bool plain)
{
	struct pass_options options;
	struct pass_units units;
	struct devlib devlib;
	char *error = NULL;
	bool done = false;

	/* Host code passes by here too; so does a module that was instrumented at compile time. */
	if (strncmp(LLVMGetTarget(module), "amdgcn", 6) ||
	    LLVMGetNamedGlobal(module, "__probe_sites"))
		return false;
	if (!pass_options_init(&options, &error)) {
		pass_options_deinit(&options);
		return report(module, error);
	}
	options.plain = plain;
	if (options.by_default && pass_marks_any(module))
		options.kinds |= 1u << PROBE_KIND_TIME;
	if (pass_units_collect(&units, module)) {
		done = true;
		if (!pass_target_check(&units, &options))
			refuse(&units, module);
		else if (devlib_link(&devlib, module, &options, &error))
			instrument(&units, module, &devlib, &options, analyses);
		else
			done = report(module, error);
	}
	pass_units_deinit(&units);
	pass_options_deinit(&options);
	return done;
}
