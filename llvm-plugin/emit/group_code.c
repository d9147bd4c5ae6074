/* SPDX-License-Identifier: MIT */
/*
 * A group's code is one asm block, for the reasons given in measure_access.h. Its short way are
 * comparisons: EXEC is that of a regular wave, nothing is near a wrap, and every address tested is
 * at a multiple of 128. For a group that is ONCE that is all. Regular waves at other multiples of 4
 * go to the residue histograms, all others to the buckets. The long way measures each site by
 * the shared functions and, in a regular wave, takes back what the launch has counted for it.
 */
#include "llvm-plugin/emit/group_code.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include <probe/wire.h>

#include "llvm-plugin/emit/devlib_link.h"
#include "llvm-plugin/emit/group_code_parts.h"
#include "llvm-plugin/emit/inline_asm.h"
#include "llvm-plugin/emit/counter_rows.h"
#include "llvm-plugin/emit/mask_histogram.h"
#include "llvm-plugin/emit/measure_code.h"
#include "llvm-plugin/emit/prefix_masks.h"
#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/sites/access_sites.h"

_Static_assert(7 + 2 * PLAN_STREAMS + 2 * PLAN_SITES + 1 <= ASM_OPERANDS, "operands of a group");

/* ---- Small pieces of code ------------------------------------------------------------------- */

static void emit_address(struct asm_block *code, const struct plan_site *site, unsigned address)
{
	if (site->stream == PLAN_NONE) {
		asm_line(code, "v_mov_b32 v2, 0");
		asm_line(code, "v_mov_b32 v3, 0");
	} else if (site->site.space == PROBE_SPACE_LDS) {
		asm_line(code, "v_mov_b32 v2, $%u", address);
		asm_line(code, "v_mov_b32 v3, 0");
		if (site->delta)
			asm_line(code, "v_add_u32 v2, 0x%x, v2", (uint32_t)site->delta);
	} else {
		asm_line(code, "v_lshlrev_b64 v[2:3], 0, $%u", address);
		if (site->delta) {
			asm_line(code, "v_add_co_u32 v2, vcc, 0x%x, v2", (uint32_t)site->delta);
			asm_line(code, "v_addc_co_u32 v3, vcc, %d, v3, vcc",
				 site->delta < 0 ? -1 : 0);
		}
	}
}

static LLVMValueRef share(const struct group_code *in, enum devlib_function which, uint32_t shape)
{
	return devlib_share(in->devlib, which, shape, in->clone, in->analyses);
}

static void measure_unit(struct group_code *in, struct asm_block *code,
			 const struct plan_site *site, uint32_t id, unsigned address, unsigned ctx,
			 uint32_t offset)
{
	asm_line(code, "v_lshlrev_b64 v[0:1], 0, $%u", ctx);
	emit_address(code, site, address);
	asm_line(code, "v_mov_b32 v4, 0x%x", offset);
	asm_line(code, "v_mov_b32 v5, 0x%x", id);
	emit_shared_call(code, share(in, DEVLIB_MEMORY_SITE, access_site_shape(&site->site)));
}

/*
 * The same, if the wave has the address of its replica: much shorter. LDS units are counted
 * together.
 */
static void measure_known(struct group_code *in, struct asm_block *code,
			  const struct plan_site *site, uint32_t id, unsigned address,
			  uint32_t offset)
{
	uint32_t shape = access_site_shape(&site->site);

	if (offset && site->site.space == PROBE_SPACE_LDS)
		return;
	emit_address(code, site, address);
	if (offset) {
		shape |= DEVLIB_SHAPE_LATER_UNIT;
		asm_line(code, "v_add_co_u32 v2, vcc, 0x%x, v2", offset);
		asm_line(code, "v_addc_co_u32 v3, vcc, 0, v3, vcc");
	}
	measure_emit_row(code, asm_scalar(code, in->builder, in->wave), id);
	measure_emit_call(code, share(in, DEVLIB_MEMORY_FIRST, shape));
}

static bool can_know(const struct group_code *in, const struct access_site *site)
{
	return in->wave && (site->space == PROBE_SPACE_GLOBAL ||
			    (site->space == PROBE_SPACE_LDS && access_site_is_one_call(site)));
}

/*
 * The low half of an address, for tests. The test itself must be in the asm, which uses the current
 * EXEC.
 */
static LLVMValueRef low_half(struct group_code *in, LLVMValueRef value)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(value)));

	return LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 32
		       ? LLVMBuildTrunc(in->builder, value, i32, "")
		       : value;
}

static LLVMValueRef either(struct group_code *in, LLVMValueRef a, LLVMValueRef b)
{
	return a ? LLVMBuildOr(in->builder, a, b, "") : b;
}

/* ---- A group -------------------------------------------------------------------------------- */

/* Operands of a group's code that are computed before it. */
struct tested {
	LLVMValueRef address[PLAN_STREAMS]; /* pointers */
	struct residue_operands bases;	    /* of aligned streams */
	LLVMValueRef places, wraps;	    /* OR of the values to test; NULL = nothing to test */
	LLVMValueRef observed;		    /* the bits of it that a bucket has; NULL = none */
	unsigned up; /* left shift of `places`, so that only the bits to test remain */
	const struct lane_counter *counter; /* NULL = none */
	LLVMValueRef not_prefixes;	    /* i32, of a counter of prefix masks; NULL = none */
};

static bool is_needed(const struct group_code *in, const struct plan_group *group,
		      LLVMValueRef inst)
{
	if (inst == in->regular || inst == in->ctx || inst == in->enumerated)
		return true;
	for (unsigned i = 0; i < group->streams; i++)
		if (in->plan->site[group->stream[i].representative].site.pointer == inst)
			return true;
	if (group->observed == inst)
		return true;
	for (size_t i = group->first; i <= group->last; i++) {
		const struct affine_address *pattern = &in->plan->site[i].pattern;

		for (unsigned k = 0;
		     in->plan->site[i].group != PLAN_NONE && k < pattern->wrap_count; k++)
			if (pattern->wraps[k] == inst)
				return true;
		for (unsigned k = 0;
		     in->plan->site[i].group != PLAN_NONE && k < pattern->aligned_count; k++)
			if (pattern->aligned[k].value == inst)
				return true;
	}
	return false;
}

/*
 * Position the builder as early in the block as all operands are available, so that addresses need
 * not stay live.
 */
static void position(struct group_code *in, const struct plan_group *group)
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

/*
 * 2^32 - n, or 0 if the integer minus the id is a multiple of 64. A value that is not 0 is tested
 * like one near a wrap.
 */
static LLVMValueRef test_aligned(struct group_code *in, const struct affine_aligned *aligned)
{
	static const char *const ids[] = {"llvm.amdgcn.workitem.id.x", "llvm.amdgcn.workitem.id.y",
					  "llvm.amdgcn.workitem.id.z"};
	const char *name = ids[aligned->axis];
	LLVMValueRef function = LLVMGetIntrinsicDeclaration(
		LLVMGetGlobalParent(in->clone), LLVMLookupIntrinsicID(name, strlen(name)), NULL, 0);
	LLVMValueRef id = LLVMBuildCall2(in->builder, LLVMGlobalGetValueType(function), function,
					 NULL, 0, "");
	LLVMValueRef odd = LLVMBuildXor(in->builder, low_half(in, aligned->value), id, "");

	odd = LLVMBuildAnd(in->builder, odd, LLVMConstInt(LLVMTypeOf(odd), 63, 0), "");
	return LLVMBuildNeg(in->builder, odd, "");
}

struct seen {
	LLVMValueRef *value;
	size_t count;
};

static bool see(struct seen *seen, LLVMValueRef value)
{
	for (size_t i = 0; i < seen->count; i++)
		if (seen->value[i] == value)
			return false;
	seen->value = pass_alloc(seen->value, (seen->count + 1) * sizeof(*seen->value));
	seen->value[seen->count++] = value;
	return true;
}

static void test_wraps(struct group_code *in, int number, struct tested *ret)
{
	const struct plan_group *group = &in->plan->group[number];
	struct seen wraps = {0}, aligned = {0};

	for (size_t i = group->first; i <= group->last; i++) {
		const struct affine_address *pattern = &in->plan->site[i].pattern;

		if (in->plan->site[i].group != number)
			continue;
		for (unsigned k = 0; k < pattern->wrap_count; k++)
			if (see(&wraps, pattern->wraps[k]))
				ret->wraps =
					either(in, ret->wraps, low_half(in, pattern->wraps[k]));
		for (unsigned k = 0; k < pattern->aligned_count; k++)
			if (see(&aligned, pattern->aligned[k].value))
				ret->wraps = either(in, ret->wraps,
						    test_aligned(in, &pattern->aligned[k]));
	}
	free(wraps.value);
	free(aligned.value);
}

/*
 * Shift an address left, by asm. In a loop, the back end's loop strength reduction would create an
 * induction variable for low halves, and one for addresses as integers: there the pointer itself is
 * used.
 */
static LLVMValueRef move_up(struct group_code *in, LLVMValueRef pointer, unsigned by)
{
	LLVMTypeRef i64 = LLVMTypeOf(in->regular), of = LLVMTypeOf(pointer);
	LLVMTypeRef type = LLVMFunctionType(i64, &of, 1, 0);
	char text[40];
	int size = snprintf(text, sizeof(text), "v_lshlrev_b64 $0, %u, $1", by);
	LLVMValueRef assembly = LLVMGetInlineAsm(type, text, (size_t)size, (char *)"=v,v", 4, 0, 0,
						 LLVMInlineAsmDialectATT, 0);

	return low_half(in, LLVMBuildCall2(in->builder, type, assembly, &pointer, 1, ""));
}

static void test_place(struct group_code *in, const struct plan_group *group, LLVMValueRef pointer,
		       struct tested *ret)
{
	struct residue_operands *bases = &ret->bases;
	LLVMValueRef place = NULL;

	if (group->loops) {
		bases->whole[bases->count] = pointer;
		if (!group->residues_in_lanes)
			place = move_up(in, pointer, ret->up);
	} else {
		place = low_half(
			in, LLVMBuildPtrToInt(in->builder, pointer, LLVMTypeOf(in->regular), ""));
		bases->low[bases->count] = place;
	}
	bases->count++;
	if (!group->follows_launch && place)
		ret->places = either(in, ret->places, place);
}

static void test(struct group_code *in, int number, struct tested *ret)
{
	const struct plan_group *group = &in->plan->group[number];

	test_wraps(in, number, ret);
	if (group->loops)
		ret->up = ret->wraps ? 23 : 25;
	for (unsigned i = 0; i < group->streams; i++) {
		const struct plan_stream *stream = &group->stream[i];

		ret->address[i] = in->plan->site[stream->representative].site.pointer;
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

/*
 * Jump to .Lprobe_long if a value is near a wrap in any lane: also for waves that are not regular.
 */
static void emit_wraps(struct asm_block *code, const struct tested *tested)
{
	_Static_assert(AFFINE_WRAP_LIMIT == 1u << 30, "the constant below");
	if (!tested->wraps)
		return;
	asm_line(code, "v_cmp_lt_u32 vcc, 0x3fffffff, $%u", asm_operand(code, "v", tested->wraps));
	asm_line(code, "s_cbranch_vccnz .Lprobe_long${:uid}");
}

/* Set scc and s4 to not 0 if an address is not a multiple of 128, or a value is near a wrap. */
static void emit_places(struct asm_block *code, const struct tested *tested)
{
	unsigned places = asm_operand(code, "v", tested->places);

	if (tested->wraps) {
		unsigned wraps = asm_operand(code, "v", tested->wraps);

		if (tested->up) {
			asm_line(code, "v_alignbit_b32 v0, $%u, $%u, 30", places, wraps);
		} else {
			asm_line(code, "v_lshrrev_b32 v0, 30, $%u", wraps);
			asm_line(code, "v_lshl_or_b32 v0, $%u, 25, v0", places);
		}
		asm_line(code, "v_readfirstlane_b32 s4, v0");
	} else {
		asm_line(code, "v_readfirstlane_b32 s4, $%u", places);
	}
	if (tested->wraps || tested->up)
		asm_line(code, "s_cmp_lg_u32 s4, 0");
	else
		asm_line(code, "s_and_b32 s4, s4, 0x7f");
}

/* Bits of s4 that exclude residue histograms: an address that is not a multiple of 4, or a wrap. */
static uint32_t odd_bits(const struct tested *tested)
{
	return tested->wraps || tested->up ? 3u << 25 | 3 : 3;
}

/*
 * Jump to .Lprobe_regular in a regular wave that passes all tests. If only its addresses fail,
 * count it in the residue histograms.
 */
static void emit_test(struct asm_block *code, const struct plan_group *group,
		      const struct tested *tested, unsigned regular, unsigned ctx)
{
	asm_line(code, "s_cmp_eq_u64 exec, $%u", regular);
	if (!tested->places && !tested->wraps) {
		asm_line(code, "s_cbranch_scc1 .Lprobe_regular${:uid}");
		return;
	}
	asm_line(code, "s_cbranch_scc0 .Lprobe_other${:uid}");
	if (!tested->places) {
		emit_wraps(code, tested);
		asm_line(code, "s_branch .Lprobe_regular${:uid}");
	} else {
		emit_places(code, tested);
		asm_line(code, "s_cbranch_scc0 .Lprobe_regular${:uid}");
	}
	if (tested->places && plan_has(group, PLAN_BY_RESIDUE)) {
		asm_line(code, "s_and_b32 s4, s4, 0x%x", odd_bits(tested));
		asm_line(code, "s_cbranch_scc1 .Lprobe_other${:uid}");
		residue_histogram_emit(code, group, &tested->bases, ctx, regular);
		asm_line(code, "s_branch .Lprobe_end${:uid}");
	}
	asm_line(code, ".Lprobe_other${:uid}:");
}

/* Measure all sites, each in its own row. */
static void emit_measure(struct group_code *in, struct asm_block *code, int number,
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
			address = asm_operand(code, "v", tested->address[site->stream]);
		for (uint32_t offset = 0; offset < site->site.size; offset += site->site.unit)
			if (can_know(in, &site->site))
				measure_known(in, code, site, row, address, offset);
			else
				measure_unit(in, code, site, row, address, ctx, offset);
	}
}

/* Count a regular wave that executed a PROBE_GROUP_ONCE group, but was counted in another way. */
static void emit_miss(struct asm_block *code, const struct plan_group *group,
		      const struct tested *tested, unsigned regular, unsigned ctx)
{
	asm_line(code, "s_cmp_eq_u64 exec, $%u", regular);
	asm_line(code, "s_cbranch_scc0 .Lprobe_end${:uid}");
	if (group->follows_launch)
		residue_histogram_emit(code, group, &tested->bases, ctx, regular);
	else
		emit_add_one(code, ctx, regular, group->row, PROBE_GROUP_SKIPPED);
}

static void emit_regular(struct asm_block *code, const struct plan_group *group, unsigned regular,
			 unsigned ctx)
{
	if (!group->once)
		asm_line(code, "s_branch .Lprobe_end${:uid}");
	asm_line(code, ".Lprobe_regular${:uid}:");
	if (group->once)
		return;
	if (group->sgpr)
		asm_line(code, "s_add_u32 s%u, s%u, 1", group->sgpr, group->sgpr);
	else
		emit_add_one(code, ctx, regular, group->row, PROBE_GROUP_EXECUTIONS);
}

/*
 * For a group that follows from the launch: do nothing if the launch has regular waves; else
 * measure each access.
 */
static void emit_free(struct group_code *in, struct asm_block *code, int number,
		      const struct tested *tested, unsigned regular, unsigned ctx,
		      uint32_t first_id)
{
	asm_line(code, "s_cmp_lg_u64 $%u, 0", regular);
	asm_line(code, "s_cbranch_scc1 .Lprobe_end${:uid}");
	emit_measure(in, code, number, tested, ctx, first_id);
	asm_line(code, ".Lprobe_end${:uid}:");
}

static void emit_prefixes(struct group_code *in, struct asm_block *code,
			  const struct tested *tested)
{
	prefix_masks_test(code, in->builder, tested->not_prefixes);
	emit_wraps(code, tested);
	prefix_masks_emit(code);
	asm_line(code, ".Lprobe_usual${:uid}:");
}

/* Through llvm.amdgcn.readfirstlane, because it is the result of a comparison. */
static LLVMValueRef full_mask(struct group_code *in)
{
	LLVMTypeRef i64 = LLVMTypeOf(in->regular);
	LLVMValueRef is_full;

	if (in->full)
		return in->full;
	LLVMPositionBuilderBefore(
		in->builder, LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(in->regular)));
	LLVMSetCurrentDebugLocation2(in->builder, NULL);
	is_full = LLVMBuildICmp(in->builder, LLVMIntEQ, in->regular, LLVMConstAllOnes(i64), "");
	in->full = scalar_value(in->builder, LLVMBuildSExt(in->builder, is_full, i64, ""));
	return in->full;
}

static void begin_counter(struct group_code *in, int number, struct tested *ret)
{
	const struct plan_group *group = &in->plan->group[number];
	bool prefixes = plan_has(group, PLAN_BY_PREFIX);
	struct lane_counter *counter = &in->counter[in->counters];

	if (!prefixes && !group->residues_in_lanes)
		return;
	lane_counter_begin(in->builder, in->regular,
			   group->histogram[prefixes ? PLAN_BY_PREFIX : PLAN_BY_RESIDUE], counter);
	if (prefixes)
		ret->not_prefixes = prefix_masks_begin(in->builder, in->plan, number, in->regular);
	else
		full_mask(in);
	in->counters++;
	ret->counter = counter;
}

/* Test for regular waves, unless there is a simpler test for the group. */
static void emit_regular_test(struct group_code *in, struct asm_block *code,
			      const struct plan_group *group, const struct tested *tested,
			      unsigned regular, unsigned ctx)
{
	if (group->residues_in_lanes) {
		emit_wraps(code, tested);
		residue_lanes_emit(code, &tested->bases, asm_scalar(code, in->builder, in->full));
	} else if (!group->observed) {
		emit_test(code, group, tested, regular, ctx);
	}
}

/* A group of which only the addresses in enumerated launches are known: measure its sites. */
static void emit_alone(struct group_code *in, struct asm_block *code, int number,
		       const struct tested *tested, uint32_t first_id)
{
	emit_measure(in, code, number, tested, group_code_context(in, code), first_id);
	asm_line(code, ".Lprobe_end${:uid}:");
}

static void insert_group(struct group_code *in, int number, uint32_t first_id)
{
	const struct plan_group *group = &in->plan->group[number];
	struct tested tested = {0};
	struct asm_block code = {0};
	unsigned regular, ctx;
	LLVMValueRef value;

	begin_counter(in, number, &tested);
	position(in, group);
	if (tested.counter)
		lane_counter_result(&code, in->builder, tested.counter);
	test(in, number, &tested);
	if (group->lanes_known && !plan_follows_launch(group)) {
		asm_line(&code, "s_cmp_lg_u32 $%u, 0",
			 asm_scalar(&code, in->builder, in->enumerated));
		asm_line(&code, "s_cbranch_scc1 .Lprobe_end${:uid}");
	}
	if (group->lanes_only) {
		emit_alone(in, &code, number, &tested, first_id);
		group_code_finish(in, &code);
		return;
	}
	regular = asm_scalar(&code, in->builder, in->regular);
	ctx = asm_scalar(&code, in->builder,
			 LLVMBuildPtrToInt(in->builder, in->ctx, LLVMTypeOf(in->regular), ""));
	if (plan_follows_launch(group)) {
		emit_free(in, &code, number, &tested, regular, ctx, first_id);
		group_code_finish(in, &code);
		return;
	}
	/* Prefix masks include regular waves, unless these have a simpler test. */
	if (tested.not_prefixes && tested.places)
		emit_prefixes(in, &code, &tested);
	emit_regular_test(in, &code, group, &tested, regular, ctx);
	if (tested.not_prefixes && !tested.places)
		emit_prefixes(in, &code, &tested);
	if (!group->residues_in_lanes)
		emit_wraps(&code, &tested);
	if (plan_has(group, PLAN_BY_MASK)) {
		/* Not in launches whose waves have different shapes. */
		asm_line(&code, "s_cmp_eq_u64 $%u, 0", regular);
		asm_line(&code, "s_cbranch_scc1 .Lprobe_long${:uid}");
		mask_histogram_emit(
			&code, group, &tested.bases, tested.observed, ctx,
			devlib_share(in->devlib, DEVLIB_MEMORY_BUCKET, 0, in->clone, in->analyses));
	}
	asm_line(&code, ".Lprobe_long${:uid}:");
	emit_measure(in, &code, number, &tested, ctx, first_id);
	if (group->once)
		emit_miss(&code, group, &tested, regular, ctx);
	if (!group->observed && !group->residues_in_lanes)
		emit_regular(&code, group, regular, ctx);
	asm_line(&code, ".Lprobe_end${:uid}:");
	value = group_code_finish(in, &code);
	if (tested.counter)
		LLVMBuildStore(in->builder, value, tested.counter->count);
}

void group_code(struct group_code *in)
{
	uint32_t first_id = in->plan->first_site;

	for (int i = 0; i < in->plan->groups; i++)
		insert_group(in, i, first_id);
	for (int i = 0; i < in->plan->predicates; i++)
		if (in->plan->predicate[i].condition == PROBE_EXPR_NONE)
			group_code_predicate(in, &in->plan->predicate[i]);
	if (in->counters)
		lane_counters_end(in->builder, in->last, in->ctx, in->counter, in->counters);
	group_code_end(in);
}
