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
#include "llvm-plugin/clone/kernel_clone.h"
#include "llvm-plugin/emit/devlib_calls.h"
#include "llvm-plugin/emit/group_code.h"
#include "llvm-plugin/emit/inline_asm.h"
#include "llvm-plugin/emit/measure_code.h"
#include "llvm-plugin/plan/group_plan.h"
#include "llvm-plugin/plan/sampled_blocks.h"
#include "llvm-plugin/base/call_units.h"
#include "llvm-plugin/base/compile_options.h"
#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/base/reserved_registers.h"
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
	struct devlib_calls calls;
	struct measure_context measure;
};

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

	address = site->space == PROBE_SPACE_LDS ? LLVMBuildZExt(in->builder, address, i64, "")
						 : LLVMBuildPtrToInt(in->builder, address, i64, "");
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

static void insert_site(struct insert *in, const struct plan_site *plan, uint32_t id)
{
	const struct access_site *site = &plan->site;
	LLVMValueRef address;

	LLVMPositionBuilderBefore(in->builder, plan->inst);
	LLVMSetCurrentDebugLocation2(in->builder, LLVMInstructionGetDebugLoc(plan->inst));
	address = measure_address(&in->measure, site);
	in->measure.batched = plan->batched && in->measure.batch.sgpr;
	in->measure.sampled = plan_sampled_block(in->plan, plan);
	in->measure.counts =
		in->measure.sampled && &in->plan->site[in->measure.sampled->first] == plan;
	if (in->optnone)
		insert_optnone(in, address, site, id);
	else if (plan->behind)
		measure_emit_follower(&in->measure, site, id, address, plan);
	else if (plan->followers)
		measure_emit_representative(&in->measure, site, id, address, plan);
	else
		measure_emit(&in->measure, site, id, address, plan->also);
}

static void load_regular(struct insert *in)
{
	if (in->plan->groups || in->plan->sampled_blocks)
		in->regular = group_code_load_regular(in->builder, in->ctx, &in->enumerated);
}

static void insert_entry(struct insert *in)
{
	LLVMPositionBuilderBefore(in->builder, pass_entry_point(in->clone));
	LLVMSetCurrentDebugLocation2(in->builder, NULL);
	if (in->unit->kernel) {
		in->ctx = LLVMGetLastParam(in->clone);
		in->ctx = devlib_call(&in->calls, DEVLIB_SELECT, &in->ctx, 1);
		in->wave = devlib_call(&in->calls, DEVLIB_MEMORY_ENTER, &in->ctx, 1);
	} else {
		devlib_call_arguments(&in->calls, in->clone, &in->ctx, &in->wave);
	}
	load_regular(in);
}

/* Computing the address of the wave's replica pays only if sites are measured. */
static bool measures(const struct insert *in)
{
	for (int i = 0; i < in->plan->groups; i++)
		if (in->plan->group[i].data_decide && !in->plan->group[i].lane_sums)
			return true;
	for (size_t i = 0; i < in->plan->sites; i++)
		if (in->plan->site[i].measured)
			return true;
	return false;
}

static void begin_batches(struct insert *in)
{
	if (!in->plan->batch)
		return;
	in->measure.batch = (struct batch_code){
		.sgpr = in->plan->batch,
		.count = devlib_share(in->devlib, DEVLIB_MEMORY_BATCH, 0, in->clone, in->analyses),
		.first_site = in->unit->first_site,
	};
	LLVMPositionBuilderBefore(in->builder, pass_entry_point(in->clone));
	in->measure.batch.lane = batch_emit_entry(&in->measure.batch, in->builder, in->clone);
}

static void begin_sampling(struct insert *in)
{
	LLVMValueRef seed;

	if (!in->plan->sample)
		return;
	in->measure.sample = (struct sample_code){.sgpr = in->plan->sample,
						  .every = in->options->measured_every};
	LLVMPositionBuilderBefore(in->builder, LLVMGetNextInstruction(in->wave));
	seed = devlib_call(&in->calls, DEVLIB_MEMORY_SEED, &in->ctx, 1);
	sample_emit_entry(&in->measure.sample, in->builder, seed);
}

static void end_batches(struct insert *in)
{
	struct asm_block code = {0};

	if (!in->plan->batch)
		return;
	LLVMPositionBuilderBefore(in->builder, in->last);
	LLVMSetCurrentDebugLocation2(in->builder, LLVMInstructionGetDebugLoc(in->last));
	batch_emit_end(&in->measure.batch, &code, asm_scalar(&code, in->builder, in->wave));
	asm_build_call(&code, in->builder, in->context);
}

static void insert_groups(struct insert *in)
{
	struct group_code groups = {
		.plan = in->plan,
		.devlib = in->devlib,
		.builder = in->builder,
		.clone = in->clone,
		.ctx = in->ctx,
		.wave = !in->optnone && (measures(in) || in->plan->sample) ? in->wave : NULL,
		.regular = in->regular,
		.enumerated = in->enumerated,
		.last = in->last,
		.batch = &in->measure.batch,
		.sample = &in->measure.sample,
		.analyses = in->analyses,
	};

	group_code(&groups);
}

/* Remove the unused computation of the wave's replica, which is expensive in a small kernel. */
static void drop_entry(struct insert *in)
{
	if (!in->unit->kernel)
		return;
	devlib_call_drop_unused(&in->calls, in->wave);
	devlib_call_drop_unused(&in->calls, in->ctx);
}

static void insert_body(struct insert *in)
{
	for (size_t i = 0; i < in->plan->sites; i++)
		if (in->plan->site[i].measured)
			insert_site(in, &in->plan->site[i], in->unit->first_site + (uint32_t)i);
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
	in.calls = (struct devlib_calls){.devlib = devlib, .builder = in.builder};
	if (in.plan->counters.assigned || in.plan->lane_counters)
		in.last = pass_single_return(in.clone);
	/* It never returns. */
	if (!in.last)
		plan_drop_counters(in.plan);
	/* Those of run counters and of batches. */
	if (in.plan->counters.assigned)
		reserved_apply(in.clone, reserved_lowest(&in.plan->counters));
	insert_entry(&in);
	in.measure = (struct measure_context){.devlib = devlib,
					      .builder = in.builder,
					      .clone = in.clone,
					      .wave = in.wave,
					      .analyses = analyses};
	begin_batches(&in);
	begin_sampling(&in);
	insert_body(&in);
	insert_groups(&in);
	end_batches(&in);
	clone_rewrite_calls(units, in.clone, PROBE_KIND_MEMORY, in.ctx, in.wave);
	drop_entry(&in);
	LLVMDisposeBuilder(in.builder);
	devlib_calls_inline(&in.calls);
	if (!pass_is_optnone(unit->original, options))
		ir_cleanup(in.clone, analyses);
}
