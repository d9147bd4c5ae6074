/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/emit/group_operands.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include <probe/wire.h>

#include "llvm-plugin/base/ir_helpers.h"

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

static LLVMValueRef or_values(struct group_code *in, LLVMValueRef a, LLVMValueRef b)
{
	return a ? LLVMBuildOr(in->builder, a, b, "") : b;
}

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

		if (in->plan->site[i].group == PLAN_NONE)
			continue;
		for (unsigned k = 0; k < pattern->wrap_count; k++)
			if (pattern->wraps[k] == inst)
				return true;
		for (unsigned k = 0; k < pattern->aligned_count; k++)
			if (pattern->aligned[k].value == inst)
				return true;
	}
	return false;
}

void group_operands_position(struct group_code *in, const struct plan_group *group)
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
static LLVMValueRef misalignment(struct group_code *in, const struct affine_aligned *aligned)
{
	static const char *const ids[] = {"llvm.amdgcn.workitem.id.x", "llvm.amdgcn.workitem.id.y",
					  "llvm.amdgcn.workitem.id.z"};
	LLVMValueRef id = pass_call_intrinsic(in->builder, ids[aligned->axis], NULL, NULL, 0);
	LLVMValueRef odd = LLVMBuildXor(in->builder, low_half(in, aligned->value), id, "");

	odd = LLVMBuildAnd(in->builder, odd, LLVMConstInt(LLVMTypeOf(odd), 63, 0), "");
	return LLVMBuildNeg(in->builder, odd, "");
}

struct value_set {
	LLVMValueRef *value;
	size_t count;
};

static bool value_set_add(struct value_set *seen, LLVMValueRef value)
{
	for (size_t i = 0; i < seen->count; i++)
		if (seen->value[i] == value)
			return false;
	seen->value = pass_alloc(seen->value, (seen->count + 1) * sizeof(*seen->value));
	seen->value[seen->count++] = value;
	return true;
}

static void add_wraps(struct group_code *in, int number, struct group_operands *ret)
{
	const struct plan_group *group = &in->plan->group[number];
	struct value_set wraps = {0}, aligned = {0};

	for (size_t i = group->first; i <= group->last; i++) {
		const struct affine_address *pattern = &in->plan->site[i].pattern;

		if (in->plan->site[i].group != number)
			continue;
		for (unsigned k = 0; k < pattern->wrap_count; k++)
			if (value_set_add(&wraps, pattern->wraps[k]))
				ret->wraps =
					or_values(in, ret->wraps, low_half(in, pattern->wraps[k]));
		for (unsigned k = 0; k < pattern->aligned_count; k++)
			if (value_set_add(&aligned, pattern->aligned[k].value))
				ret->wraps = or_values(in, ret->wraps,
						       misalignment(in, &pattern->aligned[k]));
	}
	free(wraps.value);
	free(aligned.value);
}

/*
 * Shift an address left, by asm. In a loop, the back end's loop strength reduction would create an
 * induction variable for low halves, and one for addresses as integers: there the pointer itself is
 * used.
 */
static LLVMValueRef shifted_low_half(struct group_code *in, LLVMValueRef pointer, unsigned by)
{
	LLVMTypeRef i64 = LLVMTypeOf(in->regular), of = LLVMTypeOf(pointer);
	LLVMTypeRef type = LLVMFunctionType(i64, &of, 1, 0);
	char text[40];
	int size = snprintf(text, sizeof(text), "v_lshlrev_b64 $0, %u, $1", by);
	LLVMValueRef assembly = LLVMGetInlineAsm(type, text, (size_t)size, (char *)"=v,v", 4, 0, 0,
						 LLVMInlineAsmDialectATT, 0);

	return low_half(in, LLVMBuildCall2(in->builder, type, assembly, &pointer, 1, ""));
}

static void add_address(struct group_code *in, const struct plan_group *group, LLVMValueRef pointer,
			struct group_operands *ret)
{
	struct residue_operands *bases = &ret->bases;
	LLVMValueRef bits = NULL;

	if (group->loops) {
		bases->whole[bases->count] = pointer;
		if (!group->residues_in_lanes)
			bits = shifted_low_half(in, pointer, ret->address_shift);
	} else {
		bits = low_half(
			in, LLVMBuildPtrToInt(in->builder, pointer, LLVMTypeOf(in->regular), ""));
		bases->low[bases->count] = bits;
	}
	bases->count++;
	if (!group->follows_launch && bits)
		ret->address_bits = or_values(in, ret->address_bits, bits);
}

void group_operands_build(struct group_code *in, int number, struct group_operands *ret)
{
	const struct plan_group *group = &in->plan->group[number];

	add_wraps(in, number, ret);
	if (group->loops)
		ret->address_shift = ret->wraps ? 23 : 25;
	for (unsigned i = 0; i < group->streams; i++) {
		const struct plan_stream *stream = &group->stream[i];

		ret->address[i] = in->plan->site[stream->representative].site.pointer;
		if (stream->aligned)
			add_address(in, group, ret->address[i], ret);
	}
	if (group->observed)
		ret->observed = LLVMBuildAnd(in->builder, low_half(in, group->observed),
					     LLVMConstInt(LLVMInt32TypeInContext(LLVMGetTypeContext(
								  LLVMTypeOf(in->regular))),
							  PROBE_OBSERVED_MAX, 0),
					     "");
}
