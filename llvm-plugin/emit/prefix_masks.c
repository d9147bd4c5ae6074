/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/emit/prefix_masks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include <probe/wire.h>

#include "llvm-plugin/emit/inline_asm.h"
#include "llvm-plugin/plan/group_plan.h"
#include "llvm-plugin/plan/prefix_groups.h"

/* ---- Which launches ------------------------------------------------------------------------- */

struct build {
	LLVMBuilderRef builder;
	LLVMTypeRef i32;
};

static LLVMValueRef shift(struct build *b, LLVMOpcode op, LLVMValueRef value, unsigned by)
{
	return LLVMBuildBinOp(b->builder, op, value, LLVMConstInt(LLVMTypeOf(value), by, 0), "");
}

static LLVMValueRef plus(struct build *b, LLVMValueRef value, int64_t constant)
{
	return LLVMBuildAdd(b->builder, value, LLVMConstInt(b->i32, (uint64_t)constant, 1), "");
}

/*
 * Builds a value that is 0 if a stride that depends on an argument is wide. It has no comparisons,
 * whose results may be kept in vector registers.
 */
static LLVMValueRef is_narrow(struct build *b, const struct affine_stride *stride)
{
	LLVMValueRef argument = stride->value, large, bytes, sign;
	unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(argument));

	/* Narrower values are launch parameters. */
	if (bits < 32)
		argument = LLVMBuildZExt(b->builder, argument, b->i32, "");
	large = shift(b, LLVMLShr, argument, ARGUMENT_BITS);
	if (bits > 32) {
		large = LLVMBuildOr(b->builder, large, shift(b, LLVMLShr, argument, 32), "");
		large = LLVMBuildTrunc(b->builder, large, b->i32, "");
		argument = LLVMBuildTrunc(b->builder, argument, b->i32, "");
	}
	bytes = LLVMBuildMul(b->builder, argument,
			     LLVMConstInt(b->i32, (uint64_t)stride->factor, 1), "");
	bytes = plus(b, bytes, stride->constant);
	sign = shift(b, LLVMAShr, bytes, 31);
	bytes = LLVMBuildSub(b->builder, LLVMBuildXor(b->builder, bytes, sign, ""), sign, "");
	bytes = shift(b, LLVMLShr, plus(b, bytes, -WIDE_STRIDE), STRIDE_BITS);
	return LLVMBuildOr(b->builder, large, bytes, "");
}

/* Does an earlier site of the group have the same stride? */
static bool is_known(const struct group_plan *plan, int number, size_t site)
{
	for (size_t i = plan->group[number].first; i < site; i++)
		if (plan->site[i].group == number && plan->site[i].site.space != PROBE_SPACE_LDS &&
		    affine_same_strides(&plan->site[i].pattern, &plan->site[site].pattern))
			return true;
	return false;
}

LLVMValueRef prefix_masks_begin(LLVMBuilderRef builder, const struct group_plan *plan, int number,
				LLVMValueRef regular)
{
	struct build b = {builder, LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(regular)))};
	const struct plan_group *group = &plan->group[number];
	LLVMValueRef unusable;

	LLVMPositionBuilderBefore(builder,
				  LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(regular)));
	LLVMSetCurrentDebugLocation2(builder, NULL);
	/* Lane 0 is active in regular waves. */
	unusable = LLVMBuildTrunc(builder, LLVMBuildNot(builder, regular, ""), b.i32, "");
	unusable = LLVMBuildAnd(builder, unusable, LLVMConstInt(b.i32, 1, 0), "");
	for (size_t i = group->first; i <= group->last; i++) {
		const struct plan_site *site = &plan->site[i];

		if (site->group == number && site->site.space != PROBE_SPACE_LDS &&
		    site->pattern.stride[0].factor && !is_known(plan, number, i))
			unusable = LLVMBuildOr(builder, unusable,
					       is_narrow(&b, &site->pattern.stride[0]), "");
	}
	return scalar_value(builder, unusable);
}

/* ---- At an execution ------------------------------------------------------------------------ */

void prefix_masks_test(struct asm_block *code, LLVMBuilderRef builder, LLVMValueRef unusable)
{
	asm_line(code, "s_cmp_lg_u32 $%u, 0", asm_scalar(code, builder, unusable));
	asm_line(code, "s_cbranch_scc1 .Lprobe_uncounted${:uid}");
}

void prefix_masks_emit(struct asm_block *code)
{
	asm_line(code, "s_add_u32 s4, exec_lo, 1");
	asm_line(code, "s_addc_u32 s5, exec_hi, 0");
	asm_line(code, "s_and_b64 s[4:5], s[4:5], exec");
	asm_line(code, "s_cbranch_scc1 .Lprobe_uncounted${:uid}");
	asm_line(code, "v_add_u32 $0, 1, $0");
	asm_line(code, "s_branch .Lprobe_end${:uid}");
}
