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
#include "llvm-plugin/emit/measurement_cache.h"
#include "llvm-plugin/plugin/call_units.h"
#include "llvm-plugin/plugin/compile_options.h"
#include "llvm-plugin/plugin/ir_helpers.h"
#include "llvm-plugin/sites/access_sites.h"

/* What every probe of one clone needs. */
struct insert {
	const struct call_units *units;
	const struct call_unit *unit;
	const struct pass_options *options;
	struct devlib *devlib;
	enum probe_kind kind;
	bool plain; /* calls of the long way only */
	void *analyses;
	struct group_plan plan;
	LLVMValueRef clone, ctx, wave;
	LLVMValueRef last;    /* memory: the only return, if there are counters */
	LLVMValueRef regular; /* probe_ctx.regular, if something is counted by groups */
	LLVMValueRef enumerated;
	LLVMContextRef context;
	LLVMBuilderRef builder;
	LLVMValueRef *call; /* calls of probes, to be inlined */
	size_t calls, capacity;
	struct measure_context measure;
	struct measured_site *measured; /* of each site */
	struct measurement_cache cache;
};

enum { ALSO_SITES = 32 }; /* of measure_access.h: they are bits of a word */

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
static void insert_plain(struct insert *in, LLVMValueRef address, const struct access_site *site,
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

/* Do both accesses, under the same EXEC, have the same counters? In LDS, all banks are alike. */
static bool count_the_same(const struct analysis *flow, const struct plan_site *a,
			   const struct plan_site *b)
{
	bool lds = a->site.space == PROBE_SPACE_LDS;
	struct analysis_difference apart;
	int64_t distance;

	if (!measure_alike(&a->site, &b->site))
		return false;
	if (analysis_distance(flow, a->site.pointer, b->site.pointer, &distance))
		return distance % (lds ? measure_lds_width(&a->site) : 128) == 0;
	return lds &&
	       analysis_difference(flow, a->site.pointer, b->site.pointer,
				   LLVMGetInstructionParent(a->inst), &apart) &&
	       apart.multiple % representative_alignment(&a->site) == 0;
}

/* What is called may end the wave. */
static bool ends_run(LLVMValueRef inst)
{
	LLVMValueRef callee =
		LLVMIsACallInst(inst) ? LLVMIsAFunction(LLVMGetCalledValue(inst)) : NULL;

	return LLVMIsACallInst(inst) &&
	       (!callee || !LLVMGetIntrinsicID(callee) || pass_ends_wave(inst));
}

/*
 * Sites behind this one that are counted with it: bit n = the n-th from here. Or, if `lead`, such
 * as are found then that they may be.
 */
static uint32_t find_also(struct insert *in, const struct analysis *flow, size_t index,
			  bool representative)
{
	const struct plan_site *first = &in->plan.site[index];
	struct measured_site *measured = &in->measured[index];
	LLVMValueRef inst = first->inst;
	uint32_t also = 0, n = 0;

	for (inst = LLVMGetNextInstruction(inst); inst && !ends_run(inst) && n + 1 < ALSO_SITES;
	     inst = LLVMGetNextInstruction(inst)) {
		const struct plan_site *other = first + n + 1;

		if (index + n + 1 == in->plan.sites || other->inst != inst)
			continue;
		n++;
		if (!measured[n].is || measured[n].behind)
			continue;
		if (!representative)
			also |= (uint32_t)count_the_same(flow, first, other) << n;
		else if (!((uint64_t)measured[n].also << n >> 32) &&
			 representative_add(&measured->representative, flow, first->inst,
					    &first->site, &other->site,
					    1u << n | measured[n].also << n))
			measured[n].behind = n;
	}
	return also;
}

/* Can the site be counted with others? */
static bool may_represent(const struct insert *in, size_t index)
{
	const struct access_site *site = &in->plan.site[index].site;

	return in->measured[index].is && site->space != PROBE_SPACE_FLAT &&
	       measure_is_one_call(site);
}

/* Who leads must have a slot, or something to test. */
static void drop_representatives(struct insert *in)
{
	for (size_t i = 0; i < in->plan.sites; i++) {
		struct measured_site *measured = &in->measured[i];
		const struct measured_site *leader = measured - measured->behind;

		if (leader->slot == PLAN_NONE && !representative_has_tests(leader->representative))
			measured->behind = 0;
	}
}

/* What is measured, and for which others. The function is as it was. */
static void find_derived(struct insert *in)
{
	size_t sites = in->plan.sites;
	struct analysis *flow;

	in->measured = pass_alloc(NULL, (sites + 1) * sizeof(*in->measured));
	for (size_t i = 0; i < sites; i++)
		in->measured[i] = (struct measured_site){
			.is = in->plan.site[i].group == PLAN_NONE,
			.slot = PLAN_NONE,
		};
	in->cache.measure = &in->measure;
	if (in->plain)
		return;
	flow = analysis_create(in->clone, false, in->analyses);
	for (size_t i = 0; i < sites; i++) {
		if (!may_represent(in, i))
			continue;
		if (pass_enabled(in->options, PASS_TWINS))
			in->measured[i].also = find_also(in, flow, i, false);
		for (uint32_t n = 1; n < ALSO_SITES; n++)
			if (in->measured[i].also >> n & 1)
				in->measured[i + n].is = false;
	}
	for (size_t i = 0; i < sites && pass_enabled(in->options, PASS_LEADERS); i++)
		if (may_represent(in, i) && !in->measured[i].behind)
			find_also(in, flow, i, true);
	if (pass_enabled(in->options, PASS_PATTERN_CACHE))
		measurement_cache_choose(&in->cache, &in->plan, in->measured, in->clone, flow);
	drop_representatives(in);
	analysis_destroy(flow);
}

/* Behind another site, which has counted it with its own if it could. */
static void insert_behind(struct insert *in, size_t index, LLVMValueRef address)
{
	const struct measured_site *measured = &in->measured[index];
	const struct measured_site *leader = measured - measured->behind;
	struct measure_derived behind = {.behind = measured->behind};
	char counted[12];

	behind.counted = leader->slot == PLAN_NONE ? leader->representative->counted : NULL;
	behind.in = counted;
	if (leader->slot != PLAN_NONE)
		measurement_cache_counted(&in->cache, leader->slot, counted, sizeof(counted));
	measure_emit_derived(&in->measure, &in->plan.site[index].site,
			     in->unit->first_site + (uint32_t)index, address, measured->also,
			     &behind);
}

static void insert_site(struct insert *in, LLVMValueRef inst, const struct access_site *site,
			uint32_t id)
{
	size_t index = id - in->unit->first_site;
	const struct measured_site *measured = &in->measured[index];
	LLVMValueRef address;

	LLVMPositionBuilderBefore(in->builder, inst);
	LLVMSetCurrentDebugLocation2(in->builder, LLVMInstructionGetDebugLoc(inst));
	address = measure_address(&in->measure, site);
	if (in->plain)
		insert_plain(in, address, site, id);
	else if (measured->slot != PLAN_NONE)
		measurement_cache_emit(
			&in->cache, measured->slot,
			&(struct cached_site){site, id, measured->also, measured->representative},
			address);
	else if (measured->behind)
		insert_behind(in, index, address);
	else if (representative_has_tests(measured->representative))
		measure_emit_representative(&in->measure, site, id, address, measured->also,
					    measured->representative);
	else
		measure_emit(&in->measure, site, id, address, measured->also);
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
	/* Arguments of a function come in vector registers although all lanes agree. */
	in->ctx = LLVMGetParam(in->clone, params - 2);
	in->ctx = LLVMBuildIntToPtr(in->builder,
				    uniform(in, LLVMBuildPtrToInt(in->builder, in->ctx, i64, "")),
				    LLVMTypeOf(in->ctx), "");
	in->wave = uniform(in, LLVMGetParam(in->clone, params - 1));
	load_regular(in);
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
	struct call_unit *callee = call_units_find(in->units, pass_direct_callee(inst));
	LLVMValueRef extra[] = {in->ctx, in->wave};

	if (callee && callee->probed && !callee->kernel && !ir_has_bundles(inst))
		ir_replace_call(inst, callee->clone[in->kind], extra, 2);
}

/* Looking for the wave's replica pays only if something is measured anyway. */
static bool measures(const struct insert *in)
{
	for (size_t i = 0; i < in->plan.sites; i++)
		if (in->measured[i].is)
			return true;
	return false;
}

static void insert_groups(struct insert *in)
{
	struct group_code groups = {
		.plan = &in->plan,
		.devlib = in->devlib,
		.builder = in->builder,
		.clone = in->clone,
		.ctx = in->ctx,
		.wave = !in->plain && measures(in) ? in->wave : NULL,
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
			struct access_site site;

			next = LLVMGetNextInstruction(inst);
			if (!access_site_wanted(inst, in->options, &site))
				rewrite_call(in, inst);
			else if (in->measured[id++ - in->unit->first_site].is)
				insert_site(in, inst, &site, id - 1);
		}
}

static void drop_registers(struct insert *in)
{
	plan_drop_counters(&in->plan);
	for (size_t i = 0; i < in->plan.sites; i++)
		in->measured[i].slot = PLAN_NONE;
	in->cache.slots = 0;
	drop_representatives(in);
}

void memory_insert(const struct call_units *units, const struct call_unit *unit,
		   enum probe_kind kind, struct devlib *devlib, const struct pass_options *options,
		   void *analyses)
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
	group_plan_init(&in.plan, unit, in.clone, options, unit->first_site, analyses);
	find_derived(&in);
	if (in.plan.counters || in.plan.prefixes || in.cache.slots)
		in.last = pass_single_return(in.clone);
	/* It never returns. */
	if (!in.last)
		drop_registers(&in);
	/* The entry comes before the sites in the block, but after them in this order: see below.
	 */
	insert_entry(&in);
	in.measure = (struct measure_context){.devlib = devlib,
					      .builder = in.builder,
					      .clone = in.clone,
					      .wave = in.wave,
					      .analyses = analyses};
	measurement_cache_begin(&in.cache);
	insert_body(&in);
	measurement_cache_end(&in.cache, in.last);
	insert_groups(&in);
	measurement_cache_finalise(&in.cache);
	drop_entry(&in);
	LLVMDisposeBuilder(in.builder);
	for (size_t i = 0; i < in.calls; i++)
		ir_inline(in.call[i]);
	free(in.call);
	for (size_t i = 0; i < in.plan.sites; i++)
		representative_destroy(in.measured[i].representative);
	free(in.measured);
	group_plan_deinit(&in.plan);
	if (!pass_is_plain(unit->original, options))
		ir_cleanup(in.clone, analyses);
}
