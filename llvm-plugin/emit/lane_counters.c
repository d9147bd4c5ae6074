/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/emit/lane_counters.h"

#include <stdint.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include <probe/wire.h>

#include "llvm-plugin/analysis/ir_edit.h"
#include "llvm-plugin/emit/inline_asm.h"
#include "llvm-plugin/emit/counter_rows.h"
#include "llvm-plugin/plan/group_plan.h"

_Static_assert(PROBE_PREFIX_WORDS == 8 && PROBE_RESIDUE_WORDS == 8 && PROBE_RESIDUE_ROWS == 4 &&
		       COUNTER_ROW_BYTES == 128,
	       "lane 5:3 is the row, 2:0 the word");

static LLVMTypeRef counter_type(LLVMBuilderRef builder)
{
	LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInsertBlock(builder));

	return LLVMInt32TypeInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
}

void lane_counter_begin(LLVMBuilderRef builder, LLVMValueRef regular, uint32_t row,
			struct lane_counter *ret)
{
	LLVMBasicBlockRef entry = LLVMGetInstructionParent(regular);

	LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(entry));
	LLVMSetCurrentDebugLocation2(builder, NULL);
	ret->row = row;
	ret->count = LLVMBuildAlloca(builder, counter_type(builder), "");
	LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(entry));
	LLVMBuildStore(builder, LLVMConstInt(counter_type(builder), 0, 0), ret->count);
}

void lane_counter_result(struct asm_block *code, LLVMBuilderRef builder,
			 const struct lane_counter *counter)
{
	code->result = counter_type(builder);
	asm_constrain(code, "=v");
	asm_operand(code, "0", LLVMBuildLoad2(builder, code->result, counter->count, ""));
}

static void flush(struct asm_block *code, LLVMBuilderRef builder,
		  const struct lane_counter *counters, unsigned count, unsigned ctx)
{
	unsigned counted[PLAN_LANE_COUNTERS] = {0};

	for (unsigned i = 0; i < count; i++)
		counted[i] = asm_operand(
			code, "v",
			LLVMBuildLoad2(builder, counter_type(builder), counters[i].count, ""));
	asm_line(code, "v_mov_b32 v0, $%u", counted[0]);
	for (unsigned i = 1; i < count; i++)
		asm_line(code, "v_or_b32 v0, $%u, v0", counted[i]);
	asm_line(code, "v_cmp_ne_u32 vcc, 0, v0");
	asm_line(code, "s_cbranch_vccz .Lprobe_nothing${:uid}");
	emit_replica(code, ctx);
	asm_line(code, "v_mbcnt_lo_u32_b32 v0, -1, 0");
	asm_line(code, "v_mbcnt_hi_u32_b32 v0, -1, v0");
	asm_line(code, "v_and_b32 v1, 0x38, v0");
	asm_line(code, "v_add_lshl_u32 v0, v0, v1, 3");
	asm_line(code, "v_mov_b32 v3, 0");
	emit_row_address(code, counters[0].row, 0);
	asm_line(code, "v_add_u32 v0, s10, v0");
	for (unsigned i = 0; i < count; i++) {
		if (i)
			asm_line(code, "v_add_u32 v0, 0x%x, v0",
				 (counters[i].row - counters[i - 1].row) * COUNTER_ROW_BYTES);
		asm_line(code, "v_mov_b32 v2, $%u", counted[i]);
		asm_line(code, "global_atomic_add_x2 v0, v[2:3], s[8:9]");
	}
	asm_line(code, ".Lprobe_nothing${:uid}:");
}

void lane_counters_end(LLVMBuilderRef builder, LLVMValueRef last, LLVMValueRef ctx,
		       const struct lane_counter *counters, unsigned count)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(ctx));
	LLVMValueRef variables[PLAN_LANE_COUNTERS], number;
	struct asm_block code = {0};

	LLVMPositionBuilderBefore(builder, last);
	LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(last));
	number = LLVMBuildPtrToInt(builder, ctx, LLVMInt64TypeInContext(context), "");
	flush(&code, builder, counters, count, asm_scalar(&code, builder, number));
	asm_build_adding(&code, builder, context);
	for (unsigned i = 0; i < count; i++)
		variables[i] = counters[i].count;
	ir_promote(variables, count);
}
