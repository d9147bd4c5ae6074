/* SPDX-License-Identifier: MIT */
/*
 * A group's code is one asm block, for the reasons given in devlib_measure.h. Its short way are
 * comparisons: EXEC is that of a regular wave, nothing is near a wrap, and every address tested is
 * at a multiple of 128. For a group that is ONCE that is all. Regular waves at other multiples of 4
 * go to the bins, all others to the cells. The long way measures each site by
 * the shared functions and, in a regular wave, takes back what the launch has counted for it.
 */
#include "pass_group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pass_asm.h"
#include "pass_cell.h"
#include "pass_group_parts.h"
#include "pass_measure.h"
#include "pass_shim.h"

_Static_assert(7 + 2 * PLAN_STREAMS + 2 * PLAN_SITES + 1 <= PASS_ASM_OPERANDS,
	       "operands of a group");

/* ---- Small pieces of code ------------------------------------------------------------------- */

static void put_address(struct pass_asm *code, const struct plan_site *site, unsigned address)
{
	if (site->stream == PLAN_NONE) {
		pass_asm_put(code, "v_mov_b32 v2, 0");
		pass_asm_put(code, "v_mov_b32 v3, 0");
	} else if (site->site.space == PROBE_SPACE_LDS) {
		pass_asm_put(code, "v_mov_b32 v2, $%u", address);
		pass_asm_put(code, "v_mov_b32 v3, 0");
		if (site->delta)
			pass_asm_put(code, "v_add_u32 v2, 0x%x, v2", (uint32_t)site->delta);
	} else {
		pass_asm_put(code, "v_lshlrev_b64 v[2:3], 0, $%u", address);
		if (site->delta) {
			pass_asm_put(code, "v_add_co_u32 v2, vcc, 0x%x, v2", (uint32_t)site->delta);
			pass_asm_put(code, "v_addc_co_u32 v3, vcc, %d, v3, vcc",
				     site->delta < 0 ? -1 : 0);
		}
	}
}

static LLVMValueRef share(const struct pass_group_insert *in, enum devlib_function which,
			  uint32_t shape)
{
	return devlib_share(in->devlib, which, shape, in->clone, in->analyses);
}

static void measure_unit(struct pass_group_insert *in, struct pass_asm *code,
			 const struct plan_site *site, uint32_t id, unsigned address, unsigned ctx,
			 uint32_t offset)
{
	pass_asm_put(code, "v_lshlrev_b64 v[0:1], 0, $%u", ctx);
	put_address(code, site, address);
	pass_asm_put(code, "v_mov_b32 v4, 0x%x", offset);
	pass_asm_put(code, "v_mov_b32 v5, 0x%x", id);
	pass_cell_call(code, share(in, DEVLIB_MEMORY_SITE, pass_site_shape(&site->site)));
}

/* The same where the wave knows its replica: much shorter. Units of LDS are counted at once. */
static void measure_known(struct pass_group_insert *in, struct pass_asm *code,
			  const struct plan_site *site, uint32_t id, unsigned address,
			  uint32_t offset)
{
	uint32_t shape = pass_site_shape(&site->site);

	if (offset && site->site.space == PROBE_SPACE_LDS)
		return;
	put_address(code, site, address);
	if (offset) {
		shape |= DEVLIB_SHAPE_MORE;
		pass_asm_put(code, "v_add_co_u32 v2, vcc, 0x%x, v2", offset);
		pass_asm_put(code, "v_addc_co_u32 v3, vcc, 0, v3, vcc");
	}
	pass_measure_row(code, pass_asm_scalar(code, in->builder, in->wave), id, "0");
	pass_measure_call(code, share(in, DEVLIB_MEMORY_FIRST, shape));
}

static bool can_know(const struct pass_group_insert *in, const struct pass_site *site)
{
	return in->wave && (site->space == PROBE_SPACE_GLOBAL ||
			    (site->space == PROBE_SPACE_LDS && pass_measure_is_one_call(site)));
}

/* The low half: what is tested. It must not be looked at here, but in the asm that knows EXEC. */
static LLVMValueRef low_half(struct pass_group_insert *in, LLVMValueRef value)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(value)));

	return LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 32
		       ? LLVMBuildTrunc(in->builder, value, i32, "")
		       : value;
}

static LLVMValueRef either(struct pass_group_insert *in, LLVMValueRef a, LLVMValueRef b)
{
	return a ? LLVMBuildOr(in->builder, a, b, "") : b;
}

/* ---- A group -------------------------------------------------------------------------------- */

/* The operands of a group's code that are computed outside of it. */
struct tested {
	LLVMValueRef address[PLAN_STREAMS]; /* pointers */
	struct pass_cell_bases bases;	    /* of aligned streams */
	LLVMValueRef places, wraps;	    /* OR of what is tested; NULL = nothing */
	LLVMValueRef observed;		    /* the bits of it that a cell has; NULL = none */
	unsigned up; /* bits that `places` are moved up, of which only the places matter */
	const struct pass_heads *heads; /* NULL = none */
};

static bool is_needed(const struct pass_group_insert *in, const struct plan_group *group,
		      LLVMValueRef inst)
{
	if (inst == in->regular || inst == in->ctx || inst == in->reckoned)
		return true;
	for (unsigned i = 0; i < group->streams; i++)
		if (in->plan->site[group->stream[i].lead].site.pointer == inst)
			return true;
	if (group->observed == inst)
		return true;
	for (size_t i = group->first; i <= group->last; i++) {
		const struct affine_address *pattern = &in->plan->site[i].pattern;

		for (unsigned k = 0;
		     in->plan->site[i].group != PLAN_NONE && k < pattern->wrap_count; k++)
			if (pattern->wraps[k] == inst)
				return true;
	}
	return false;
}

/* As early in the block as all that the group needs is there: addresses need not be kept. */
static void position(struct pass_group_insert *in, const struct plan_group *group)
{
	LLVMValueRef at = LLVMGetFirstInstruction(group->block);

	while (LLVMIsAPHINode(at) || LLVMIsAAllocaInst(at))
		at = LLVMGetNextInstruction(at);
	for (LLVMValueRef inst = at; inst != LLVMGetBasicBlockTerminator(group->block);
	     inst = LLVMGetNextInstruction(inst))
		if (is_needed(in, group, inst))
			at = LLVMGetNextInstruction(inst);
	LLVMPositionBuilderBefore(in->builder, at);
	LLVMSetCurrentDebugLocation2(in->builder,
				     LLVMInstructionGetDebugLoc(in->plan->site[group->first].inst));
}

static void test_wraps(struct pass_group_insert *in, int number, struct tested *ret)
{
	const struct plan_group *group = &in->plan->group[number];
	LLVMValueRef *seen = NULL;
	size_t count = 0;

	for (size_t i = group->first; i <= group->last; i++) {
		const struct affine_address *pattern = &in->plan->site[i].pattern;

		if (in->plan->site[i].group != number)
			continue;
		for (unsigned k = 0; k < pattern->wrap_count; k++) {
			size_t old = 0;

			while (old < count && seen[old] != pattern->wraps[k])
				old++;
			if (old < count)
				continue;
			seen = pass_alloc(seen, (count + 1) * sizeof(*seen));
			seen[count++] = pattern->wraps[k];
			ret->wraps = either(in, ret->wraps, low_half(in, pattern->wraps[k]));
		}
	}
	free(seen);
}

/*
 * In a loop a counter of their own would be made for low halves, and one for addresses that are
 * integers (the back end's loop strength reduction): there the address is used as it is.
 */
static LLVMValueRef move_up(struct pass_group_insert *in, LLVMValueRef pointer, unsigned by)
{
	LLVMTypeRef i64 = LLVMTypeOf(in->regular), of = LLVMTypeOf(pointer);
	LLVMTypeRef type = LLVMFunctionType(i64, &of, 1, 0);
	char text[40];
	int size = snprintf(text, sizeof(text), "v_lshlrev_b64 $0, %u, $1", by);
	LLVMValueRef assembly = LLVMGetInlineAsm(type, text, (size_t)size, (char *)"=v,v", 4, 0, 0,
						 LLVMInlineAsmDialectATT, 0);

	return low_half(in, LLVMBuildCall2(in->builder, type, assembly, &pointer, 1, ""));
}

static void test_place(struct pass_group_insert *in, const struct plan_group *group,
		       LLVMValueRef pointer, struct tested *ret)
{
	struct pass_cell_bases *bases = &ret->bases;
	LLVMValueRef place;

	if (group->loops) {
		bases->whole[bases->count] = pointer;
		place = move_up(in, pointer, ret->up);
	} else {
		place = low_half(
			in, LLVMBuildPtrToInt(in->builder, pointer, LLVMTypeOf(in->regular), ""));
		bases->low[bases->count] = place;
	}
	bases->count++;
	if (!group->launched)
		ret->places = either(in, ret->places, place);
}

static void test(struct pass_group_insert *in, int number, struct tested *ret)
{
	const struct plan_group *group = &in->plan->group[number];

	test_wraps(in, number, ret);
	if (group->loops)
		ret->up = ret->wraps ? 23 : 25;
	for (unsigned i = 0; i < group->streams; i++) {
		const struct plan_stream *stream = &group->stream[i];

		ret->address[i] = in->plan->site[stream->lead].site.pointer;
		if (stream->aligned)
			test_place(in, group, ret->address[i], ret);
	}
	if (group->observed)
		ret->observed = LLVMBuildAnd(in->builder, low_half(in, group->observed),
					     LLVMConstInt(LLVMInt32TypeInContext(LLVMGetTypeContext(
								  LLVMTypeOf(in->regular))),
							  PROBE_OBSERVED_MAX, 0),
					     "");
}

/* Go to .Llong if something is near a wrap, in any lane: not only regular waves come here. */
static void put_wraps(struct pass_asm *code, const struct tested *tested)
{
	_Static_assert(AFFINE_WRAP_LIMIT == 1u << 30, "the constant below");
	if (!tested->wraps)
		return;
	pass_asm_put(code, "v_cmp_lt_u32 vcc, 0x3fffffff, $%u",
		     pass_asm_operand(code, "v", tested->wraps));
	pass_asm_put(code, "s_cbranch_vccnz .Lprobe_long${:uid}");
}

/* scc, and s4 = not 0 if an address is not at a multiple of 128, or something near a wrap. */
static void put_places(struct pass_asm *code, const struct tested *tested)
{
	unsigned places = pass_asm_operand(code, "v", tested->places);

	if (tested->wraps) {
		unsigned wraps = pass_asm_operand(code, "v", tested->wraps);

		if (tested->up) {
			pass_asm_put(code, "v_alignbit_b32 v0, $%u, $%u, 30", places, wraps);
		} else {
			pass_asm_put(code, "v_lshrrev_b32 v0, 30, $%u", wraps);
			pass_asm_put(code, "v_lshl_or_b32 v0, $%u, 25, v0", places);
		}
		pass_asm_put(code, "v_readfirstlane_b32 s4, v0");
	} else {
		pass_asm_put(code, "v_readfirstlane_b32 s4, $%u", places);
	}
	if (tested->wraps || tested->up)
		pass_asm_put(code, "s_cmp_lg_u32 s4, 0");
	else
		pass_asm_put(code, "s_and_b32 s4, s4, 0x7f");
}

/* What in s4 speaks against bins: a place that is no multiple of 4, or a wrap. */
static uint32_t odd_bits(const struct tested *tested)
{
	return tested->wraps || tested->up ? 3u << 25 | 3 : 3;
}

/*
 * Go to .Lregular if this is a regular wave and nothing speaks against it; count it in bins if only
 * its addresses do.
 */
static void put_test(struct pass_asm *code, const struct plan_group *group,
		     const struct tested *tested, unsigned regular, unsigned ctx)
{
	pass_asm_put(code, "s_cmp_eq_u64 exec, $%u", regular);
	if (!tested->places && !tested->wraps) {
		pass_asm_put(code, "s_cbranch_scc1 .Lprobe_regular${:uid}");
		return;
	}
	pass_asm_put(code, "s_cbranch_scc0 .Lprobe_other${:uid}");
	if (!tested->places) {
		put_wraps(code, tested);
		pass_asm_put(code, "s_branch .Lprobe_regular${:uid}");
	} else {
		put_places(code, tested);
		pass_asm_put(code, "s_cbranch_scc0 .Lprobe_regular${:uid}");
	}
	if (tested->places && group->bins != PROBE_ROW_NONE) {
		pass_asm_put(code, "s_and_b32 s4, s4, 0x%x", odd_bits(tested));
		pass_asm_put(code, "s_cbranch_scc1 .Lprobe_other${:uid}");
		pass_cell_bin(code, group, &tested->bases, ctx, regular);
		pass_asm_put(code, "s_branch .Lprobe_end${:uid}");
	}
	pass_asm_put(code, ".Lprobe_other${:uid}:");
}

/* Measure into the row of each site. */
static void put_measure(struct pass_group_insert *in, struct pass_asm *code, int number,
			const struct tested *tested, unsigned ctx, uint32_t first_id)
{
	const struct plan_group *group = &in->plan->group[number];

	for (size_t i = group->first; i <= group->last; i++) {
		const struct plan_site *site = &in->plan->site[i];
		uint32_t row = first_id + (uint32_t)i;
		unsigned address = 0;

		if (site->group != number)
			continue;
		if (site->stream != PLAN_NONE)
			address = pass_asm_operand(code, "v", tested->address[site->stream]);
		for (uint32_t offset = 0; offset < site->site.size; offset += site->site.unit)
			if (can_know(in, &site->site))
				measure_known(in, code, site, row, address, offset);
			else
				measure_unit(in, code, site, row, address, ctx, offset);
	}
}

/* A regular wave ran a group that is ONCE, and was counted otherwise. */
static void put_miss(struct pass_asm *code, const struct plan_group *group,
		     const struct tested *tested, unsigned regular, unsigned ctx)
{
	pass_asm_put(code, "s_cmp_eq_u64 exec, $%u", regular);
	pass_asm_put(code, "s_cbranch_scc0 .Lprobe_end${:uid}");
	if (group->launched)
		pass_cell_bin(code, group, &tested->bases, ctx, regular);
	else
		pass_cell_add(code, ctx, regular, group->row, PROBE_B_MISSES);
}

static void put_regular(struct pass_asm *code, const struct plan_group *group, unsigned regular,
			unsigned ctx)
{
	if (!group->once)
		pass_asm_put(code, "s_branch .Lprobe_end${:uid}");
	pass_asm_put(code, ".Lprobe_regular${:uid}:");
	if (group->once)
		return;
	if (group->counter != PLAN_NONE)
		pass_asm_put(code, "s_add_u32 s%d, s%d, 1", PLAN_COUNTER_LAST - group->counter,
			     PLAN_COUNTER_LAST - group->counter);
	else
		pass_cell_add(code, ctx, regular, group->row, PROBE_B_RUNS);
}

/* The host knows all, if any wave of the launch is regular; else each access is measured. */
static void put_free(struct pass_group_insert *in, struct pass_asm *code, int number,
		     const struct tested *tested, unsigned regular, unsigned ctx, uint32_t first_id)
{
	pass_asm_put(code, "s_cmp_lg_u64 $%u, 0", regular);
	pass_asm_put(code, "s_cbranch_scc1 .Lprobe_end${:uid}");
	put_measure(in, code, number, tested, ctx, first_id);
	pass_asm_put(code, ".Lprobe_end${:uid}:");
}

static void put_heads(struct pass_group_insert *in, struct pass_asm *code,
		      const struct tested *tested)
{
	pass_heads_test(code, in->builder, tested->heads);
	put_wraps(code, tested);
	pass_heads_put(code);
	pass_asm_put(code, ".Lprobe_usual${:uid}:");
}

static const struct pass_heads *begin_heads(struct pass_group_insert *in, int number)
{
	struct pass_heads *heads = &in->heads[in->head_count];

	if (in->plan->group[number].heads == PROBE_ROW_NONE)
		return NULL;
	in->head_row[in->head_count++] = in->plan->group[number].heads;
	pass_heads_begin(in->builder, in->plan, number, in->regular, heads);
	return heads;
}

/* What nothing else is known of. */
static void put_alone(struct pass_group_insert *in, struct pass_asm *code, int number,
		      const struct tested *tested, uint32_t first_id)
{
	put_measure(in, code, number, tested, pass_group_context(in, code), first_id);
	pass_asm_put(code, ".Lprobe_end${:uid}:");
}

static void insert_group(struct pass_group_insert *in, int number, uint32_t first_id)
{
	const struct plan_group *group = &in->plan->group[number];
	struct tested tested = {.heads = begin_heads(in, number)};
	struct pass_asm code = {0};
	unsigned regular, ctx;
	LLVMValueRef value;

	position(in, group);
	if (tested.heads)
		pass_heads_result(&code, in->builder, tested.heads);
	test(in, number, &tested);
	if (group->exact && !pass_plan_is_free(group)) {
		pass_asm_put(&code, "s_cmp_lg_u32 $%u, 0",
			     pass_asm_scalar(&code, in->builder, in->reckoned));
		pass_asm_put(&code, "s_cbranch_scc1 .Lprobe_end${:uid}");
	}
	if (group->alone) {
		put_alone(in, &code, number, &tested, first_id);
		pass_group_finish(in, &code);
		return;
	}
	regular = pass_asm_scalar(&code, in->builder, in->regular);
	ctx = pass_asm_scalar(&code, in->builder,
			      LLVMBuildPtrToInt(in->builder, in->ctx, LLVMTypeOf(in->regular), ""));
	if (pass_plan_is_free(group)) {
		put_free(in, &code, number, &tested, regular, ctx, first_id);
		pass_group_finish(in, &code);
		return;
	}
	/* Regular waves, too, if nothing else about them is as simple. */
	if (tested.heads && tested.places)
		put_heads(in, &code, &tested);
	if (!group->observed)
		put_test(&code, group, &tested, regular, ctx);
	if (tested.heads && !tested.places)
		put_heads(in, &code, &tested);
	put_wraps(&code, &tested);
	if (group->cells != PROBE_ROW_NONE) {
		/* Not if the shapes of waves differ. */
		pass_asm_put(&code, "s_cmp_eq_u64 $%u, 0", regular);
		pass_asm_put(&code, "s_cbranch_scc1 .Lprobe_long${:uid}");
		pass_cell_put(
			&code, group, &tested.bases, tested.observed, ctx,
			devlib_share(in->devlib, DEVLIB_MEMORY_CELL, 0, in->clone, in->analyses));
	}
	pass_asm_put(&code, ".Lprobe_long${:uid}:");
	put_measure(in, &code, number, &tested, ctx, first_id);
	if (group->once)
		put_miss(&code, group, &tested, regular, ctx);
	if (!group->observed)
		put_regular(&code, group, regular, ctx);
	pass_asm_put(&code, ".Lprobe_end${:uid}:");
	value = pass_group_finish(in, &code);
	if (tested.heads)
		LLVMBuildStore(in->builder, value, tested.heads->count);
}

void pass_group_insert(struct pass_group_insert *in)
{
	uint32_t first_id = in->plan->first_site;

	for (int i = 0; i < in->plan->groups; i++)
		insert_group(in, i, first_id);
	for (int i = 0; i < in->plan->guards; i++)
		if (!in->plan->guard[i].base)
			pass_group_guard(in, &in->plan->guard[i]);
	if (in->head_count)
		pass_heads_end(in->builder, in->last, in->ctx, in->heads, in->head_row,
			       in->head_count);
	pass_group_end(in);
}
