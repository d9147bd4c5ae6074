/* SPDX-License-Identifier: MIT */
#include "pass_keep.h"

#include <stdio.h>

#include "pass_cell.h"
#include "pass_shim.h"

enum {
	KEEP_SGPRS = 4,	      /* of a slot: EXEC, mask, cost (devlib_keep.h) */
	KEEP_SHARED = 2,      /* and, if it has several sites: counted, owner */
	KEEP_SGPRS_MOST = 40, /* with the counters of groups */
	KEEP_LDS_UNITS = 32,  /* more passes than a cost can hold */
	KEEP_TIMES = 22,      /* where in a cost the executions are counted */
	KEEP_FIRST_MASK = -128,
};

/* The scalar registers of a slot. */
struct state {
	char exec[16], mask[8], cost[8], low[8];
	char counted[12]; /* the other sites it is counted with: a register, if it leads any */
	char owner[8];	  /* shared: where the row is of the site whose state it is */
};

static void name_state(const struct pass_keep *keep, unsigned slot, struct state *ret)
{
	unsigned first = keep->first + KEEP_SGPRS * (keep->slots - 1 - slot);

	snprintf(ret->exec, sizeof(ret->exec), "s[%u:%u]", first, first + 1);
	snprintf(ret->low, sizeof(ret->low), "s%u", first);
	snprintf(ret->mask, sizeof(ret->mask), "s%u", first + 2);
	snprintf(ret->cost, sizeof(ret->cost), "s%u", first + 3);
	if (keep->shared)
		snprintf(ret->owner, sizeof(ret->owner), "s%u",
			 keep->first - KEEP_SHARED * (slot + 1));
	if (keep->shared || keep->slot[slot].of.lead)
		pass_keep_counted(keep, (int)slot, ret->counted, sizeof(ret->counted));
	else
		snprintf(ret->counted, sizeof(ret->counted), "0x%x", keep->slot[slot].of.also);
}

void pass_keep_counted(const struct pass_keep *keep, int slot, char *ret, size_t size)
{
	unsigned below = 1;

	for (int i = 0; i < slot; i++)
		below += keep->shared ? KEEP_SHARED : keep->slot[i].of.lead != NULL;
	snprintf(ret, size, "s%u", keep->first - below);
}

/* ---- Which sites ---------------------------------------------------------------------------- */

bool pass_keep_calls(LLVMValueRef function)
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

static bool can_keep(const struct pass_measured *measured, const struct pass_site *site)
{
	bool lds = site->space == PROBE_SPACE_LDS;

	return measured->is && measured->slot == PLAN_NONE && !measured->behind &&
	       (lds || site->space == PROBE_SPACE_GLOBAL) && pass_measure_is_one_call(site) &&
	       site->size / site->unit <= KEEP_LDS_UNITS;
}

/* Is the site alike, and in a loop that none of the slot's are in, nor any of theirs within it? */
static bool can_join(const struct keep_slot *slot, const struct plan_site *site,
		     const struct analysis *flow)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(site->inst);

	if (slot->users == KEEP_USERS || !pass_measure_alike(slot->of.site, &site->site))
		return false;
	for (unsigned i = 0; i < slot->users; i++) {
		LLVMBasicBlockRef other = LLVMGetInstructionParent(slot->user[i]);

		if (analysis_same_loop(flow, slot->user[i], block) ||
		    analysis_same_loop(flow, site->inst, other))
			return false;
	}
	return true;
}

/* A slot for the site; shared if there are registers for no more; PLAN_NONE. */
static int find_slot(struct pass_keep *keep, const struct pass_plan *plan,
		     const struct keep_site *of, const struct plan_site *site,
		     const struct analysis *flow)
{
	unsigned more = keep->more + (keep->shared ? KEEP_SHARED : of->lead != NULL);
	unsigned registers = KEEP_SGPRS * (keep->slots + 1) + more + (unsigned)plan->counters;
	int best = PLAN_NONE;

	if (keep->slots < KEEP_SLOTS && registers <= KEEP_SGPRS_MOST) {
		keep->more = more;
		keep->slot[keep->slots] = (struct keep_slot){.of = *of};
		return (int)keep->slots++;
	}
	for (unsigned i = 0; keep->shared && i < keep->slots; i++)
		if (can_join(&keep->slot[i], site, flow) &&
		    (best == PLAN_NONE || keep->slot[i].users < keep->slot[best].users))
			best = (int)i;
	return best;
}

/* How many sites have a slot. */
static unsigned assign(struct pass_keep *keep, const struct pass_plan *plan,
		       struct pass_measured *measured, const struct analysis *flow,
		       unsigned depth)
{
	unsigned count = 0;

	for (size_t i = 0; i < plan->sites; i++)
		measured[i].slot = PLAN_NONE;
	for (; depth; depth--)
		for (size_t i = 0; i < plan->sites; i++) {
			const struct plan_site *site = &plan->site[i];
			const struct keep_site of = {&site->site, plan->first_site + (uint32_t)i,
						     measured[i].also, measured[i].lead};
			struct keep_slot *slot;

			if (analysis_loop_depth(flow, LLVMGetInstructionParent(site->inst)) !=
				    depth ||
			    !can_keep(&measured[i], &site->site))
				continue;
			measured[i].slot = find_slot(keep, plan, &of, site, flow);
			if (measured[i].slot == PLAN_NONE)
				continue;
			slot = &keep->slot[measured[i].slot];
			slot->user[slot->users++] = site->inst;
			count++;
		}
	return count;
}

void pass_keep_choose(struct pass_keep *keep, const struct pass_plan *plan,
		      struct pass_measured *measured, LLVMValueRef function,
		      const struct pass_options *options, const struct analysis *flow)
{
	struct pass_keep shared = *keep;
	unsigned deepest = 0, alone;

	if (!plan->registers || pass_keep_calls(function))
		return;
	for (size_t i = 0; i < plan->sites; i++) {
		unsigned depth =
			analysis_loop_depth(flow, LLVMGetInstructionParent(plan->site[i].inst));

		deepest = depth > deepest ? depth : deepest;
	}
	shared.shared = true;
	alone = assign(keep, plan, measured, flow, deepest);
	if (pass_enabled(options, PASS_SHARED_SLOTS) &&
	    assign(&shared, plan, measured, flow, deepest) > alone) {
		*keep = shared;
	} else {
		*keep = (struct pass_keep){.measure = keep->measure};
		assign(keep, plan, measured, flow, deepest);
	}
	/* Pairs of registers begin at even ones. */
	keep->first = ((unsigned)(PLAN_COUNTER_LAST + 1 - plan->counters) & ~1u) -
		      KEEP_SGPRS * keep->slots;
}

/* ---- Code ----------------------------------------------------------------------------------- */

static LLVMValueRef share(const struct pass_keep *keep, enum devlib_function which,
			  const struct keep_site *of)
{
	return devlib_share(keep->measure->devlib, which, pass_site_shape(of->site),
			    keep->measure->clone, keep->measure->analyses);
}

/* Add up what has been counted, if it is something; else go on at .Lprobe_NAME. */
static void put_repeated(const struct pass_keep *keep, struct pass_asm *code, unsigned slot,
			 unsigned wave, const char *name)
{
	const struct keep_site *of = &keep->slot[slot].of;
	struct state state;

	name_state(keep, slot, &state);
	pass_asm_put(code, "s_lshr_b32 s4, %s, %u", state.cost, KEEP_TIMES);
	pass_asm_put(code, "s_cbranch_scc0 .Lprobe_%s${:uid}", name);
	pass_measure_row(code, wave, keep->shared ? 0 : of->id, state.counted);
	if (keep->shared) {
		pass_asm_put(code, "s_add_u32 s4, s4, %s", state.owner);
		pass_asm_put(code, "s_addc_u32 s5, s5, 0");
	}
	pass_asm_put(code, "s_bcnt1_i32_b64 s10, %s", state.exec);
	pass_asm_put(code, "s_mov_b32 s7, %s", state.cost);
	pass_measure_call(code, share(keep, DEVLIB_MEMORY_REPEAT, of));
}

/* Go to .Lprobe_end if this execution is as the one before, to .Lprobe_off if nobody asks. */
static void put_look(struct pass_asm *code, const struct state *state, bool lds, unsigned address,
		     unsigned low, const uint32_t *owner)
{
	if (owner) {
		pass_asm_put(code, "s_cmp_eq_u32 %s, 0x%x", state->owner, *owner);
		pass_asm_put(code, "s_cbranch_scc0 .Lprobe_other${:uid}");
	}
	pass_asm_put(code, "v_readfirstlane_b32 s4, $%u", low);
	pass_asm_put(code, "s_and_b32 s4, s4, %s", state->mask);
	pass_asm_put(code, "s_cbranch_scc0 .Lprobe_off${:uid}");
	pass_asm_put(code, ".Lprobe_look${:uid}:");
	if (lds) {
		pass_asm_put(code, "v_subrev_u32 v0, s4, $%u", address);
		pass_asm_put(code, "v_cmp_ne_u32 vcc, v0, $0");
	} else {
		pass_asm_put(code, "v_mad_i64_i32 v[0:1], vcc, s4, -1, $%u", address);
		pass_asm_put(code, "v_cmp_ne_u64 vcc, v[0:1], $0");
	}
	pass_asm_put(code, "s_xor_b64 s[6:7], exec, %s", state->exec);
	pass_asm_put(code, "s_or_b64 vcc, vcc, s[6:7]");
	pass_asm_put(code, "s_cbranch_scc1 .Lprobe_other${:uid}");
	pass_asm_put(code, "s_add_u32 %s, %s, 0x%x", state->cost, state->cost, 1u << KEEP_TIMES);
	pass_asm_put(code, "s_cbranch_scc0 .Lprobe_end${:uid}");
	/* No room for more. */
	pass_asm_put(code, "s_sub_u32 %s, %s, 0x%x", state->cost, state->cost, 1u << KEEP_TIMES);
}

/* Measure it, and keep it if that is possible; else the other rows may be left. */
static void put_other(const struct pass_keep *keep, struct pass_asm *code, unsigned slot,
		      const struct keep_site *of, unsigned wave, unsigned address)
{
	bool lds = of->site->space == PROBE_SPACE_LDS;
	struct state state;

	name_state(keep, slot, &state);
	pass_asm_put(code, ".Lprobe_other${:uid}:");
	put_repeated(keep, code, slot, wave, "measure");
	pass_asm_put(code, "s_mov_b32 %s, 0", state.cost);
	pass_asm_put(code, ".Lprobe_measure${:uid}:");
	if (keep->shared) {
		pass_asm_put(code, "s_cmp_eq_u32 %s, 0x%x", state.owner, of->id * PASS_ROW_BYTES);
		pass_asm_put(code, "s_cselect_b32 %s, %s, 0", state.cost, state.cost);
		pass_asm_put(code, "s_mov_b32 %s, 0x%x", state.owner, of->id * PASS_ROW_BYTES);
		if (!of->lead)
			pass_asm_put(code, "s_mov_b32 %s, 0x%x", state.counted, of->also);
	}
	pass_asm_put(code, "s_mov_b64 %s, 0", state.exec);
	pass_asm_put(code, "s_movk_i32 %s, %d", state.mask, KEEP_FIRST_MASK);
	pass_measure_place(code, of->site, address);
	if (of->lead)
		pass_lead_put_kept(of->lead, code, state.counted, of->also);
	pass_measure_row(code, wave, of->id, state.counted);
	if (!of->lead)
		pass_asm_put(code, "s_mov_b32 s28, 0");
	pass_asm_put(code, "s_mov_b32 s7, %s", state.cost);
	pass_asm_put(code, "s_mov_b32 s29, 0");
	pass_measure_call(code, share(keep, DEVLIB_MEMORY_KEEP, of));
	pass_asm_put(code, "v_readfirstlane_b32 s4, v2");
	pass_asm_put(code, "s_cmp_eq_u32 s4, 0");
	pass_asm_put(code, "s_cbranch_scc1 .Lprobe_rows${:uid}");
	pass_asm_put(code, "s_mov_b64 %s, exec", state.exec);
	pass_asm_put(code, "s_and_b32 %s, s4, -2", state.mask);
	pass_asm_put(code, "s_mov_b32 %s, s7", state.cost);
	if (of->lead)
		pass_asm_put(code, "s_or_b32 %s, %s, s28", state.counted, state.counted);
	pass_asm_put(code, lds ? "v_mov_b32 $0, v0" : "v_lshlrev_b64 $0, 0, v[0:1]");
	pass_asm_put(code, "s_branch .Lprobe_end${:uid}");
}

void pass_keep_put(struct pass_keep *keep, int slot, const struct keep_site *of,
		   LLVMValueRef address)
{
	struct pass_measure *measure = keep->measure;
	LLVMValueRef pattern = keep->slot[slot].pattern;
	const uint32_t owner = of->id * PASS_ROW_BYTES;
	LLVMTypeRef type = LLVMTypeOf(address);
	LLVMContextRef context = LLVMGetTypeContext(type);
	bool lds = of->site->space == PROBE_SPACE_LDS;
	LLVMValueRef first = share(keep, DEVLIB_MEMORY_FIRST, of), low = address, value;
	struct pass_asm code = {.result = type};
	unsigned place, wave, low_place;
	struct state state;

	name_state(keep, (unsigned)slot, &state);
	if (!lds)
		low = LLVMBuildTrunc(measure->builder, address, LLVMInt32TypeInContext(context),
				     "");
	value = LLVMBuildLoad2(measure->builder, type, pattern, "");
	if (of->lead)
		pass_lead_build(of->lead, measure->builder, context);
	pass_asm_constrain(&code, "=v");
	pass_asm_operand(&code, "0", value);
	place = pass_asm_operand(&code, "v", address);
	low_place = pass_asm_operand(&code, "v", low);
	wave = pass_asm_scalar(&code, measure->builder, measure->wave);
	put_look(&code, &state, lds, place, low_place, keep->shared ? &owner : NULL);
	put_other(keep, &code, (unsigned)slot, of, wave, place);
	/* A base of 0 is none of these. */
	pass_asm_put(&code, ".Lprobe_off${:uid}:");
	pass_asm_put(&code, "s_cmp_lg_u32 %s, 0", state.mask);
	pass_asm_put(&code, "s_cbranch_scc1 .Lprobe_look${:uid}");
	pass_measure_place(&code, of->site, place);
	if (of->lead)
		pass_lead_put(of->lead, &code, state.counted, of->also);
	pass_measure_row(&code, wave, of->id, state.counted);
	pass_asm_put(&code, "v_mov_b32 v0, 0");
	pass_measure_call(&code, first);
	pass_asm_put(&code, ".Lprobe_rows${:uid}:");
	/* Nothing is kept here. */
	if (of->also || of->lead)
		pass_measure_rows(&code, of->site, first, wave, place, of->id, state.counted,
				  state.low);
	pass_asm_put(&code, ".Lprobe_end${:uid}:");
	LLVMBuildStore(measure->builder, pass_asm_finish(&code, measure->builder, context),
		       pattern);
}

void pass_keep_begin(struct pass_keep *keep)
{
	LLVMBuilderRef builder = keep->measure->builder;
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(keep->measure->wave));
	LLVMTypeRef i32 = LLVMInt32TypeInContext(context), i64 = LLVMInt64TypeInContext(context);
	struct pass_asm code = {.result = i32};

	if (!keep->slots)
		return;
	LLVMPositionBuilderBefore(builder, pass_entry_point(keep->measure->clone));
	LLVMSetCurrentDebugLocation2(builder, NULL);
	for (unsigned i = 0; i < keep->slots; i++) {
		struct state state;

		name_state(keep, i, &state);
		pass_asm_put(&code, "s_mov_b64 %s, 0", state.exec);
		pass_asm_put(&code, "s_movk_i32 %s, %d", state.mask, KEEP_FIRST_MASK);
		pass_asm_put(&code, "s_mov_b32 %s, 0", state.cost);
		if (keep->shared)
			pass_asm_put(&code, "s_mov_b32 %s, 0", state.owner);
	}
	/* The last one is told to the compiler, so that the wave gets them all. */
	pass_asm_constrain(&code, "={s%u}", keep->first + KEEP_SGPRS * keep->slots - 1);
	pass_asm_build(&code, builder, context);
	for (unsigned i = 0; i < keep->slots; i++)
		keep->slot[i].pattern = LLVMBuildAlloca(
			builder, keep->slot[i].of.site->space == PROBE_SPACE_LDS ? i32 : i64, "");
}

void pass_keep_end(struct pass_keep *keep, LLVMValueRef last)
{
	LLVMBuilderRef builder = keep->measure->builder;
	struct pass_asm code = {0};
	unsigned wave;

	if (!keep->slots)
		return;
	LLVMPositionBuilderBefore(builder, last);
	LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(last));
	wave = pass_asm_scalar(&code, builder, keep->measure->wave);
	for (unsigned i = 0; i < keep->slots; i++) {
		char name[16];

		snprintf(name, sizeof(name), "slot%u", i);
		put_repeated(keep, &code, i, wave, name);
		pass_asm_put(&code, ".Lprobe_%s${:uid}:", name);
	}
	pass_asm_finish(&code, builder, LLVMGetTypeContext(LLVMTypeOf(keep->measure->wave)));
}

void pass_keep_settle(struct pass_keep *keep)
{
	LLVMValueRef slots[KEEP_SLOTS];
	char limit[12];

	if (!keep->slots)
		return;
	/* As in pass_group.c. */
	snprintf(limit, sizeof(limit), "%u", keep->first - keep->more + 2);
	LLVMAddTargetDependentFunctionAttr(keep->measure->clone, "amdgpu-num-sgpr", limit);
	for (unsigned i = 0; i < keep->slots; i++)
		slots[i] = keep->slot[i].pattern;
	probe_shim_promote(slots, keep->slots);
}
