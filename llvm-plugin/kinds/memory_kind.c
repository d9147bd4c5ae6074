/* SPDX-License-Identifier: MIT */
/* Probes before the sites of a clone, the wave's entry and exit, and calls of cloned callees. */
#include "llvm-plugin/kinds/memory_kind.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include <probe/wire.h>

#include "llvm-plugin/analysis/ir_edit.h"
#include "llvm-plugin/emit/devlib_link.h"
#include "llvm-plugin/emit/group_code.h"
#include "llvm-plugin/emit/inline_asm.h"
#include "llvm-plugin/emit/measure_code.h"
#include "llvm-plugin/plan/group_plan.h"
#include "llvm-plugin/base/call_units.h"
#include "llvm-plugin/base/compile_options.h"
#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/sites/access_sites.h"

/* Context for all probes of one clone. */
struct insert {
	const struct call_units *units;
	const struct call_unit *unit;
	const struct pass_options *options;
	struct devlib *devlib;
	bool optnone; /* calls with the usual convention only */
	void *analyses;
	struct group_plan *plan; /* of the clone before it was changed */
	LLVMValueRef clone, ctx, wave;
	LLVMValueRef last;    /* memory: the only return, if there are counters */
	LLVMValueRef regular; /* probe_ctx.regular, if something is counted by groups */
	LLVMValueRef enumerated;
	LLVMContextRef context;
	LLVMBuilderRef builder;
	LLVMValueRef *call; /* calls of probes, to be inlined */
	size_t calls, capacity;
	struct measure_context measure;
};

static LLVMValueRef call_probe(struct insert *in, enum devlib_function which, LLVMValueRef *args,
			       unsigned count, const char *name)
{
	LLVMValueRef function = in->devlib->function[which];
	LLVMValueRef call = LLVMBuildCall2(in->builder, LLVMGlobalGetValueType(function), function,
					   args, count, name);

	if (in->calls == in->capacity) {
		in->capacity = in->capacity ? 2 * in->capacity : 64;
		in->call = pass_alloc(in->call, in->capacity * sizeof(LLVMValueRef));
	}
	in->call[in->calls++] = call;
	return call;
}

static LLVMValueRef const_i32(const struct insert *in, uint32_t value)
{
	return LLVMConstInt(LLVMInt32TypeInContext(in->context), value, 0);
}

static void call_shared(struct insert *in, uint32_t shape, LLVMValueRef *args, unsigned count)
{
	LLVMValueRef function = devlib_share(in->devlib, DEVLIB_MEMORY_ANY,
					     shape | DEVLIB_SHAPE_OPTNONE, in->clone, in->analyses);

	LLVMBuildCall2(in->builder, LLVMGlobalGetValueType(function), function, args, count, "");
}

/*
 * Unoptimised code, and code for a target without lean probes, calls functions by the usual
 * convention. If they were inlined at -O0, every value of a probe would have a stack slot, and a
 * few dozen sites would exceed the largest frame.
 */
static void insert_optnone(struct insert *in, LLVMValueRef address, const struct access_site *site,
			   uint32_t id)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(in->context);
	LLVMValueRef row = LLVMConstInt(i64, (uint64_t)id * PROBE_COUNTERS * 8, 0), args[4];
	uint32_t shape = access_site_shape(site);

	address = LLVMBuildZExt(in->builder, address, i64, "");
	args[0] = LLVMBuildAdd(in->builder, in->wave, row, "");
	args[1] = address;
	args[3] = const_i32(in, shape);
	for (uint32_t offset = 0; offset < site->size; offset += site->unit) {
		args[2] = const_i32(in, offset);
		call_shared(in, shape, args, 4);
		if (site->space == PROBE_SPACE_FLAT)
			call_shared(in, shape | DEVLIB_SHAPE_LDS, args, 4);
	}
}

static void insert_site(struct insert *in, LLVMValueRef inst, const struct access_site *site,
			uint32_t id)
{
	size_t index = id - in->unit->first_site;
	const struct plan_site *plan = &in->plan->site[index];
	LLVMValueRef address;

	LLVMPositionBuilderBefore(in->builder, inst);
	LLVMSetCurrentDebugLocation2(in->builder, LLVMInstructionGetDebugLoc(inst));
	address = measure_address(&in->measure, site);
	if (in->optnone)
		insert_optnone(in, address, site, id);
	else if (plan->behind)
		measure_emit_follower(&in->measure, site, id, address, plan);
	else if (plan->followers)
		measure_emit_representative(&in->measure, site, id, address, plan);
	else
		measure_emit(&in->measure, site, id, address, plan->also);
}

static LLVMValueRef uniform(struct insert *in, LLVMValueRef value)
{
	return call_probe(in, DEVLIB_UNIFORM, &value, 1, "");
}

static void load_regular(struct insert *in)
{
	if (in->plan->groups)
		in->regular = group_code_load_regular(in->builder, in->ctx, &in->enumerated);
}

static void insert_entry(struct insert *in)
{
	unsigned params = LLVMCountParams(in->clone);
	LLVMTypeRef i64 = LLVMInt64TypeInContext(in->context);

	LLVMPositionBuilderBefore(in->builder, pass_entry_point(in->clone));
	LLVMSetCurrentDebugLocation2(in->builder, NULL);
	if (in->unit->kernel) {
		in->ctx = LLVMGetParam(in->clone, params - 1);
		in->ctx = call_probe(in, DEVLIB_SELECT, &in->ctx, 1, "probe.chosen");
		in->wave = call_probe(in, DEVLIB_MEMORY_ENTER, &in->ctx, 1, "probe.wave");
		load_regular(in);
		return;
	}
	/* Arguments of a function are in vector registers even if they are uniform. */
	in->ctx = LLVMGetParam(in->clone, params - 2);
	in->ctx = LLVMBuildIntToPtr(in->builder,
				    uniform(in, LLVMBuildPtrToInt(in->builder, in->ctx, i64, "")),
				    LLVMTypeOf(in->ctx), "");
	in->wave = uniform(in, LLVMGetParam(in->clone, params - 1));
	load_regular(in);
}

static void rewrite_call(struct insert *in, LLVMValueRef inst)
{
	struct call_unit *callee = call_units_find(in->units, pass_direct_callee(inst));
	LLVMValueRef extra[] = {in->ctx, in->wave};

	if (callee && callee->probed && !callee->kernel && !ir_has_bundles(inst))
		ir_replace_call(inst, callee->clone[PROBE_KIND_MEMORY], extra, 2);
}

/* Computing the address of the wave's replica pays only if sites are measured. */
static bool measures(const struct insert *in)
{
	for (size_t i = 0; i < in->plan->sites; i++)
		if (in->plan->site[i].measured)
			return true;
	return false;
}

static void insert_groups(struct insert *in)
{
	struct group_code groups = {
		.plan = in->plan,
		.devlib = in->devlib,
		.builder = in->builder,
		.clone = in->clone,
		.ctx = in->ctx,
		.wave = !in->optnone && measures(in) ? in->wave : NULL,
		.regular = in->regular,
		.enumerated = in->enumerated,
		.last = in->last,
		.analyses = in->analyses,
	};

	group_code(&groups);
}

static void drop_unused(struct insert *in, LLVMValueRef call)
{
	for (size_t i = 0; !LLVMGetFirstUse(call) && i < in->calls; i++)
		if (in->call[i] == call) {
			in->call[i] = in->call[--in->calls];
			LLVMInstructionEraseFromParent(call);
			return;
		}
}

/* Remove the unused computation of the wave's replica, which is expensive in a small kernel. */
static void drop_entry(struct insert *in)
{
	if (!in->unit->kernel)
		return;
	drop_unused(in, in->wave);
	drop_unused(in, in->ctx);
}

static void insert_body(struct insert *in)
{
	uint32_t id = in->unit->first_site;

	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(in->clone); block;
	     block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block), next; inst; inst = next) {
			struct access_site site;

			next = LLVMGetNextInstruction(inst);
			if (!access_site_wanted(inst, in->options, &site))
				rewrite_call(in, inst);
			else if (in->plan->site[id++ - in->unit->first_site].measured)
				insert_site(in, inst, &site, id - 1);
		}
}

void memory_insert(const struct call_units *units, const struct call_unit *unit,
		   struct devlib *devlib, const struct pass_options *options, void *analyses)
{
	struct insert in = {
		.units = units,
		.unit = unit,
		.options = options,
		.devlib = devlib,
		.clone = unit->clone[PROBE_KIND_MEMORY],
		.optnone = options->portable || pass_is_optnone(unit->original, options),
		.analyses = analyses,
		.plan = unit->plan,
	};

	in.context = LLVMGetModuleContext(LLVMGetGlobalParent(in.clone));
	in.builder = LLVMCreateBuilderInContext(in.context);
	if (in.plan->counters.assigned || in.plan->lane_counters)
		in.last = pass_single_return(in.clone);
	/* It never returns. */
	if (!in.last)
		plan_drop_counters(in.plan);
	/* The entry comes before the sites in the block, but after them in this order: see below.
	 */
	insert_entry(&in);
	in.measure = (struct measure_context){.devlib = devlib,
					      .builder = in.builder,
					      .clone = in.clone,
					      .wave = in.wave,
					      .analyses = analyses};
	insert_body(&in);
	insert_groups(&in);
	drop_entry(&in);
	LLVMDisposeBuilder(in.builder);
	for (size_t i = 0; i < in.calls; i++)
		ir_inline(in.call[i]);
	free(in.call);
	if (!pass_is_optnone(unit->original, options))
		ir_cleanup(in.clone, analyses);
}
