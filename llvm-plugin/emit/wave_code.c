/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include <probe/wire.h>

#include "llvm-plugin/emit/wave_code.h"
#include "llvm-plugin/emit/counter_rows.h"
#include "llvm-plugin/emit/lane_sums.h"
#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/plan/lane_sum_groups.h"
#include "llvm-plugin/plan/sampled_blocks.h"

static LLVMContextRef context_of(const struct group_code *in)
{
	return LLVMGetModuleContext(LLVMGetGlobalParent(in->clone));
}

LLVMValueRef group_code_finish(struct group_code *in, struct asm_block *code)
{
	return asm_build_call(code, in->builder, context_of(in));
}

unsigned group_code_context(struct group_code *in, struct asm_block *code)
{
	return asm_scalar(code, in->builder,
			  LLVMBuildPtrToInt(in->builder, in->ctx, LLVMTypeOf(in->regular), ""));
}

/* ---- A predicate --------------------------------------------------------------------------------
 */

void group_code_predicate(struct group_code *in, const struct branch_predicate *predicate)
{
	LLVMValueRef branch = LLVMGetBasicBlockTerminator(predicate->from);
	bool taken = LLVMGetSuccessor(branch, 0) == predicate->block;
	struct asm_block code = {0};
	unsigned mask, regular, ctx;

	LLVMPositionBuilderBefore(in->builder, branch);
	LLVMSetCurrentDebugLocation2(in->builder, LLVMInstructionGetDebugLoc(branch));
	mask = asm_scalar(&code, in->builder,
			  pass_ballot(in->builder, LLVMGetCondition(branch), 64));
	regular = asm_scalar(&code, in->builder, in->regular);
	ctx = group_code_context(in, &code);
	if (taken)
		asm_line(&code, "s_cmp_eq_u64 $%u, $%u", mask, regular);
	else
		asm_line(&code, "s_cmp_eq_u64 $%u, 0", mask);
	asm_line(&code, "s_cbranch_scc1 .Lprobe_end${:uid}");
	asm_line(&code, "s_cmp_eq_u64 exec, $%u", regular);
	asm_line(&code, "s_cbranch_scc0 .Lprobe_end${:uid}");
	emit_add_one(&code, ctx, regular, predicate->row, PROBE_GROUP_SKIPPED);
	asm_line(&code, ".Lprobe_end${:uid}:");
	asm_build_adding(&code, in->builder, context_of(in));
}

/* ---- The wave's begin and end --------------------------------------------------------------- */

/* One load for both: the second half is `enumerated` and the next field. */
LLVMValueRef group_code_load_regular(LLVMBuilderRef builder, LLVMValueRef ctx,
				     LLVMValueRef *ret_enumerated)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(ctx));
	LLVMTypeRef i8 = LLVMInt8TypeInContext(context), i32 = LLVMInt32TypeInContext(context);
	LLVMTypeRef i64 = LLVMInt64TypeInContext(context);
	LLVMValueRef offset = LLVMConstInt(i64, offsetof(struct probe_ctx, regular), 0);
	LLVMValueRef at = LLVMBuildGEP2(builder, i8, ctx, &offset, 1, "");
	LLVMValueRef load = LLVMBuildLoad2(builder, LLVMVectorType(i64, 2), at, "");
	LLVMValueRef second;

	_Static_assert(offsetof(struct probe_ctx, enumerated) ==
			       offsetof(struct probe_ctx, regular) + 8,
		       "loaded together");
	LLVMSetAlignment(load, 8);
	second = LLVMBuildExtractElement(builder, load, LLVMConstInt(i32, 1, 0), "");
	*ret_enumerated = LLVMBuildTrunc(builder, second, i32, "probe.enumerated");
	return LLVMBuildExtractElement(builder, load, LLVMConstInt(i32, 0, 0), "probe.regular");
}

/*
 * The registers are outputs of an asm block, so that the compiler allocates them: a clobber of a
 * register that the compiler may not use is a warning. All of one block, because LLVM creates an
 * assembler for each.
 */
static void start_counters(struct group_code *in)
{
	LLVMContextRef context = context_of(in);
	LLVMTypeRef types[RESERVED_GROUPS_COUNT], i32 = LLVMInt32TypeInContext(context);
	struct asm_block code = {0};
	unsigned lowest = reserved_lowest(&in->plan->counters);
	unsigned own = in->plan->batch ? in->plan->batch : in->plan->sample;
	unsigned last = own ? own - 1 : RESERVED_LAST;

	for (unsigned sgpr = last; sgpr >= lowest; sgpr--) {
		types[code.fields++] = i32;
		asm_constrain(&code, "={s%u}", sgpr);
		asm_line(&code, "s_mov_b32 s%u, 0", sgpr);
	}
	code.result =
		code.fields == 1 ? i32 : LLVMStructTypeInContext(context, types, code.fields, 0);
	LLVMPositionBuilderBefore(in->builder, LLVMGetNextInstruction(in->regular));
	LLVMSetCurrentDebugLocation2(in->builder, NULL);
	asm_build(&code, in->builder, context);
}

/* Flush the counters; EXEC is not preserved. */
static void flush_counters(struct group_code *in, LLVMValueRef last)
{
	struct run_counter sums[RESERVED_GROUPS_COUNT];
	struct asm_block code = {0};
	unsigned ctx, count = 0;

	LLVMPositionBuilderBefore(in->builder, last);
	LLVMSetCurrentDebugLocation2(in->builder, LLVMInstructionGetDebugLoc(last));
	ctx = group_code_context(in, &code);
	for (int i = 0; i < in->plan->groups; i++) {
		const struct plan_group *group = &in->plan->group[i];

		if (group->sgpr)
			sums[count++] = (struct run_counter){
				.row = group->row,
				.word = PROBE_GROUP_EXECUTIONS,
				.sgpr = group->sgpr,
			};
	}
	for (size_t i = 0; i < in->plan->sampled_blocks; i++) {
		const struct sampled_block *block = &in->plan->sampled[i];

		for (unsigned word = 0; block->sgpr && word < 2; word++)
			sums[count++] = (struct run_counter){
				.row = block->row,
				.word = PROBE_GROUP_SAMPLED_EXECUTIONS + word,
				.sgpr = block->sgpr + word,
			};
	}
	if (count)
		run_counters_flush(&code, sums, count, ctx);
	if (plan_has_lane_sums(in->plan))
		lane_sums_flush(&code, in->plan, ctx);
	asm_build_adding(&code, in->builder, context_of(in));
}

void group_code_end(struct group_code *in)
{
	if (plan_counts_in_registers(in->plan)) {
		start_counters(in);
		flush_counters(in, in->last);
	}
}
