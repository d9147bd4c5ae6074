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

#include "llvm-plugin/base/call_units.h"
#include "llvm-plugin/base/compile_options.h"
#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/base/reserved_registers.h"
#include "llvm-plugin/module/checkpoint.h"
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

/*
 * The kind in a clone's name, "__probe_<kind>_<name>", as a bit; 0 = not a clone. All kinds are
 * copies of "__probe_base_<name>".
 */
static uint32_t kinds_of(const char *clone, uint32_t kinds, const char **ret_name)
{
	static const char prefix[] = "__probe_", base[] = "base_";

	if (strncmp(clone, prefix, sizeof(prefix) - 1))
		return 0;
	clone += sizeof(prefix) - 1;
	if (!strncmp(clone, base, sizeof(base) - 1)) {
		*ret_name = clone + sizeof(base) - 1;
		return kinds;
	}
	for (unsigned kind = 1; kind < PROBE_KINDS; kind++) {
		size_t size = strlen(pass_kind_name(kind));

		if (!strncmp(clone, pass_kind_name(kind), size) && clone[size] == '_') {
			*ret_name = clone + size + 1;
			return 1u << kind;
		}
	}
	return 0;
}

void dropped_add(struct call_units *units, uint32_t kinds, const struct compile_failure *failure)
{
	const char *name;
	uint32_t of = kinds_of(failure->function, kinds, &name);
	bool found = false;

	for (size_t i = 0; of && i < units->count; i++) {
		size_t size;

		if (strcmp(LLVMGetValueName2(units->unit[i].original, &size), name))
			continue;
		drop(&units->unit[i], of, failure->message);
		found = true;
	}
	if (found)
		spread(units);
	else
		dropped_add_all(units, kinds, failure->message);
}

void dropped_add_users(struct call_units *units, uint32_t kinds)
{
	for (size_t i = 0; i < units->count; i++)
		for (unsigned kind = 1; kind < PROBE_KINDS; kind++) {
			unsigned named;
			char *why;

			/* The other kinds count in memory instead (reserved_named()). */
			if (!(kinds & 1u << kind) || !probe_kind_has_rings(kind))
				continue;
			named = reserved_named(units->unit[i].original, kind == PROBE_KIND_TIME
										? RESERVED_CLOCKS
										: RESERVED_CURSOR);
			if (!named)
				continue;
			why = pass_format("its inline assembly uses s%u, which probes keep", named);
			drop(&units->unit[i], 1u << kind, why);
			free(why);
		}
	spread(units);
}

/* The reason that all kernels share, as for an error in a function without probes; else NULL. */
static const char *common_reason(const struct call_units *units)
{
	const char *ret = NULL;
	unsigned kernels = 0;

	for (size_t i = 0; i < units->count; i++) {
		kernels += units->unit[i].kernel;
		for (unsigned kind = 1; units->unit[i].kernel && kind < PROBE_KINDS; kind++) {
			const char *why = units->unit[i].why[kind];

			if (why && ret && strcmp(why, ret))
				return NULL;
			ret = why ? why : ret;
		}
	}
	return kernels > 1 ? ret : NULL;
}

void dropped_list(const struct call_units *units, bool all, struct site_table *table)
{
	const char *common = all ? common_reason(units) : NULL;

	if (common)
		fprintf(stderr, "probe: warning: all kernels are compiled without probes: %s\n",
			common);
	for (size_t i = 0; i < units->count; i++) {
		const struct call_unit *unit = &units->unit[i];

		for (unsigned kind = 1; unit->kernel && kind < PROBE_KINDS; kind++) {
			char *what;
			size_t size;

			if (!unit->why[kind])
				continue;
			if (!common)
				fprintf(stderr,
					"probe: warning: kernel %s is compiled without probes of "
					"kind %s: %s\n",
					LLVMGetValueName2(unit->original, &size),
					pass_kind_name(kind), unit->why[kind]);
			what = pass_format("kernel (kind %s)", pass_kind_name(kind));
			site_table_add_uncovered(
				table,
				LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(unit->original)),
				unit->original, PROBE_UNCOVERED_COMPILER, what);
			free(what);
		}
	}
}
