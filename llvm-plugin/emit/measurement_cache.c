/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/emit/measurement_cache.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include <probe/wire.h>

#include "llvm-plugin/analysis/ir_edit.h"
#include "llvm-plugin/emit/devlib_link.h"
#include "llvm-plugin/emit/mask_histogram.h"
#include "llvm-plugin/plugin/ir_helpers.h"
#include "llvm-plugin/sites/access_sites.h"

enum {
	CACHE_SGPRS = 4,      /* of a slot: EXEC, mask, cost (measure_cached.h) */
	CACHE_SGPRS_MAX = 40, /* with the counters of groups */
	CACHE_LDS_UNITS = 32, /* more passes than a cost can hold */
	CACHE_TIMES = 22,     /* where in a cost the executions are counted */
	CACHE_FIRST_MASK = -128,
};

/* The scalar registers of a slot. */
struct state {
	char exec[16], mask[8], cost[8], low[8];
	char counted[12]; /* the other sites it is counted with: a register, if it leads any */
};

static void name_state(const struct measurement_cache *cache, unsigned slot, struct state *ret)
{
	unsigned first = cache->first + CACHE_SGPRS * (cache->slots - 1 - slot);

	snprintf(ret->exec, sizeof(ret->exec), "s[%u:%u]", first, first + 1);
	snprintf(ret->low, sizeof(ret->low), "s%u", first);
	snprintf(ret->mask, sizeof(ret->mask), "s%u", first + 2);
	snprintf(ret->cost, sizeof(ret->cost), "s%u", first + 3);
	if (cache->slot[slot].of.representative)
		measurement_cache_counted(cache, (int)slot, ret->counted, sizeof(ret->counted));
	else
		snprintf(ret->counted, sizeof(ret->counted), "0x%x", cache->slot[slot].of.also);
}

void measurement_cache_counted(const struct measurement_cache *cache, int slot, char *ret,
			       size_t size)
{
	unsigned below = 1;

	for (int i = 0; i < slot; i++)
		below += cache->slot[i].of.representative != NULL;
	snprintf(ret, size, "s%u", cache->first - below);
}

/* ---- Which sites ---------------------------------------------------------------------------- */

bool measurement_cache_has_calls(LLVMValueRef function)
{
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
		     inst = LLVMGetNextInstruction(inst)) {
			LLVMValueRef called =
				LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;

			if (called && !LLVMIsAInlineAsm(called) &&
			    !(LLVMIsAFunction(called) && LLVMGetIntrinsicID(called)))
				return true;
		}
	return false;
}

static bool can_cache(const struct measured_site *measured, const struct access_site *site)
{
	bool lds = site->space == PROBE_SPACE_LDS;

	return measured->is && measured->slot == PLAN_NONE && !measured->behind &&
	       (lds || site->space == PROBE_SPACE_GLOBAL) && measure_is_one_call(site) &&
	       site->size / site->unit <= CACHE_LDS_UNITS;
}

/* A slot, if there are registers for one more; PLAN_NONE. */
static int add_slot(struct measurement_cache *cache, const struct group_plan *plan,
		    const struct cached_site *of)
{
	unsigned more = cache->more + (of->representative != NULL);
	unsigned registers = CACHE_SGPRS * (cache->slots + 1) + more + (unsigned)plan->counters;

	if (cache->slots == CACHE_SLOTS || registers > CACHE_SGPRS_MAX)
		return PLAN_NONE;
	cache->more = more;
	cache->slot[cache->slots] = (struct cache_slot){.of = *of};
	return (int)cache->slots++;
}

/* Slots for the sites in loops of this depth. */
static void add_slots(struct measurement_cache *cache, const struct group_plan *plan,
		      struct measured_site *measured, const struct analysis *flow, unsigned depth)
{
	for (size_t i = 0; i < plan->sites; i++) {
		const struct plan_site *site = &plan->site[i];
		const struct cached_site of = {&site->site, plan->first_site + (uint32_t)i,
					       measured[i].also, measured[i].representative};

		if (analysis_loop_depth(flow, LLVMGetInstructionParent(site->inst)) == depth &&
		    can_cache(&measured[i], &site->site))
			measured[i].slot = add_slot(cache, plan, &of);
	}
}

void measurement_cache_choose(struct measurement_cache *cache, const struct group_plan *plan,
			      struct measured_site *measured, LLVMValueRef function,
			      const struct analysis *flow)
{
	unsigned deepest = 0;

	if (!plan->registers || measurement_cache_has_calls(function))
		return;
	for (size_t i = 0; i < plan->sites; i++) {
		unsigned depth =
			analysis_loop_depth(flow, LLVMGetInstructionParent(plan->site[i].inst));

		deepest = depth > deepest ? depth : deepest;
	}
	for (unsigned depth = deepest; depth; depth--)
		add_slots(cache, plan, measured, flow, depth);
	/* Pairs of registers begin at even ones. */
	cache->first = ((unsigned)(PLAN_COUNTER_LAST + 1 - plan->counters) & ~1u) -
		       CACHE_SGPRS * cache->slots;
}

/* ---- Code ----------------------------------------------------------------------------------- */

static LLVMValueRef share(const struct measurement_cache *cache, enum devlib_function which,
			  const struct cached_site *of)
{
	return devlib_share(cache->measure->devlib, which, access_site_shape(of->site),
			    cache->measure->clone, cache->measure->analyses);
}

/* Add up what has been counted, if it is something; else go on at .Lprobe_NAME. */
static void emit_repeated(const struct measurement_cache *cache, struct asm_block *code,
			  unsigned slot, unsigned wave, const char *name)
{
	const struct cached_site *of = &cache->slot[slot].of;
	struct state state;

	name_state(cache, slot, &state);
	asm_line(code, "s_lshr_b32 s4, %s, %u", state.cost, CACHE_TIMES);
	asm_line(code, "s_cbranch_scc0 .Lprobe_%s${:uid}", name);
	measure_emit_row(code, wave, of->id, state.counted);
	asm_line(code, "s_bcnt1_i32_b64 s10, %s", state.exec);
	asm_line(code, "s_mov_b32 s7, %s", state.cost);
	measure_emit_call(code, share(cache, DEVLIB_MEMORY_REPEAT, of));
}

/* Go to .Lprobe_end if this execution is as the one before, to .Lprobe_off if the cache is off. */
static void emit_compare(struct asm_block *code, const struct state *state, bool lds,
			 unsigned address, unsigned low)
{
	asm_line(code, "v_readfirstlane_b32 s4, $%u", low);
	asm_line(code, "s_and_b32 s4, s4, %s", state->mask);
	asm_line(code, "s_cbranch_scc0 .Lprobe_off${:uid}");
	asm_line(code, ".Lprobe_look${:uid}:");
	if (lds) {
		asm_line(code, "v_subrev_u32 v0, s4, $%u", address);
		asm_line(code, "v_cmp_ne_u32 vcc, v0, $0");
	} else {
		asm_line(code, "v_mad_i64_i32 v[0:1], vcc, s4, -1, $%u", address);
		asm_line(code, "v_cmp_ne_u64 vcc, v[0:1], $0");
	}
	asm_line(code, "s_xor_b64 s[6:7], exec, %s", state->exec);
	asm_line(code, "s_or_b64 vcc, vcc, s[6:7]");
	asm_line(code, "s_cbranch_scc1 .Lprobe_other${:uid}");
	asm_line(code, "s_add_u32 %s, %s, 0x%x", state->cost, state->cost, 1u << CACHE_TIMES);
	asm_line(code, "s_cbranch_scc0 .Lprobe_end${:uid}");
	/* No room for more. */
	asm_line(code, "s_sub_u32 %s, %s, 0x%x", state->cost, state->cost, 1u << CACHE_TIMES);
}

/* Measure it, and keep it if that is possible; else the other rows may be left. */
static void emit_other(const struct measurement_cache *cache, struct asm_block *code, unsigned slot,
		       const struct cached_site *of, unsigned wave, unsigned address)
{
	bool lds = of->site->space == PROBE_SPACE_LDS;
	struct state state;

	name_state(cache, slot, &state);
	asm_line(code, ".Lprobe_other${:uid}:");
	emit_repeated(cache, code, slot, wave, "measure");
	asm_line(code, "s_mov_b32 %s, 0", state.cost);
	asm_line(code, ".Lprobe_measure${:uid}:");
	asm_line(code, "s_mov_b64 %s, 0", state.exec);
	asm_line(code, "s_movk_i32 %s, %d", state.mask, CACHE_FIRST_MASK);
	measure_emit_address(code, of->site, address);
	if (of->representative)
		representative_emit_cached(of->representative, code, state.counted, of->also);
	measure_emit_row(code, wave, of->id, state.counted);
	if (!of->representative)
		asm_line(code, "s_mov_b32 s28, 0");
	asm_line(code, "s_mov_b32 s7, %s", state.cost);
	asm_line(code, "s_mov_b32 s29, 0");
	measure_emit_call(code, share(cache, DEVLIB_MEMORY_KEEP, of));
	asm_line(code, "v_readfirstlane_b32 s4, v2");
	asm_line(code, "s_cmp_eq_u32 s4, 0");
	asm_line(code, "s_cbranch_scc1 .Lprobe_rows${:uid}");
	asm_line(code, "s_mov_b64 %s, exec", state.exec);
	asm_line(code, "s_and_b32 %s, s4, -2", state.mask);
	asm_line(code, "s_mov_b32 %s, s7", state.cost);
	if (of->representative)
		asm_line(code, "s_or_b32 %s, %s, s28", state.counted, state.counted);
	asm_line(code, lds ? "v_mov_b32 $0, v0" : "v_lshlrev_b64 $0, 0, v[0:1]");
	asm_line(code, "s_branch .Lprobe_end${:uid}");
}

void measurement_cache_emit(struct measurement_cache *cache, int slot, const struct cached_site *of,
			    LLVMValueRef address)
{
	struct measure_context *measure = cache->measure;
	LLVMValueRef pattern = cache->slot[slot].pattern;
	LLVMTypeRef type = LLVMTypeOf(address);
	LLVMContextRef context = LLVMGetTypeContext(type);
	bool lds = of->site->space == PROBE_SPACE_LDS;
	LLVMValueRef first = share(cache, DEVLIB_MEMORY_FIRST, of), low = address, value;
	struct asm_block code = {.result = type};
	unsigned place, wave, low_place;
	struct state state;

	name_state(cache, (unsigned)slot, &state);
	if (!lds)
		low = LLVMBuildTrunc(measure->builder, address, LLVMInt32TypeInContext(context),
				     "");
	value = LLVMBuildLoad2(measure->builder, type, pattern, "");
	if (of->representative)
		representative_build(of->representative, measure->builder, context);
	asm_constrain(&code, "=v");
	asm_operand(&code, "0", value);
	place = asm_operand(&code, "v", address);
	low_place = asm_operand(&code, "v", low);
	wave = asm_scalar(&code, measure->builder, measure->wave);
	emit_compare(&code, &state, lds, place, low_place);
	emit_other(cache, &code, (unsigned)slot, of, wave, place);
	/* A base of 0 does not turn the cache off. */
	asm_line(&code, ".Lprobe_off${:uid}:");
	asm_line(&code, "s_cmp_lg_u32 %s, 0", state.mask);
	asm_line(&code, "s_cbranch_scc1 .Lprobe_look${:uid}");
	measure_emit_address(&code, of->site, place);
	if (of->representative)
		representative_emit(of->representative, &code, state.counted, of->also);
	measure_emit_row(&code, wave, of->id, state.counted);
	asm_line(&code, "v_mov_b32 v0, 0");
	measure_emit_call(&code, first);
	asm_line(&code, ".Lprobe_rows${:uid}:");
	/* Nothing is kept here. */
	if (of->also || of->representative)
		measure_emit_rows(&code, of->site, first, wave, place, of->id, state.counted,
				  state.low);
	asm_line(&code, ".Lprobe_end${:uid}:");
	LLVMBuildStore(measure->builder, asm_build_call(&code, measure->builder, context), pattern);
}

void measurement_cache_begin(struct measurement_cache *cache)
{
	LLVMBuilderRef builder = cache->measure->builder;
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(cache->measure->wave));
	LLVMTypeRef i32 = LLVMInt32TypeInContext(context), i64 = LLVMInt64TypeInContext(context);
	struct asm_block code = {.result = i32};

	if (!cache->slots)
		return;
	LLVMPositionBuilderBefore(builder, pass_entry_point(cache->measure->clone));
	LLVMSetCurrentDebugLocation2(builder, NULL);
	for (unsigned i = 0; i < cache->slots; i++) {
		struct state state;

		name_state(cache, i, &state);
		asm_line(&code, "s_mov_b64 %s, 0", state.exec);
		asm_line(&code, "s_movk_i32 %s, %d", state.mask, CACHE_FIRST_MASK);
		asm_line(&code, "s_mov_b32 %s, 0", state.cost);
	}
	/* The compiler sees the last one, so that the wave gets them all. */
	asm_constrain(&code, "={s%u}", cache->first + CACHE_SGPRS * cache->slots - 1);
	asm_build(&code, builder, context);
	for (unsigned i = 0; i < cache->slots; i++)
		cache->slot[i].pattern = LLVMBuildAlloca(
			builder, cache->slot[i].of.site->space == PROBE_SPACE_LDS ? i32 : i64, "");
}

void measurement_cache_end(struct measurement_cache *cache, LLVMValueRef last)
{
	LLVMBuilderRef builder = cache->measure->builder;
	struct asm_block code = {0};
	unsigned wave;

	if (!cache->slots)
		return;
	LLVMPositionBuilderBefore(builder, last);
	LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(last));
	wave = asm_scalar(&code, builder, cache->measure->wave);
	for (unsigned i = 0; i < cache->slots; i++) {
		char name[16];

		snprintf(name, sizeof(name), "slot%u", i);
		emit_repeated(cache, &code, i, wave, name);
		asm_line(&code, ".Lprobe_%s${:uid}:", name);
	}
	asm_build_call(&code, builder, LLVMGetTypeContext(LLVMTypeOf(cache->measure->wave)));
}

void measurement_cache_finalise(struct measurement_cache *cache)
{
	LLVMValueRef slots[CACHE_SLOTS];
	char limit[12];

	if (!cache->slots)
		return;
	/* As in group_code.c. */
	snprintf(limit, sizeof(limit), "%u", cache->first - cache->more + 2);
	LLVMAddTargetDependentFunctionAttr(cache->measure->clone, "amdgpu-num-sgpr", limit);
	for (unsigned i = 0; i < cache->slots; i++)
		slots[i] = cache->slot[i].pattern;
	ir_promote(slots, cache->slots);
}
