/* SPDX-License-Identifier: MIT */
/* Probes before the sites of a clone, the wave's entry and exit, and calls of cloned callees. */
#include <stdlib.h>
#include <string.h>

#include "pass.h"
#include "pass_asm.h"
#include "pass_group.h"
#include "pass_shim.h"

/* What every probe of one clone needs. */
struct insert {
	const struct pass_units *units;
	const struct pass_unit *unit;
	const struct pass_options *options;
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
	uint32_t counted; /* bit n = the site with the next id but n is counted with one before */
	struct {
		LLVMValueRef function, address;
	} first[8]; /* shared functions whose addresses are known */
	unsigned firsts;
};

enum { ALSO_SITES = 32 }; /* of devlib_measure.h: they are bits of a word */

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

/* What units of this size in LDS are counted as multiples of: see devlib_fast_passes.h. */
static uint32_t lds_width(const struct pass_site *site)
{
	return site->unit < 4 ? 4 : site->unit == 12 ? 16 : site->unit;
}

/* Are the units of this access counted by one call? */
static bool is_one_call(const struct pass_site *site)
{
	return site->size == site->unit ||
	       (site->space == PROBE_SPACE_LDS && lds_width(site) == site->unit);
}

/* What of a shape decides how an access is counted, apart from the place. */
static uint32_t kind_of(const struct pass_site *site)
{
	uint32_t shape = pass_site_shape(site) & ~(uint32_t)DEVLIB_SHAPE_UNALIGNED;

	if (site->space == PROBE_SPACE_GLOBAL)
		return shape & ~(uint32_t)(DEVLIB_SHAPE_STORE | DEVLIB_SHAPE_ATOMIC);
	return site->unit < 12 ? shape & ~(uint32_t)DEVLIB_SHAPE_STORE : shape;
}

/* Do both accesses, under the same EXEC, have the same counters? */
static bool count_the_same(const struct pass_site *a, const struct pass_site *b)
{
	int64_t distance;

	if (a->space != b->space || kind_of(a) != kind_of(b) ||
	    !probe_shim_distance(a->pointer, b->pointer, &distance))
		return false;
	return distance % (a->space == PROBE_SPACE_LDS ? lds_width(a) : 128) == 0;
}

static bool is_measured(const struct insert *in, uint32_t id)
{
	return in->plan.site[id - in->unit->first_site].group == PLAN_NONE;
}

/* What is called may end the wave. */
static bool ends_run(LLVMValueRef inst)
{
	LLVMValueRef callee =
		LLVMIsACallInst(inst) ? LLVMIsAFunction(LLVMGetCalledValue(inst)) : NULL;

	return LLVMIsACallInst(inst) &&
	       (!callee || !LLVMGetIntrinsicID(callee) || pass_ends_wave(inst));
}

/* Sites behind this one that are counted with it: bit n = the site with the n-th id from here. */
static uint32_t find_also(struct insert *in, LLVMValueRef inst, const struct pass_site *site,
			  uint32_t id)
{
	uint32_t also = 0, n = 0;

	for (inst = LLVMGetNextInstruction(inst); inst && !ends_run(inst) && n + 1 < ALSO_SITES;
	     inst = LLVMGetNextInstruction(inst)) {
		struct pass_site other;

		if (!pass_site_wanted(inst, in->options, &other))
			continue;
		n++;
		if (is_measured(in, id + n) && !(in->counted >> n & 1) &&
		    count_the_same(site, &other))
			also |= 1u << n;
	}
	return also;
}

/* Behind the function's wait (devlib_measure.h). In the entry block: it may be used in loops. */
static LLVMValueRef address_of(struct insert *in, LLVMValueRef function)
{
	LLVMBuilderRef builder;
	struct pass_asm code = {.result = LLVMInt64TypeInContext(in->context)};
	const unsigned most = sizeof(in->first) / sizeof(in->first[0]);
	LLVMValueRef address;
	size_t size;
	const char *name = LLVMGetValueName2(function, &size);

	for (unsigned i = 0; i < in->firsts; i++)
		if (in->first[i].function == function)
			return in->first[i].address;
	builder = LLVMCreateBuilderInContext(in->context);
	LLVMPositionBuilderBefore(builder, pass_entry_point(in->clone));
	pass_asm_constrain(&code, "={s[28:29]}");
	pass_asm_operand(&code, "i", function);
	pass_asm_put(&code, "s_getpc_b64 s[28:29]");
	pass_asm_put(&code, "s_add_u32 s28, s28, %.*s@rel32@lo+4+4", (int)size, name);
	pass_asm_put(&code, "s_addc_u32 s29, s29, %.*s@rel32@hi+12+4", (int)size, name);
	pass_asm_constrain(&code, "~{scc}");
	address = pass_asm_build(&code, builder, in->context);
	LLVMDisposeBuilder(builder);
	if (in->firsts < most) {
		in->first[in->firsts].function = function;
		in->first[in->firsts++].address = address;
	}
	return address;
}

static void insert_site(struct insert *in, LLVMValueRef inst, const struct pass_site *site,
			uint32_t id)
{
	bool lds = site->space == PROBE_SPACE_LDS, flat = site->space == PROBE_SPACE_FLAT;
	LLVMTypeRef i64 = LLVMInt64TypeInContext(in->context);
	LLVMTypeRef type = lds ? LLVMInt32TypeInContext(in->context) : i64;
	LLVMTypeRef any_type = LLVMPointerTypeInContext(in->context, PROBE_SPACE_FLAT);
	LLVMValueRef pointer, address, any = LLVMConstNull(any_type), more = any;
	uint32_t shape = pass_site_shape(site), also = 0;
	bool alone = shape & (DEVLIB_SHAPE_FLAT | DEVLIB_SHAPE_UNALIGNED);

	LLVMPositionBuilderBefore(in->builder, inst);
	LLVMSetCurrentDebugLocation2(in->builder, LLVMInstructionGetDebugLoc(inst));
	pointer = lds ? pass_opaque_lds(in->builder, site->pointer) : site->pointer;
	address = LLVMBuildPtrToInt(in->builder, pointer, type, "");
	if (in->plain) {
		insert_plain(in, address, site, id);
		return;
	}
	if (is_one_call(site) && !alone) {
		also = find_also(in, inst, site, id);
		in->counted |= also;
	}
	if (!is_one_call(site))
		any = devlib_share(in->devlib, DEVLIB_MEMORY_ANY, shape, in->clone, in->analyses);
	if (!is_one_call(site) && flat)
		more = devlib_share(in->devlib, DEVLIB_MEMORY_ANY, shape | DEVLIB_SHAPE_LDS,
				    in->clone, in->analyses);
	LLVMValueRef args[] = {
		in->wave,
		const_i32(in, id),
		LLVMBuildZExt(in->builder, address, i64, ""),
		const_i32(in, is_one_call(site) ? (shape & ~0xff00u) | 1 << 8 : shape),
		const_i32(in, also),
		address_of(in, devlib_share(in->devlib,
					    alone ? DEVLIB_MEMORY_ALONE : DEVLIB_MEMORY_FIRST,
					    shape, in->clone, in->analyses)),
		any,
		more,
	};
	call_probe(in, DEVLIB_MEMORY_ACCESS, args, 8, "");
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

/* Unless its group counts it, or a site before it. */
static void insert_own(struct insert *in, LLVMValueRef inst, const struct pass_site *site,
		       uint32_t id)
{
	bool counted = in->counted & 1;

	if (!counted && (in->kind != PROBE_KIND_MEMORY || is_measured(in, id)))
		insert_site(in, inst, site, id);
	in->counted >>= 1;
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

static void insert_body(struct insert *in)
{
	uint32_t id = in->unit->first_site;

	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(in->clone); block;
	     block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block), next; inst; inst = next) {
			struct pass_site site;

			next = LLVMGetNextInstruction(inst);
			if (pass_site_wanted(inst, in->options, &site))
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
		.options = options,
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
	insert_body(&in);
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
