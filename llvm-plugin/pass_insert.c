/* SPDX-License-Identifier: MIT */
/* Probes before the sites of a clone, the wave's entry and exit, and calls of cloned callees. */
#include <stdlib.h>
#include <string.h>

#include "pass.h"
#include "pass_group.h"
#include "pass_shim.h"

/* What every probe of one clone needs. */
struct insert {
	const struct pass_units *units;
	const struct pass_unit *unit;
	struct devlib *devlib;
	enum probe_kind kind;
	bool plain; /* calls of the long way only */
	void *analyses;
	struct pass_plan plan;
	LLVMValueRef clone, ctx, wave;
	LLVMValueRef last;    /* memory: the only return, if there are counters */
	LLVMValueRef regular; /* probe_ctx.regular, if something is counted by groups */
	LLVMContextRef context;
	LLVMBuilderRef builder;
	LLVMValueRef *call; /* calls of probes, to be inlined */
	size_t calls, capacity;
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
					     shape | DEVLIB_SHAPE_PLAIN, in->clone, in->analyses);

	LLVMBuildCall2(in->builder, LLVMGlobalGetValueType(function), function, args, count, "");
}

/*
 * Code that is not optimised, or for a target without lean probes, calls the long way as any
 * function is called. Inlined, each of a
 * probe's values would have a stack slot of its own, and a few dozen sites exceed the largest frame
 * there is.
 */
static void insert_plain(struct insert *in, LLVMValueRef address, const struct pass_site *site,
			 uint32_t id)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(in->context);
	LLVMValueRef row = LLVMConstInt(i64, (uint64_t)id * PROBE_COUNTERS * 8, 0), args[4];
	uint32_t shape = pass_site_shape(site);

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

static void insert_site(struct insert *in, LLVMValueRef inst, const struct pass_site *site,
			uint32_t id)
{
	bool lds = site->space == PROBE_SPACE_LDS;
	LLVMTypeRef i64 = LLVMInt64TypeInContext(in->context);
	LLVMTypeRef type = lds ? LLVMInt32TypeInContext(in->context) : i64;
	LLVMTypeRef any_type = LLVMPointerTypeInContext(in->context, PROBE_SPACE_FLAT);
	LLVMValueRef pointer, address, any = LLVMConstNull(any_type), more = any;
	uint32_t shape = pass_site_shape(site);

	LLVMPositionBuilderBefore(in->builder, inst);
	LLVMSetCurrentDebugLocation2(in->builder, LLVMInstructionGetDebugLoc(inst));
	pointer = lds ? pass_opaque_lds(in->builder, site->pointer) : site->pointer;
	address = LLVMBuildPtrToInt(in->builder, pointer, type, "");
	if (in->plain) {
		insert_plain(in, address, site, id);
		return;
	}
	if (site->size > site->unit)
		any = devlib_share(in->devlib, DEVLIB_MEMORY_ANY, shape, in->clone, in->analyses);
	if (site->size > site->unit && site->space == PROBE_SPACE_FLAT)
		more = devlib_share(in->devlib, DEVLIB_MEMORY_ANY, shape | DEVLIB_SHAPE_LDS,
				    in->clone, in->analyses);
	LLVMValueRef args[] = {
		in->wave,
		const_i32(in, id),
		LLVMBuildZExt(in->builder, address, i64, ""),
		const_i32(in, shape),
		devlib_share(in->devlib, DEVLIB_MEMORY_FIRST, shape, in->clone, in->analyses),
		any,
		more,
	};
	call_probe(in, DEVLIB_MEMORY_ACCESS, args, 7, "");
}

/*
 * First instruction behind the entry block's allocas. Allocas further down are moved up: inlining
 * splits the block, and an alloca outside the entry block would be dynamic.
 */
LLVMValueRef pass_entry_point(LLVMValueRef function)
{
	LLVMBasicBlockRef block = LLVMGetEntryBasicBlock(function);
	LLVMValueRef first = LLVMGetFirstInstruction(block);
	LLVMBuilderRef builder;

	while (LLVMIsAAllocaInst(first))
		first = LLVMGetNextInstruction(first);
	builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
	LLVMPositionBuilderBefore(builder, first);
	for (LLVMValueRef inst = first, next; inst; inst = next) {
		next = LLVMGetNextInstruction(inst);
		if (LLVMIsAAllocaInst(inst) && LLVMIsConstant(LLVMGetOperand(inst, 0))) {
			LLVMInstructionRemoveFromParent(inst);
			LLVMInsertIntoBuilder(builder, inst);
		}
	}
	LLVMDisposeBuilder(builder);
	return first;
}

static LLVMValueRef uniform(struct insert *in, LLVMValueRef value)
{
	return call_probe(in, DEVLIB_UNIFORM, &value, 1, "");
}

static void load_regular(struct insert *in)
{
	if (in->plan.groups)
		in->regular = pass_group_load_regular(in->builder, in->ctx);
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
		load_regular(in);
		in->wave = call_probe(in, DEVLIB_MEMORY_ENTER, &in->ctx, 1, "probe.wave");
		return;
	}
	/* Arguments of a function come in vector registers although all lanes agree. */
	in->ctx = LLVMGetParam(in->clone, params - 2);
	in->ctx = LLVMBuildIntToPtr(in->builder,
				    uniform(in, LLVMBuildPtrToInt(in->builder, in->ctx, i64, "")),
				    LLVMTypeOf(in->ctx), "");
	load_regular(in);
	in->wave = uniform(in, LLVMGetParam(in->clone, params - 1));
}

bool pass_ends_wave(LLVMValueRef inst)
{
	LLVMValueRef callee =
		LLVMIsACallInst(inst) ? LLVMIsAFunction(LLVMGetCalledValue(inst)) : NULL;
	size_t size;

	return callee && !strcmp(LLVMGetValueName2(callee, &size), "llvm.amdgcn.endpgm");
}

static void rewrite_call(struct insert *in, LLVMValueRef inst)
{
	struct pass_unit *callee = pass_units_find(in->units, pass_direct_callee(inst));
	LLVMValueRef extra[] = {in->ctx, in->wave};

	if (callee && callee->probed && !callee->kernel && !probe_shim_has_bundles(inst))
		probe_shim_recall(inst, callee->clone[in->kind], extra, 2);
}

/* Unless its group counts it. */
static void insert_own(struct insert *in, LLVMValueRef inst, const struct pass_site *site,
		       uint32_t id)
{
	if (in->kind != PROBE_KIND_MEMORY ||
	    in->plan.site[id - in->unit->first_site].group == PLAN_NONE)
		insert_site(in, inst, site, id);
}

static void insert_groups(struct insert *in)
{
	struct pass_group_insert groups = {
		.plan = &in->plan,
		.devlib = in->devlib,
		.builder = in->builder,
		.clone = in->clone,
		.ctx = in->ctx,
		.regular = in->regular,
		.last = in->last,
		.analyses = in->analyses,
	};

	pass_group_insert(&groups);
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

/* Looking for the wave's replica is a good part of what a small kernel does: not for nothing. */
static void drop_entry(struct insert *in)
{
	if (in->kind != PROBE_KIND_MEMORY || !in->unit->kernel)
		return;
	drop_unused(in, in->wave);
	drop_unused(in, in->ctx);
}

static void insert_body(struct insert *in, const struct pass_options *options)
{
	uint32_t id = in->unit->first_site;

	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(in->clone); block;
	     block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block), next; inst; inst = next) {
			struct pass_site site;

			next = LLVMGetNextInstruction(inst);
			if (pass_site_wanted(inst, options, &site))
				insert_own(in, inst, &site, id++);
			else
				rewrite_call(in, inst);
		}
}

void pass_insert(const struct pass_units *units, const struct pass_unit *unit, enum probe_kind kind,
		 struct devlib *devlib, const struct pass_options *options, void *analyses)
{
	struct insert in = {
		.units = units,
		.unit = unit,
		.devlib = devlib,
		.kind = kind,
		.clone = unit->clone[kind],
		.plain = options->portable || pass_is_plain(unit->original, options),
		.analyses = analyses,
	};

	in.context = LLVMGetModuleContext(LLVMGetGlobalParent(in.clone));
	in.builder = LLVMCreateBuilderInContext(in.context);
	if (kind == PROBE_KIND_MEMORY)
		pass_plan_init(&in.plan, unit, in.clone, options, unit->first_site, analyses);
	if (in.plan.counters)
		in.last = probe_shim_single_return(in.clone);
	/* It never returns. */
	if (!in.last)
		pass_plan_drop_counters(&in.plan);
	/* The entry comes before the sites in the block, but after them in this order: see below.
	 */
	insert_entry(&in);
	insert_body(&in, options);
	insert_groups(&in);
	drop_entry(&in);
	LLVMDisposeBuilder(in.builder);
	for (size_t i = 0; i < in.calls; i++)
		probe_shim_inline(in.call[i]);
	free(in.call);
	pass_plan_deinit(&in.plan);
	if (!pass_is_plain(unit->original, options))
		probe_shim_cleanup(in.clone, analyses);
}
