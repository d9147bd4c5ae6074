/* SPDX-License-Identifier: MIT */
/* Accesses without probes, by name and reason, for the site table (wire_sites.h section 2). */
#include "llvm-plugin/sites/uncovered.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

#include "llvm-plugin/analysis/analysis.h"
#include "llvm-plugin/analysis/ir_edit.h"
#include "llvm-plugin/base/call_units.h"
#include "llvm-plugin/base/compile_options.h"
#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/sites/access_sites.h"
#include "llvm-plugin/sites/intrinsic_forms.h"
#include "llvm-plugin/sites/table_builder.h"

static const char *describe(LLVMValueRef inst, enum probe_uncovered_reason reason)
{
	if (LLVMIsALoadInst(inst))
		return "load";
	if (LLVMIsAStoreInst(inst))
		return "store";
	if (LLVMIsACallInst(inst))
		return reason == PROBE_UNCOVERED_POINTER ? "call" : pass_called_name(inst);
	return "atomic operation";
}

/*
 * Is the function one that needs no probes: an intrinsic, a mark, or a function of the compiler's
 * device libraries, which may be linked later?
 */
static bool is_known_library(const char *name)
{
	static const char *const prefixes[] = {"llvm.", "__probe", "__ockl_", "__ocml_"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

/* Why a call cannot be probed: 0 = it can, or its callee does not access memory. */
static enum probe_uncovered_reason read_call(const struct call_units *units, LLVMValueRef inst)
{
	LLVMValueRef called, callee;
	const char *name = pass_called_name(inst);

	if (!LLVMIsACallInst(inst) || is_known_library(name))
		return 0;
	called = LLVMGetCalledValue(inst);
	if (LLVMIsAInlineAsm(called))
		return 0;
	callee = pass_direct_callee(inst);
	if (!callee)
		return LLVMIsAFunction(called) ? PROBE_UNCOVERED_EXTERNAL : PROBE_UNCOVERED_POINTER;
	return call_units_find(units, callee) && ir_has_bundles(inst) ? PROBE_UNCOVERED_INTRINSIC
								      : 0;
}

/* What a list of accesses is read with. */
struct reading {
	const struct call_units *units;
	const struct pass_options *options;
	void *analyses;
	struct analysis *flow; /* of the function; NULL = not needed until now */
	bool open;	       /* the function may be called through a pointer */
	bool lds;	       /* found: accesses to LDS without probes */
};

/*
 * Does a load of constant memory have an address per lane? Others are scalar loads, which request
 * no more than they need.
 */
static bool is_vector_load(struct reading *reading, LLVMValueRef owner, LLVMValueRef inst,
			   const struct access_site *site)
{
	if (reading->options->spaces >> site->space & 1 || !LLVMIsALoadInst(inst))
		return false;
	if (!reading->flow)
		reading->flow = analysis_create(owner, false, reading->analyses);
	return analysis_differs(reading->flow, inst, 0);
}

static bool is_lds(const struct access_site *site)
{
	return site->space == PROBE_SPACE_LDS;
}

/* The name of an instruction that accesses memory in lanes; scalar loads have no probes anyway. */
static bool is_memory_mnemonic(const char *name)
{
	static const char *const prefixes[] = {"global_",  "flat_",    "buffer_",
					       "tbuffer_", "scratch_", "image_"};
	static const char *const operations[] = {"_load", "_store", "_atomic", "_sample",
						 "_gather"};
	static const char *const lds[] = {
		"read",	  "write", "add",   "sub",	"rsub",	  "inc",   "dec",      "min",
		"max",	  "and",   "or",    "xor",	"mskor",  "cmpst", "append",   "consume",
		"wrxchg", "load",  "store", "condxchg", "pk_add", "wrap",  "cmpstore", "storexchg"};

	for (size_t i = 0; !strncmp(name, "ds_", 3) && i < sizeof(lds) / sizeof(lds[0]); i++)
		if (!strncmp(name + 3, lds[i], strlen(lds[i])))
			return true;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		for (size_t k = 0; !strncmp(name, prefixes[i], strlen(prefixes[i])) &&
				   k < sizeof(operations) / sizeof(operations[0]);
		     k++)
			if (strstr(name, operations[k]))
				return true;
	return false;
}

/* Adds the instructions of inline assembly that access memory: one per line of its text. */
static void read_asm(struct site_table *table, LLVMValueRef owner, LLVMValueRef inst)
{
	size_t size = 0;
	const char *text = "", *end;

	if (LLVMIsACallInst(inst) && LLVMIsAInlineAsm(LLVMGetCalledValue(inst)))
		text = ir_asm_text(LLVMGetCalledValue(inst), &size);
	for (end = text + size; text < end;) {
		size_t line = strcspn(text, "\n"), blank = strspn(text, " \t");
		char name[64];

		snprintf(name, sizeof(name), "%.*s",
			 (int)strspn(text + blank, "abcdefghijklmnopqrstuvwxyz0123456789_"),
			 text + blank);
		if (is_memory_mnemonic(name))
			site_table_add_uncovered(table, inst, owner, PROBE_UNCOVERED_ASM, name);
		text += line + 1;
	}
}

static void read_inst(struct site_table *table, struct reading *reading, LLVMValueRef owner,
		      LLVMValueRef inst)
{
	struct access_site site;
	enum access_class access = access_site_read(inst, &site);
	enum probe_uncovered_reason reason = 0;

	if (access == PASS_ACCESS_UNCOVERED)
		reason = LLVMIsACallInst(inst) ? PROBE_UNCOVERED_INTRINSIC : PROBE_UNCOVERED_SHAPE;
	else if ((access == PASS_ACCESS_SITE || access == PASS_ACCESS_LOWERED) && reading->open)
		reason = PROBE_UNCOVERED_BY_POINTER;
	else if (access == PASS_ACCESS_NONE)
		reason = read_call(reading->units, inst);
	else if (access == PASS_ACCESS_SITE && reading->options->no_lds && is_lds(&site))
		reason = PROBE_UNCOVERED_TARGET;
	else if (access == PASS_ACCESS_ON_REQUEST && is_vector_load(reading, owner, inst, &site))
		reason = PROBE_UNCOVERED_CONSTANT;
	reading->lds |= reason == PROBE_UNCOVERED_TARGET;
	if (reason)
		site_table_add_uncovered(table, inst, owner, reason, describe(inst, reason));
	read_asm(table, owner, inst);
}

/*
 * Lists intrinsics, assembly, loads of constant memory and calls in kernels and their callees, and
 * all accesses in functions that may be called through pointers.
 */
void uncovered_list(struct site_table *table, const struct call_units *units,
		    const struct pass_options *options, LLVMModuleRef module, void *analyses)
{
	struct reading reading = {.units = units, .options = options, .analyses = analyses};
	size_t size;

	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		bool open = !LLVMIsDeclaration(f) && LLVMGetFunctionCallConv(f) != PASS_CC_KERNEL &&
			    pass_address_taken(f) && !is_known_library(LLVMGetValueName2(f, &size));

		reading.open = open;
		if (!call_units_find(units, f) && !open)
			continue;
		for (LLVMValueRef inst = pass_first_inst(f); inst; inst = pass_next_inst(inst))
			read_inst(table, &reading, f, inst);
		analysis_destroy(reading.flow);
		reading.flow = NULL;
	}
	if (reading.lds)
		fprintf(stderr,
			"probe: warning: accesses to LDS have no probes on this target: its 64 banks "
			"are not known to the device library\n");
}
