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

static LLVMValueRef plus(struct build *b, LLVMValueRef value, int64_t number)
{
	return LLVMBuildAdd(b->builder, value, LLVMConstInt(b->i32, (uint64_t)number, 1), "");
}

/*
 * Builds a value that is not 0 unless a stride that depends on an argument is wide. Without
 * comparisons, whose results may be kept in vector registers.
 */
static LLVMValueRef is_not_wide(struct build *b, const struct affine_stride *stride)
{
	LLVMValueRef number = stride->value, large, step, sign;
	unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(number));

	/* Narrower values are launch parameters. */
	if (bits < 32)
		number = LLVMBuildZExt(b->builder, number, b->i32, "");
	large = shift(b, LLVMLShr, number, NUMBER_BITS);
	if (bits > 32) {
		large = LLVMBuildOr(b->builder, large, shift(b, LLVMLShr, number, 32), "");
		large = LLVMBuildTrunc(b->builder, large, b->i32, "");
		number = LLVMBuildTrunc(b->builder, number, b->i32, "");
	}
	step = LLVMBuildMul(b->builder, number, LLVMConstInt(b->i32, (uint64_t)stride->factor, 1),
			    "");
	step = plus(b, step, stride->constant);
	sign = shift(b, LLVMAShr, step, 31);
	step = LLVMBuildSub(b->builder, LLVMBuildXor(b->builder, step, sign, ""), sign, "");
	step = shift(b, LLVMLShr, plus(b, step, -APART), STEP_BITS);
	return LLVMBuildOr(b->builder, large, step, "");
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
	LLVMValueRef not ;

	LLVMPositionBuilderBefore(builder,
				  LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(regular)));
	LLVMSetCurrentDebugLocation2(builder, NULL);
	/* Lane 0 is active in regular waves. */
	not = LLVMBuildTrunc(builder, LLVMBuildNot(builder, regular, ""), b.i32, "");
	not = LLVMBuildAnd(builder, not, LLVMConstInt(b.i32, 1, 0), "");
	for (size_t i = group->first; i <= group->last; i++) {
		const struct plan_site *site = &plan->site[i];

		if (site->group == number && site->site.space != PROBE_SPACE_LDS &&
		    site->pattern.stride[0].factor && !is_known(plan, number, i))
			not = LLVMBuildOr(builder, not, is_not_wide(&b, &site->pattern.stride[0]),
					  "");
	}
	return scalar_value(builder, not );
}

/* ---- Where they run ------------------------------------------------------------------------- */

void prefix_masks_test(struct asm_block *code, LLVMBuilderRef builder, LLVMValueRef not )
{
	asm_line(code, "s_cmp_lg_u32 $%u, 0", asm_scalar(code, builder, not ));
	asm_line(code, "s_cbranch_scc1 .Lprobe_usual${:uid}");
}

void prefix_masks_emit(struct asm_block *code)
{
	asm_line(code, "s_add_u32 s4, exec_lo, 1");
	asm_line(code, "s_addc_u32 s5, exec_hi, 0");
	asm_line(code, "s_and_b64 s[4:5], s[4:5], exec");
	asm_line(code, "s_cbranch_scc1 .Lprobe_usual${:uid}");
	asm_line(code, "v_add_u32 $0, 1, $0");
	asm_line(code, "s_branch .Lprobe_end${:uid}");
}
