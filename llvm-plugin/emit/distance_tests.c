/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/emit/distance_tests.h"

#include <stdint.h>
#include <llvm-c/Core.h>

#include "llvm-plugin/emit/inline_asm.h"
#include "llvm-plugin/plan/representatives.h"

static LLVMValueRef build_factor(const struct analysis_factor *factor, LLVMBuilderRef builder,
				 LLVMTypeRef i32)
{
	if (LLVMGetTypeKind(LLVMTypeOf(factor->value)) == LLVMPointerTypeKind)
		return LLVMBuildPtrToInt(builder, factor->value, i32, "");
	return LLVMBuildIntCast2(builder, factor->value, i32, factor->sign_extended, "");
}

/* Builds the low 32 bits of the difference at the builder's position. */
static LLVMValueRef build(const struct analysis_difference *difference, LLVMBuilderRef builder,
			  LLVMContextRef context)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(context);
	LLVMValueRef ret = LLVMConstInt(i32, (uint32_t)difference->constant, 0);

	for (unsigned i = 0; i < difference->terms; i++) {
		const struct analysis_term *term = &difference->term[i];
		LLVMValueRef product = LLVMConstInt(i32, (uint32_t)term->scale, 0);

		for (unsigned k = 0; k < term->factors; k++)
			product = LLVMBuildMul(
				builder, build_factor(&term->factor[k], builder, i32), product, "");
		ret = LLVMBuildAdd(builder, product, ret, "");
	}
	return ret;
}

/*
 * Tests the distance modulo 128, -64 to 63: do all lanes access the same 64 B line at that
 * distance, without crossing its end?
 */
static void emit_test(const struct representative *representative, const struct distance_test *test,
		      LLVMBuilderRef builder, struct asm_block *code, const char *counted)
{
	unsigned distance = asm_scalar(code, builder, test->distance);
	unsigned number = (unsigned)(test - representative->test);

	asm_line(code, "s_bfe_i32 s7, $%u, 0x70000", distance);
	asm_line(code, "s_cbranch_scc0 .Lprobe_led%u${:uid}", number);
	asm_line(code, "s_min_i32 s8, s7, 0");
	asm_line(code, "s_max_i32 s7, s7, 0");
	asm_line(code, "s_add_u32 s7, s7, %u", representative->unit - 1);
	asm_line(code, "v_add_u32 v0, s8, v2");
	asm_line(code, "v_add_u32 v1, s7, v2");
	asm_line(code, "v_xor_b32 v0, v0, v2");
	asm_line(code, "v_xor_b32 v1, v1, v2");
	asm_line(code, "v_or_b32 v0, v0, v1");
	asm_line(code, "v_cmp_lt_u32 vcc, 63, v0");
	asm_line(code, "s_cbranch_vccnz .Lprobe_alone%u${:uid}", number);
	asm_line(code, ".Lprobe_led%u${:uid}:", number);
	asm_line(code, "s_or_b32 %s, %s, 0x%x", counted, counted, test->sites);
	asm_line(code, ".Lprobe_alone%u${:uid}:", number);
}

void emit_distance_tests(struct representative *representative, LLVMBuilderRef builder,
			 LLVMContextRef context, struct asm_block *code, const char *counted,
			 uint32_t also)
{
	asm_line(code, "s_mov_b32 %s, 0x%x", counted, also);
	for (unsigned i = 0; i < representative->tests; i++) {
		struct distance_test *test = &representative->test[i];

		test->distance = scalar_value(builder, build(&test->difference, builder, context));
		emit_test(representative, test, builder, code, counted);
	}
}
