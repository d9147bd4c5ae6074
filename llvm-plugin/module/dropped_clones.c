/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/module/dropped_clones.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

#include "llvm-plugin/analysis/ir_edit.h"
#include "llvm-plugin/base/call_units.h"
#include "llvm-plugin/base/compile_options.h"
#include "llvm-plugin/base/gpu_target.h"
#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/kinds/count_kind.h"
#include "llvm-plugin/kinds/time_kind.h"
#include "llvm-plugin/module/checkpoint.h"
#include "llvm-plugin/plan/group_plan.h"
#include "llvm-plugin/sites/table_builder.h"

bool dropped_any_left(const struct call_units *units, uint32_t kinds)
{
	for (size_t i = 0; i < units->count; i++)
		if (units->unit[i].kernel && kinds & ~units->unit[i].dropped)
			return true;
	return false;
}

static void drop(struct call_unit *unit, uint32_t kinds, const char *why)
{
	for (unsigned kind = 1; kind < PROBE_KINDS; kind++)
		if (kinds & ~unit->dropped & 1u << kind)
			unit->why[kind] = pass_format("%.*s", (int)strcspn(why, "\n"), why);
	unit->dropped |= kinds;
}

void dropped_add_all(struct call_units *units, uint32_t kinds, const char *why)
{
	for (size_t i = 0; i < units->count; i++)
		drop(&units->unit[i], kinds, why);
}

static bool inherit(struct call_unit *unit, const struct call_unit *callee)
{
	uint32_t more = callee->dropped & ~unit->dropped;
	char *why;
	size_t size;

	if (!more)
		return false;
	why = pass_format("its callee %s has none", LLVMGetValueName2(callee->original, &size));
	drop(unit, more, why);
	free(why);
	return true;
}

static void spread(struct call_units *units)
{
	bool changed;

	do {
		changed = false;
		for (size_t i = 0; i < units->count; i++)
			changed |= call_units_each_callee(units, &units->unit[i], inherit);
	} while (changed);
}

/* The kind in a clone's name, "__probe_<kind>_<name>"; 0 = not a clone. */
static unsigned kind_of(const char *clone, const char **ret_name)
{
	static const char prefix[] = "__probe_";

	if (strncmp(clone, prefix, sizeof(prefix) - 1))
		return 0;
	clone += sizeof(prefix) - 1;
	for (unsigned kind = 1; kind < PROBE_KINDS; kind++) {
		size_t size = strlen(pass_kind_name(kind));

		if (!strncmp(clone, pass_kind_name(kind), size) && clone[size] == '_') {
			*ret_name = clone + size + 1;
			return kind;
		}
	}
	return 0;
}

void dropped_add(struct call_units *units, uint32_t kinds, const struct compile_failure *failure)
{
	const char *name;
	unsigned kind = kind_of(failure->function, &name);
	bool found = false;

	for (size_t i = 0; kind && i < units->count; i++) {
		size_t size;

		if (strcmp(LLVMGetValueName2(units->unit[i].original, &size), name))
			continue;
		drop(&units->unit[i], 1u << kind, failure->message);
		found = true;
	}
	if (found)
		spread(units);
	else
		dropped_add_all(units, kinds, failure->message);
}

/* ---- Registers of inline assembly ----------------------------------------------------------- */

/*
 * The first scalar register that clones of a kind reserve (ring_cursor.h, count_kind.h,
 * group_plan.h). The compiler does not allocate these registers, but inline assembly may name any.
 */
static unsigned first_kept(enum probe_kind kind)
{
	return kind == PROBE_KIND_COUNT	   ? COUNT_SGPR_FIRST
	       : kind == PROBE_KIND_TIME   ? TIME_SGPR_FIRST
	       : kind == PROBE_KIND_MEMORY ? PLAN_COUNTER_LAST + 1 - PLAN_COUNTERS
					   : PASS_CURSOR_FIRST;
}

/* The highest scalar register in constraints such as "=v,{s[4:7]},~{s33}"; 0 = none. */
static unsigned highest_named(const char *constraints)
{
	unsigned highest = 0, first, last;

	while ((constraints = strstr(constraints, "{s"))) {
		constraints += 2;
		if (sscanf(constraints, "[%u:%u]", &first, &last) == 2 ||
		    sscanf(constraints, "%u", &last) == 1)
			highest = last > highest ? last : highest;
	}
	return highest;
}

static unsigned highest_used(LLVMValueRef function)
{
	unsigned highest = 0;

	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
		     inst = LLVMGetNextInstruction(inst)) {
			unsigned used;

			if (!LLVMIsACallInst(inst) || !LLVMIsAInlineAsm(LLVMGetCalledValue(inst)))
				continue;
			used = highest_named(ir_asm_constraints(LLVMGetCalledValue(inst)));
			highest = used > highest ? used : highest;
		}
	return highest;
}

void dropped_add_users(struct call_units *units, uint32_t kinds)
{
	for (size_t i = 0; i < units->count; i++) {
		unsigned used = highest_used(units->unit[i].original);
		char *why = pass_format("its inline assembly uses s%u, which probes keep", used);

		for (unsigned kind = 1; kind < PROBE_KINDS; kind++)
			if (kinds & 1u << kind && used >= first_kept(kind))
				drop(&units->unit[i], 1u << kind, why);
		free(why);
	}
	spread(units);
}

void dropped_list(const struct call_units *units, struct site_table *table)
{
	for (size_t i = 0; i < units->count; i++) {
		const struct call_unit *unit = &units->unit[i];

		for (unsigned kind = 1; unit->kernel && kind < PROBE_KINDS; kind++) {
			char *what;
			size_t size;

			if (!unit->why[kind])
				continue;
			fprintf(stderr,
				"probe: warning: kernel %s is compiled without probes of kind %s: %s\n",
				LLVMGetValueName2(unit->original, &size), pass_kind_name(kind),
				unit->why[kind]);
			what = pass_format("kernel (kind %s)", pass_kind_name(kind));
			site_table_add_uncovered(
				table,
				LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(unit->original)),
				unit->original, PROBE_UNCOVERED_COMPILER, what);
			free(what);
		}
	}
}
