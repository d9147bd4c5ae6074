/* SPDX-License-Identifier: MIT */
#include "pass_hold.h"

#include <stdio.h>

#include "pass_cell.h"

enum {
	HOLD_SGPRS = 6,
	HOLD_LOWEST = 46, /* registers below are the compiler's */
	HOLD_OFF = 4, /* in `at`: below it, how often nothing came of it; it is a multiple of 8 */
	HOLD_NUMBERS = 0xffff, /* in `key`: the group */
};

/* A state's registers. */
struct names {
	char exec[16], key[8], mask[8], at[8], count[8];
};

static void name_state(const struct pass_hold *hold, unsigned state, struct names *ret)
{
	unsigned first = hold->first + HOLD_SGPRS * state;

	snprintf(ret->exec, sizeof(ret->exec), "s[%u:%u]", first, first + 1);
	snprintf(ret->key, sizeof(ret->key), "s%u", first + 2);
	snprintf(ret->mask, sizeof(ret->mask), "s%u", first + 3);
	snprintf(ret->at, sizeof(ret->at), "s%u", first + 4);
	snprintf(ret->count, sizeof(ret->count), "s%u", first + 5);
}

/* ---- Which groups --------------------------------------------------------------------------- */

static bool can_hold(const struct plan_group *group)
{
	return group->loops && !group->alone && !group->once && !group->launched &&
	       group->aligned == 1 && group->cells != PROBE_ROW_NONE &&
	       group->bins != PROBE_ROW_NONE && group->heads == PROBE_ROW_NONE;
}

/* Does neither loop lie in the other? */
static bool are_apart(const struct probe_shim_flow *flow, LLVMBasicBlockRef a, LLVMBasicBlockRef b)
{
	return !probe_shim_flow_same_loop(flow, LLVMGetBasicBlockTerminator(a), b) &&
	       !probe_shim_flow_same_loop(flow, LLVMGetBasicBlockTerminator(b), a);
}

static int find_state(struct pass_hold *hold, unsigned most, LLVMBasicBlockRef block,
		      const struct probe_shim_flow *flow)
{
	for (unsigned i = 0; i < hold->states; i++) {
		struct hold_state *state = &hold->state[i];
		unsigned k = 0;

		while (k < state->users && are_apart(flow, state->user[k], block))
			k++;
		if (k == state->users && k < HOLD_USERS)
			return (int)i;
	}
	return hold->states < most ? (int)hold->states++ : PLAN_NONE;
}

void pass_hold_choose(struct pass_hold *hold, struct pass_plan *plan, unsigned lowest,
		      const struct probe_shim_flow *flow)
{
	unsigned most = 0, deepest = 0;

	lowest &= ~1u;
	while (most < HOLD_STATES && lowest >= HOLD_LOWEST + HOLD_SGPRS * (most + 1))
		most++;
	for (int i = 0; i < plan->groups; i++) {
		unsigned depth = probe_shim_flow_depth(flow, plan->group[i].block);

		deepest = depth > deepest ? depth : deepest;
	}
	for (unsigned depth = deepest; depth; depth--)
		for (int i = 0; i < plan->groups && i < HOLD_NUMBERS; i++) {
			struct plan_group *group = &plan->group[i];
			struct hold_state *state;

			if (probe_shim_flow_depth(flow, group->block) != depth || !can_hold(group))
				continue;
			group->hold = find_state(hold, most, group->block, flow);
			if (group->hold == PLAN_NONE)
				continue;
			state = &hold->state[group->hold];
			state->user[state->users++] = group->block;
		}
	hold->first = lowest - HOLD_SGPRS * hold->states;
}

void pass_hold_drop(struct pass_hold *hold, struct pass_plan *plan)
{
	hold->states = 0;
	for (int i = 0; i < plan->groups; i++)
		plan->group[i].hold = PLAN_NONE;
}

/*
 * What all accesses of the aligned stream are aligned to if its address is; 0 = some are not. A
 * power of two.
 */
static uint32_t alignment(const struct pass_plan *plan, int number)
{
	const struct plan_group *group = &plan->group[number];
	uint32_t most = 1;

	for (size_t i = group->first; i <= group->last; i++) {
		const struct plan_site *site = &plan->site[i];

		if (site->group != number || site->stream == PLAN_NONE ||
		    !group->stream[site->stream].aligned)
			continue;
		if ((site->site.unit & (site->site.unit - 1)) || site->site.size > 16 ||
		    site->delta % (int32_t)site->site.unit)
			return 0;
		most = site->site.unit > most ? site->site.unit : most;
	}
	return most;
}

/* ---- Code ----------------------------------------------------------------------------------- */

void pass_hold_begin(const struct pass_hold *hold, LLVMBuilderRef builder, LLVMValueRef after)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(after));
	struct pass_asm code = {.result = LLVMInt32TypeInContext(context)};

	if (!hold->states)
		return;
	LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(after));
	LLVMSetCurrentDebugLocation2(builder, NULL);
	for (unsigned i = 0; i < hold->states; i++) {
		struct names names;

		name_state(hold, i, &names);
		pass_asm_put(&code, "s_mov_b64 %s, 0", names.exec);
		pass_asm_put(&code, "s_mov_b32 %s, 0x%x", names.key, HOLD_NUMBERS);
		pass_asm_put(&code, "s_mov_b32 %s, 0", names.at);
		pass_asm_put(&code, "s_mov_b32 %s, 0", names.count);
	}
	/* The last one is told to the compiler, so that the wave gets them all. */
	pass_asm_constrain(&code, "={s%u}", hold->first + HOLD_SGPRS * hold->states - 1);
	pass_asm_build(&code, builder, context);
}

void pass_hold_look(const struct pass_hold *hold, struct pass_asm *code,
		    const struct pass_plan *plan, int group, LLVMValueRef places,
		    LLVMValueRef wraps)
{
	struct names names;

	name_state(hold, (unsigned)plan->group[group].hold, &names);
	pass_asm_put(code, "s_cmp_eq_u64 exec, %s", names.exec);
	pass_asm_put(code, "s_cbranch_scc0 .Lprobe_unheld${:uid}");
	pass_asm_put(code, "v_readfirstlane_b32 s4, $%u", pass_asm_operand(code, "v", places));
	pass_asm_put(code, "s_and_b32 s4, s4, %s", names.mask);
	pass_asm_put(code, "s_or_b32 s4, s4, %d", group);
	pass_asm_put(code, "s_cmp_eq_u32 s4, %s", names.key);
	pass_asm_put(code, "s_cbranch_scc0 .Lprobe_unheld${:uid}");
	if (wraps) {
		_Static_assert(PASS_WRAP_LIMIT == 1u << 30, "the constant below");
		pass_asm_put(code, "v_cmp_lt_u32 vcc, 0x3fffffff, $%u",
			     pass_asm_operand(code, "v", wraps));
		pass_asm_put(code, "s_cbranch_vccnz .Lprobe_unheld${:uid}");
	}
	pass_asm_put(code, "s_add_u32 %s, %s, 1", names.count, names.count);
	pass_asm_put(code, "s_branch .Lprobe_end${:uid}");
	pass_asm_put(code, ".Lprobe_unheld${:uid}:");
}

/* Count what has come; nothing of it is 0. Takes s[6:11], v0, v2, v3. */
static void put_count(struct pass_asm *code, const struct names *names, unsigned ctx)
{
	pass_cell_load(code, ctx);
	pass_asm_put(code, "s_mov_b64 s[6:7], exec");
	pass_asm_put(code, "s_mov_b64 exec, 1");
	pass_asm_put(code, "v_mov_b32 v2, %s", names->count);
	pass_asm_put(code, "v_mov_b32 v3, 0");
	pass_asm_put(code, "s_and_b32 %s, %s, -8", names->at, names->at);
	pass_asm_put(code, "s_waitcnt lgkmcnt(0)");
	pass_asm_put(code, "s_sub_u32 s10, %s, s8", names->at);
	pass_asm_put(code, "v_mov_b32 v0, s10");
	pass_asm_put(code, "global_atomic_add_x2 v0, v[2:3], s[8:9]");
	pass_asm_put(code, "s_mov_b64 exec, s[6:7]");
}

/* The mask and the key of what is held. */
static void put_key(struct pass_asm *code, const struct names *names, unsigned places, unsigned up,
		    uint32_t aligned, int group)
{
	pass_asm_put(code, "v_readfirstlane_b32 s5, $%u", places);
	pass_asm_put(code, "s_mov_b32 %s, 0x%x", names->mask, 127u << up);
	if (aligned) {
		pass_asm_put(code, "v_xor_b32 v0, s5, $%u", places);
		pass_asm_put(code, "v_and_b32 v0, %s, v0", names->mask);
		pass_asm_put(code, "v_cmp_ne_u32 vcc, 0, v0");
		pass_asm_put(code, "s_cbranch_vccnz .Lprobe_key${:uid}");
		pass_asm_put(code, "s_and_b32 s6, s5, 0x%x", (aligned - 1) << up);
		pass_asm_put(code, "s_cbranch_scc1 .Lprobe_key${:uid}");
		pass_asm_put(code, "s_mov_b32 %s, 0x%x", names->mask, (aligned - 1) << up);
	}
	pass_asm_put(code, ".Lprobe_key${:uid}:");
	pass_asm_put(code, "s_and_b32 %s, s5, %s", names->key, names->mask);
	pass_asm_put(code, "s_or_b32 %s, %s, %d", names->key, names->key, group);
}

void pass_hold_found(const struct pass_hold *hold, struct pass_asm *code,
		     const struct pass_plan *plan, int group, LLVMValueRef places, unsigned up,
		     unsigned ctx)
{
	struct names names;

	name_state(hold, (unsigned)plan->group[group].hold, &names);
	pass_asm_put(code, "s_branch .Lprobe_end${:uid}");
	pass_asm_put(code, ".Lprobe_found${:uid}:");
	/* An end to it if nothing came of the last patterns of this group. */
	pass_asm_put(code, "s_cmp_eq_u32 %s, 0x%x", names.at, HOLD_OFF | (unsigned)group << 3);
	pass_asm_put(code, "s_cbranch_scc1 .Lprobe_end${:uid}");
	pass_asm_put(code, "s_add_u32 s13, s13, s8");
	pass_asm_put(code, "s_and_b32 s4, %s, 3", names.at);
	pass_asm_put(code, "s_add_u32 s4, s4, 2");
	pass_asm_put(code, "s_cmp_eq_u32 %s, 0", names.count);
	pass_asm_put(code, "s_cbranch_scc1 .Lprobe_none${:uid}");
	put_count(code, &names, ctx);
	pass_asm_put(code, "s_mov_b32 s4, 0");
	pass_asm_put(code, "s_mov_b32 %s, 0", names.count);
	pass_asm_put(code, ".Lprobe_none${:uid}:");
	put_key(code, &names, pass_asm_operand(code, "v", places), up, alignment(plan, group),
		group);
	pass_asm_put(code, "s_or_b32 %s, s13, s4", names.at);
	pass_asm_put(code, "s_mov_b64 %s, exec", names.exec);
	_Static_assert(HOLD_OFF == 1 << 2, "the bit tested");
	pass_asm_put(code, "s_bitcmp1_b32 s4, 2");
	pass_asm_put(code, "s_cbranch_scc0 .Lprobe_end${:uid}");
	pass_asm_put(code, "s_mov_b64 %s, 0", names.exec);
	pass_asm_put(code, "s_mov_b32 %s, 0x%x", names.at, HOLD_OFF | (unsigned)group << 3);
}

void pass_hold_end(const struct pass_hold *hold, struct pass_asm *code, unsigned ctx)
{
	for (unsigned i = 0; i < hold->states; i++) {
		struct names names;

		name_state(hold, i, &names);
		pass_asm_put(code, "s_cmp_eq_u32 %s, 0", names.count);
		pass_asm_put(code, "s_cbranch_scc1 .Lprobe_held%u${:uid}", i);
		put_count(code, &names, ctx);
		pass_asm_put(code, ".Lprobe_held%u${:uid}:", i);
	}
}

void pass_hold_settle(const struct pass_hold *hold, LLVMValueRef clone)
{
	char limit[12];

	if (!hold->states)
		return;
	/* As in pass_group.c. */
	snprintf(limit, sizeof(limit), "%u", hold->first + 2);
	LLVMAddTargetDependentFunctionAttr(clone, "amdgpu-num-sgpr", limit);
}
