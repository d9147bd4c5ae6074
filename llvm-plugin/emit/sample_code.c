/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/emit/sample_code.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "llvm-plugin/emit/counter_rows.h"
#include "llvm-plugin/plan/sampled_blocks.h"

/* Names of the registers, from sample->sgpr on. */
enum { SKIP = 0, RANDOM = 1, REGISTERS };
_Static_assert((int)REGISTERS == (int)PLAN_SAMPLE_SGPRS, "reserved registers");

static uint32_t float_bits(double value)
{
	float single = (float)value;
	uint32_t bits;

	memcpy(&bits, &single, sizeof(bits));
	return bits;
}

/*
 * SKIP = floor(log(u) / log(1 - 1 / N)), u evenly distributed between 0 and 1: a linear
 * congruential generator, of which the bits are mixed, over 2^32. `vgpr` is changed.
 */
static void emit_draw(const struct sample_code *sample, struct asm_block *code, const char *vgpr)
{
	unsigned s = sample->sgpr;

	asm_line(code, "s_mul_i32 s%u, s%u, 0x915f77f5", s + RANDOM, s + RANDOM);
	asm_line(code, "s_add_u32 s%u, s%u, 0x6b43a9b5", s + RANDOM, s + RANDOM);
	asm_line(code, "s_lshr_b32 s%u, s%u, 15", s + SKIP, s + RANDOM);
	asm_line(code, "s_xor_b32 s%u, s%u, s%u", s + SKIP, s + SKIP, s + RANDOM);
	asm_line(code, "s_mul_i32 s%u, s%u, 0x2c1b3c6d", s + SKIP, s + SKIP);
	asm_line(code, "v_cvt_f32_u32 %s, s%u", vgpr, s + SKIP);
	asm_line(code, "v_log_f32 %s, %s", vgpr, vgpr);
	asm_line(code, "v_add_f32 %s, 0x%x, %s", vgpr, float_bits(-32), vgpr);
	asm_line(code, "v_mul_f32 %s, 0x%x, %s", vgpr,
		 float_bits(1 / log2(1 - 1.0 / sample->every)), vgpr);
	asm_line(code, "v_cvt_u32_f32 %s, %s", vgpr, vgpr);
	asm_line(code, "v_readfirstlane_b32 s%u, %s", s + SKIP, vgpr);
}

void sample_emit_entry(const struct sample_code *sample, LLVMBuilderRef builder, LLVMValueRef seed)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(seed));
	LLVMTypeRef i32 = LLVMInt32TypeInContext(context), types[] = {i32, i32, i32};
	struct asm_block code = {.result = LLVMStructTypeInContext(context, types, 3, 0),
				 .fields = 3};

	asm_constrain(&code, "={s%u},={s%u},=&v", sample->sgpr + SKIP, sample->sgpr + RANDOM);
	asm_line(&code, "s_mov_b32 s%u, $%u", sample->sgpr + RANDOM,
		 asm_scalar(&code, builder, seed));
	emit_draw(sample, &code, "$2");
	asm_constrain(&code, "~{scc}");
	asm_build(&code, builder, context);
}

/* By the first active lane: the registers of other lanes may be in use. */
void sample_emit_count_in_row(struct asm_block *code, uint32_t row, unsigned wave)
{
	asm_line(code, "s_mov_b64 s[4:5], $%u", wave);
	asm_line(code, "s_mov_b64 s[8:9], exec");
	asm_line(code, "s_bcnt1_i32_b64 s6, exec");
	asm_line(code, "s_ff1_i32_b64 s7, exec");
	asm_line(code, "s_lshl_b64 exec, 1, s7");
	asm_line(code, "v_mov_b32 v0, 0x%x", row * COUNTER_ROW_BYTES);
	asm_line(code, "v_mov_b32 v2, 1");
	asm_line(code, "v_mov_b32 v3, 0");
	asm_line(code, "global_atomic_add_x2 v0, v[2:3], s[4:5] offset:8*%d",
		 PROBE_GROUP_SAMPLED_EXECUTIONS);
	asm_line(code, "v_mov_b32 v2, s6");
	asm_line(code, "global_atomic_add_x2 v0, v[2:3], s[4:5] offset:8*%d",
		 PROBE_GROUP_SAMPLED_LANES);
	asm_line(code, "s_mov_b64 exec, s[8:9]");
}

void sample_emit_count(struct asm_block *code, const struct sampled_block *block, unsigned wave)
{
	if (!block->sgpr) {
		sample_emit_count_in_row(code, block->row, wave);
		return;
	}
	_Static_assert(PROBE_GROUP_SAMPLED_LANES == PROBE_GROUP_SAMPLED_EXECUTIONS + 1,
		       "sampled_block.sgpr");
	asm_line(code, "s_bcnt1_i32_b64 s4, exec");
	asm_line(code, "s_add_u32 s%u, s%u, 1", block->sgpr, block->sgpr);
	asm_line(code, "s_add_u32 s%u, s%u, s4", block->sgpr + 1, block->sgpr + 1);
}

void sample_emit_choice(const struct sample_code *sample, struct asm_block *code)
{
	asm_line(code, "s_sub_u32 s%u, s%u, 1", sample->sgpr + SKIP, sample->sgpr + SKIP);
	asm_line(code, "s_cbranch_scc0 .Lprobe_skipped${:uid}");
	emit_draw(sample, code, "v0");
}
