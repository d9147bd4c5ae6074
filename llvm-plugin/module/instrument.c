/* SPDX-License-Identifier: MIT */
/* One run of the pass over one module. */
#include "llvm-plugin/module/instrument.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

#include "llvm-plugin/analysis/ir_edit.h"
#include "llvm-plugin/clone/kernel_clone.h"
#include "llvm-plugin/clone/lower_intrinsics.h"
#include "llvm-plugin/emit/devlib_link.h"
#include "llvm-plugin/emit/inline_asm.h"
#include "llvm-plugin/kinds/count_clone.h"
#include "llvm-plugin/kinds/memory_kind.h"
#include "llvm-plugin/kinds/region_marks.h"
#include "llvm-plugin/kinds/time_kind.h"
#include "llvm-plugin/kinds/trace_kind.h"
#include "llvm-plugin/kinds/trace_plan.h"
#include "llvm-plugin/plan/group_plan.h"
#include "llvm-plugin/base/call_units.h"
#include "llvm-plugin/base/compile_options.h"
#include "llvm-plugin/base/gpu_target.h"
#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/sites/access_sites.h"
#include "llvm-plugin/module/checkpoint.h"
#include "llvm-plugin/module/dropped_clones.h"
#include "llvm-plugin/module/list_sites.h"
#include "llvm-plugin/sites/table_builder.h"
#include "llvm-plugin/sites/uncovered.h"

static bool report(LLVMModuleRef module, char *text)
{
	char *line = pass_format("probe: %s", text);

	ir_report_error(module, line);
	free(line);
	free(text);
	return false;
}

/* A site table for a module without probes, so that reports can say why its kernels have none. */
static void refuse(const struct call_units *units, LLVMModuleRef module)
{
	struct site_table table;

	site_table_init(&table);
	for (size_t i = 0; i < units->count; i++) {
		LLVMValueRef original = units->unit[i].original;

		if (!units->unit[i].kernel)
			continue;
		site_table_add_kernel(&table, &units->unit[i], 0);
		if (!units->unit[i].dropped)
			site_table_add_uncovered(
				&table, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(original)),
				original, PROBE_UNCOVERED_TARGET, "kernel");
	}
	dropped_list(units, true, &table);
	marks_remove(module);
	site_table_emit(&table, module);
	site_table_deinit(&table);
}

/*
 * Does the function have sites? A barrier counts in a called function, but not alone in a kernel.
 */
static bool has_sites(LLVMValueRef function, bool kernel, const struct pass_options *options)
{
	struct access_site site;

	for (LLVMValueRef inst = pass_first_inst(function); inst; inst = pass_next_inst(inst))
		if (access_site_wanted(inst, options, &site) || pass_is_message(inst) ||
		    (access_site_read(inst, &site) == PASS_ACCESS_LOWERED &&
		     pass_in_scope(inst, options)) ||
		    (!kernel && pass_is_barrier(inst)))
			return true;
	return false;
}

static bool inherit_probed(struct call_unit *unit, const struct call_unit *callee)
{
	bool changed = callee->probed && !unit->probed;

	unit->probed |= callee->probed;
	return changed;
}

static bool inherit_range(struct call_unit *unit, const struct call_unit *callee)
{
	struct call_unit old = *unit;

	if (callee->range_first == callee->range_end)
		return false;
	if (old.range_first == old.range_end || callee->range_first < old.range_first)
		unit->range_first = callee->range_first;
	if (old.range_first == old.range_end || callee->range_end > old.range_end)
		unit->range_end = callee->range_end;
	return unit->range_first != old.range_first || unit->range_end != old.range_end;
}

/*
 * Both loops run until nothing changes. Without recursion one iteration is enough, because callees
 * precede callers.
 */
static void mark_probed(struct call_units *units, const struct pass_options *options)
{
	bool changed;

	for (size_t i = 0; i < units->count; i++)
		units->unit[i].probed =
			has_sites(units->unit[i].original, units->unit[i].kernel, options);
	do {
		changed = false;
		for (size_t i = 0; i < units->count; i++)
			changed |= call_units_each_callee(units, &units->unit[i], inherit_probed);
	} while (changed);
}

static void spread_ranges(struct call_units *units)
{
	bool changed;

	do {
		changed = false;
		for (size_t i = 0; i < units->count; i++)
			changed |= call_units_each_callee(units, &units->unit[i], inherit_range);
	} while (changed);
}

/*
 * The time kind has a clone of every kernel, the count kind of every unit, and the kinds with rings
 * of every function, which must reserve the registers of its caller's cursor (ring_cursor.h).
 */
static bool has_clone(const struct call_unit *unit, unsigned kind)
{
	return !(unit->dropped & 1u << kind) &&
	       (unit->probed || kind == PROBE_KIND_TIME || kind == PROBE_KIND_COUNT ||
		(!unit->kernel && probe_kind_has_rings(kind)));
}

static bool has_clones(const struct call_unit *unit, const struct pass_options *options)
{
	for (unsigned kind = 1; kind < PROBE_KINDS; kind++)
		if (options->kinds & 1u << kind && has_clone(unit, kind))
			return true;
	return false;
}

static void insert_probes(struct call_units *units, struct call_unit *unit, enum probe_kind kind,
			  struct devlib *devlib, const struct pass_options *options, void *analyses)
{
	checkpoint_at(pass_kind_name(kind), unit->original);
	if (!pass_enabled(options, PASS_PROBES))
		ir_cleanup(unit->clone[kind], analyses);
	else if (probe_kind_has_rings(kind))
		ring_insert(units, unit, kind, devlib, options, analyses);
	else if (kind == PROBE_KIND_COUNT)
		count_insert(units, unit, devlib, options, analyses);
	else
		memory_insert(units, unit, devlib, options, analyses);
}

static void build_kind(struct call_units *units, LLVMModuleRef module, enum probe_kind kind,
		       struct devlib *devlib, const struct pass_options *options, void *analyses)
{
	if (!(options->kinds & 1u << kind))
		return;
	for (size_t i = 0; i < units->count; i++)
		if (has_clone(&units->unit[i], kind) && !units->unit[i].clone[kind]) {
			checkpoint_at(pass_kind_name(kind), units->unit[i].original);
			clone_kind(&units->unit[i], module, kind);
		}
	for (size_t i = 0; i < units->count; i++)
		if (has_clone(&units->unit[i], kind))
			insert_probes(units, &units->unit[i], kind, devlib, options, analyses);
}

/* Keep the back end's time small. */
static void finish_clone(LLVMValueRef clone, const struct pass_options *options)
{
	asm_bound_regions(clone);
	if (pass_enabled(options, PASS_SHORT_CLOBBERS) && !options->portable &&
	    !pass_is_optnone(clone, options))
		ir_shorten_clobbers(clone);
}

/* The memory kind is last: its clone is the base, of which the other clones are copies. */
static void build(struct call_units *units, LLVMModuleRef module, struct devlib *devlib,
		  const struct pass_options *options, void *analyses)
{
	for (size_t i = 0; i < units->count; i++)
		if (units->unit[i].base)
			ir_drop_variables(units->unit[i].base);
	for (unsigned kind = 1; kind < PROBE_KINDS; kind++)
		if (kind != PROBE_KIND_MEMORY)
			build_kind(units, module, kind, devlib, options, analyses);
	build_kind(units, module, PROBE_KIND_MEMORY, devlib, options, analyses);
	checkpoint_at(NULL, NULL);
	for (size_t i = 0; i < units->count; i++) {
		for (unsigned kind = 1; kind < PROBE_KINDS; kind++)
			if (units->unit[i].clone[kind])
				finish_clone(units->unit[i].clone[kind], options);
		if (units->unit[i].base)
			ir_delete(units->unit[i].base, analyses);
	}
	marks_remove(module);
	markers_remove(module);
}

static uint32_t count_instructions(LLVMValueRef function)
{
	uint32_t count = 0;

	for (LLVMValueRef inst = pass_first_inst(function); inst; inst = pass_next_inst(inst))
		count += strncmp(pass_called_name(inst), "llvm.dbg.", 9) != 0;
	return count;
}

/* Counted before the back end, which expands or merges instructions. */
static void count_code(const struct call_units *units, struct site_table *table)
{
	for (size_t i = 0; i < units->count; i++) {
		const struct call_unit *unit = &units->unit[i];

		table->code_before += count_instructions(unit->original);
		for (unsigned kind = 1; kind < PROBE_KINDS; kind++)
			if (unit->clone[kind])
				table->code_after += count_instructions(unit->clone[kind]);
	}
}

static bool any_in_scope(LLVMValueRef function, const struct pass_options *options)
{
	for (LLVMValueRef inst = pass_first_inst(function); inst; inst = pass_next_inst(inst))
		if (pass_in_scope(inst, options))
			return true;
	return false;
}

/* Sites of memory and trace are accesses; time and count have other sites. */
static bool scope_matches(const struct call_units *units, const struct pass_options *options)
{
	bool marks = options->kinds & (1u << PROBE_KIND_TIME | 1u << PROBE_KIND_COUNT);

	for (size_t i = 0; i < units->count; i++)
		if (units->unit[i].probed ||
		    (marks && any_in_scope(units->unit[i].original, options)))
			return true;
	return false;
}

/* Warn early: otherwise a misspelt scope would show only when the run has no results. */
static void warn_scope(LLVMModuleRef module)
{
	size_t size;
	const char *name = LLVMGetSourceFileName(module, &size);

	fprintf(stderr,
		"probe: warning: PROBE_SCOPE=%s: nothing in %.*s is in this scope, so it is not "
		"probed\n",
		getenv("PROBE_SCOPE"), (int)size, name);
}

/* Otherwise a run of such a program would only show that nothing was executed. */
static void warn_without_probes(const struct pass_options *options)
{
	if (!pass_enabled(options, PASS_PROBES))
		fprintf(stderr, "probe: warning: PROBE_DISABLE=probes: clones have no probes, so "
				"that runs of this program record nothing\n");
}

/* Clone all units, without probes, and list their sites in the table. */
static void list_units(struct call_units *units, LLVMModuleRef module, struct site_table *table,
		       const struct pass_options *options, void *analyses)
{
	for (size_t i = 0; i < units->count; i++) {
		struct call_unit *unit = &units->unit[i];

		if (!has_clones(unit, options))
			continue;
		checkpoint_at("base", unit->original);
		clone_base(unit, module, options, analyses);
		list_unit(unit, module, table, options, analyses);
	}
	for (size_t i = 0; i < units->count; i++)
		if (units->unit[i].base)
			time_list(&units->unit[i], table, options);
	for (size_t i = 0; i < units->count; i++)
		if (units->unit[i].probed && options->kinds & 1u << PROBE_KIND_TRACE &&
		    has_clone(&units->unit[i], PROBE_KIND_TRACE)) {
			checkpoint_at(pass_kind_name(PROBE_KIND_TRACE), units->unit[i].original);
			trace_list(&units->unit[i], module, table, options, analyses);
		}
	checkpoint_at(NULL, NULL);
	spread_ranges(units);
}

static void list_kernels(const struct call_units *units, struct site_table *table,
			 const struct pass_options *options)
{
	for (size_t i = 0; i < units->count; i++)
		if (units->unit[i].kernel)
			site_table_add_kernel(table, &units->unit[i],
					      options->kinds & ~units->unit[i].dropped);
}

static void print_summary(const struct call_units *units, LLVMModuleRef module,
			  const struct site_table *table)
{
	uint32_t kernels = 0, sites = 0, proved = 0, counted = 0;

	for (size_t i = 0; i < units->count; i++) {
		const struct call_unit *unit = &units->unit[i];

		kernels += unit->kernel;
		proved += unit->proved;
		counted += unit->counted;
		sites += unit->site_count - unit->rows;
	}
	fprintf(stderr,
		"probe: %s: %u kernels, %u sites (%u with proved strides, %u "
		"counted by them), %u accesses not covered; %u instructions, and %u in clones\n",
		LLVMGetTarget(module), kernels, sites, proved, counted, site_table_uncovered(table),
		table->code_before, table->code_after);
}

static void destroy_plans(struct call_units *units)
{
	for (size_t i = 0; i < units->count; i++) {
		count_deinit(&units->unit[i]);
		trace_plan_destroy(units->unit[i].trace);
		group_plan_destroy(units->unit[i].plan);
	}
}

static void instrument(struct call_units *units, LLVMModuleRef module, struct devlib *devlib,
		       const struct pass_options *options, void *analyses)
{
	struct site_table table;

	site_table_init(&table);
	uncovered_list(&table, units, options, module, analyses);
	dropped_list(units, false, &table);
	mark_probed(units, options);
	list_units(units, module, &table, options, analyses);
	ir_keep_exec_branches();
	build(units, module, devlib, options, analyses);
	count_code(units, &table);
	devlib_unlink(devlib, analyses);
	list_kernels(units, &table, options);
	destroy_plans(units);
	if (options->scopes && !scope_matches(units, options))
		warn_scope(module);
	warn_without_probes(options);
	if (options->verbose)
		print_summary(units, module, &table);
	site_table_emit(&table, module);
	site_table_deinit(&table);
}

/*
 * Drop the clones for which the compiler cannot generate code, found by trial compilation. Returns
 * in the process that continues without them; false if no clone is left.
 */
static bool drop_failing(struct call_units *units, LLVMModuleRef module,
			 const struct pass_options *options)
{
	enum { ATTEMPTS = 8 };

	dropped_add_users(units, options->kinds);
	if (!options->fallback || !checkpoint_possible())
		return true;
	for (unsigned attempt = 1; dropped_any_left(units, options->kinds); attempt++) {
		struct compile_failures failures;

		if (checkpoint_attempt(module, &failures))
			return true;
		if (attempt == ATTEMPTS)
			dropped_add_all(units, options->kinds, failures.failure[0].message);
		for (size_t i = 0; i < failures.count; i++)
			dropped_add(units, options->kinds, &failures.failure[i]);
		free(failures.failure);
	}
	return false;
}

bool probe_pass_run(LLVMModuleRef module, void *analyses, unsigned level)
{
	struct pass_options options;
	struct call_units units;
	struct devlib devlib;
	char *error = NULL;
	bool done = false;

	/*
	 * The pass also runs on host code, and on modules that were instrumented at compile time.
	 */
	if (strncmp(LLVMGetTarget(module), "amdgcn", 6) ||
	    LLVMGetNamedGlobal(module, "__probe_sites"))
		return false;
	if (!pass_options_init(&options, &error)) {
		pass_options_deinit(&options);
		return report(module, error);
	}
	options.optnone = level == 0;
	options.level = level;
	if (options.by_default && marks_any(module))
		options.kinds |= 1u << PROBE_KIND_TIME;
	if (call_units_collect(&units, module)) {
		done = true;
		if (!gpu_target_check(&units, &options) || !drop_failing(&units, module, &options))
			refuse(&units, module);
		else if (devlib_link(&devlib, module, &options, &error))
			instrument(&units, module, &devlib, &options, analyses);
		else
			done = report(module, error);
		checkpoint_end(module);
	}
	call_units_deinit(&units);
	pass_options_deinit(&options);
	return done;
}
