/* SPDX-License-Identifier: MIT */
#include "pass_group_parts.h"

#include <stdio.h>

#include "pass_cell.h"

LLVMValueRef pass_group_finish(struct pass_group_insert *in, struct pass_asm *code)
{
	return pass_asm_finish(code, in->builder,
			       LLVMGetModuleContext(LLVMGetGlobalParent(in->clone)));
}

unsigned pass_group_context(struct pass_group_insert *in, struct pass_asm *code)
{
	return pass_asm_scalar(
		code, in->builder,
		LLVMBuildPtrToInt(in->builder, in->ctx, LLVMTypeOf(in->regular), ""));
}

/* ---- A guard -------------------------------------------------------------------------------- */

void pass_group_guard(struct pass_group_insert *in, const struct plan_guard *guard)
{
	LLVMValueRef branch = LLVMGetBasicBlockTerminator(guard->from);
	bool taken = LLVMGetSuccessor(branch, 0) == guard->block;
	struct pass_asm code = {0};
	unsigned mask, regular, ctx;

	LLVMPositionBuilderBefore(in->builder, branch);
	LLVMSetCurrentDebugLocation2(in->builder, LLVMInstructionGetDebugLoc(branch));
	mask = pass_asm_scalar(&code, in->builder,
			       pass_ballot(in->builder, LLVMGetCondition(branch), 64));
	regular = pass_asm_scalar(&code, in->builder, in->regular);
	ctx = pass_group_context(in, &code);
	if (taken)
		pass_asm_put(&code, "s_cmp_eq_u64 $%u, $%u", mask, regular);
	else
		pass_asm_put(&code, "s_cmp_eq_u64 $%u, 0", mask);
	pass_asm_put(&code, "s_cbranch_scc1 .Lprobe_end${:uid}");
	pass_asm_put(&code, "s_cmp_eq_u64 exec, $%u", regular);
	pass_asm_put(&code, "s_cbranch_scc0 .Lprobe_end${:uid}");
	pass_cell_add(&code, ctx, regular, guard->row, PROBE_B_MISSES);
	pass_asm_put(&code, ".Lprobe_end${:uid}:");
	pass_group_finish(in, &code);
}

/* ---- The wave's begin and end --------------------------------------------------------------- */

/* One load: the second half is `reckoned` and what follows it. */
LLVMValueRef pass_group_load_regular(LLVMBuilderRef builder, LLVMValueRef ctx,
				     LLVMValueRef *ret_reckoned)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(ctx));
	LLVMTypeRef i8 = LLVMInt8TypeInContext(context), i32 = LLVMInt32TypeInContext(context);
	LLVMTypeRef i64 = LLVMInt64TypeInContext(context);
	LLVMValueRef offset = LLVMConstInt(i64, offsetof(struct probe_ctx, regular), 0);
	LLVMValueRef at = LLVMBuildGEP2(builder, i8, ctx, &offset, 1, "");
	LLVMValueRef load = LLVMBuildLoad2(builder, LLVMVectorType(i64, 2), at, "");
	LLVMValueRef second;

	_Static_assert(offsetof(struct probe_ctx, reckoned) ==
			       offsetof(struct probe_ctx, regular) + 8,
		       "loaded together");
	LLVMSetAlignment(load, 8);
	second = LLVMBuildExtractElement(builder, load, LLVMConstInt(i32, 1, 0), "");
	*ret_reckoned = LLVMBuildTrunc(builder, second, i32, "probe.reckoned");
	return LLVMBuildExtractElement(builder, load, LLVMConstInt(i32, 0, 0), "probe.regular");
}

/* Told to the compiler once, so that the wave gets them. */
static void start_counters(struct pass_group_insert *in)
{
	LLVMTypeRef i32 =
		LLVMInt32TypeInContext(LLVMGetModuleContext(LLVMGetGlobalParent(in->clone)));
	LLVMTypeRef type = LLVMFunctionType(i32, NULL, 0, 0);
	LLVMValueRef after = LLVMGetNextInstruction(in->regular);
	char limit[12];

	LLVMPositionBuilderBefore(in->builder, after);
	LLVMSetCurrentDebugLocation2(in->builder, NULL);
	for (int i = 0; i < in->plan->counters; i++) {
		char constraint[12];
		int size =
			snprintf(constraint, sizeof(constraint), "={s%d}", PLAN_COUNTER_LAST - i);

		/* As a result: a clobbered register that the compiler may not use is a warning. */
		LLVMBuildCall2(in->builder, type,
			       LLVMGetInlineAsm(type, (char *)"s_mov_b32 $0, 0", 15, constraint,
						(size_t)size, 1, 0, LLVMInlineAsmDialectATT, 0),
			       NULL, 0, "");
	}
	/*
	 * The number includes 2 to 6 for vcc and the like, as many as the function turns out to
	 * need.
	 */
	snprintf(limit, sizeof(limit), "%d", PLAN_COUNTER_LAST + 1 - in->plan->counters + 2);
	LLVMAddTargetDependentFunctionAttr(in->clone, "amdgpu-num-sgpr", limit);
}

/* The counters, after which EXEC is gone. */
static void flush_counters(struct pass_group_insert *in, LLVMValueRef last)
{
	struct pass_cell_sum sums[PLAN_COUNTERS];
	struct pass_asm code = {0};
	unsigned ctx, count = 0;

	LLVMPositionBuilderBefore(in->builder, last);
	LLVMSetCurrentDebugLocation2(in->builder, LLVMInstructionGetDebugLoc(last));
	ctx = pass_group_context(in, &code);
	for (int i = 0; i < in->plan->groups; i++) {
		const struct plan_group *group = &in->plan->group[i];

		if (group->counter != PLAN_NONE)
			sums[count++] = (struct pass_cell_sum){
				.row = group->row,
				.word = PROBE_B_RUNS,
				.sgpr = (unsigned)(PLAN_COUNTER_LAST - group->counter),
			};
	}
	pass_cell_flush(&code, sums, count, ctx);
	pass_group_finish(in, &code);
}

void pass_group_end(struct pass_group_insert *in)
{
	if (in->plan->counters) {
		start_counters(in);
		flush_counters(in, in->last);
	}
}
