/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/emit/representative.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

#include "llvm-plugin/emit/measure_code.h"
#include "llvm-plugin/plugin/ir_helpers.h"
#include "llvm-plugin/sites/access_sites.h"

void representative_destroy(struct representative *representative)
{
	free(representative);
}

uint32_t representative_alignment(const struct access_site *site)
{
	if (site->unit > 8)
		return 16;
	return site->unit > 4 ? 8 : site->space == PROBE_SPACE_LDS || site->unit > 2 ? 4 : 2;
}

/* Is the difference known where this instruction is, in the block that it is of? */
static bool is_known(const struct analysis_difference *apart, LLVMValueRef inst)
{
	for (; inst; inst = LLVMGetNextInstruction(inst))
		for (unsigned i = 0; i < apart->terms; i++)
			for (unsigned k = 0; k < apart->term[i].factors; k++)
				if (apart->term[i].factor[k].value == inst)
					return false;
	return true;
}

bool representative_add(struct representative **representative, const struct analysis *flow,
			LLVMValueRef leader_inst, const struct access_site *leader,
			const struct access_site *site, uint32_t sites)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(leader_inst);
	struct analysis_difference apart;
	bool is_free, tested;

	if (site->space != PROBE_SPACE_GLOBAL || !measure_alike(leader, site) ||
	    !analysis_difference(flow, leader->pointer, site->pointer, block, &apart))
		return false;
	is_free = !(apart.multiple & (representative_alignment(site) - 1));
	tested = is_known(&apart, leader_inst) &&
		 (!*representative || (*representative)->tests < DISTANCE_TESTS);
	if (!is_free && !tested)
		return false;
	if (!*representative) {
		*representative = pass_alloc(NULL, sizeof(**representative));
		**representative = (struct representative){.site = leader};
	}
	if (is_free)
		(*representative)->free |= sites;
	if (tested)
		(*representative)->test[(*representative)->tests++] = (struct distance_test){
			.sites = sites,
			.apart = apart,
		};
	return true;
}

static LLVMValueRef build_factor(const struct analysis_factor *factor, LLVMBuilderRef builder,
				 LLVMTypeRef i32)
{
	if (LLVMGetTypeKind(LLVMTypeOf(factor->value)) == LLVMPointerTypeKind)
		return LLVMBuildPtrToInt(builder, factor->value, i32, "");
	return LLVMBuildIntCast2(builder, factor->value, i32, factor->sign_extended, "");
}

/* The low 32 bits of the difference, where the builder is. */
static LLVMValueRef build(const struct analysis_difference *apart, LLVMBuilderRef builder,
			  LLVMContextRef context)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(context);
	LLVMValueRef ret = LLVMConstInt(i32, (uint32_t)apart->constant, 0);

	for (unsigned i = 0; i < apart->terms; i++) {
		const struct analysis_term *term = &apart->term[i];
		LLVMValueRef product = LLVMConstInt(i32, (uint32_t)term->times, 0);

		for (unsigned k = 0; k < term->factors; k++)
			product = LLVMBuildMul(
				builder, build_factor(&term->factor[k], builder, i32), product, "");
		ret = LLVMBuildAdd(builder, product, ret, "");
	}
	return ret;
}

void representative_build(struct representative *representative, LLVMBuilderRef builder,
			  LLVMContextRef context)
{
	representative->builder = builder;
	for (unsigned i = 0; i < representative->tests; i++)
		representative->test[i].distance = scalar_value(
			builder, build(&representative->test[i].apart, builder, context));
}

bool representative_has_tests(const struct representative *representative)
{
	return representative && representative->tests;
}

/* The distance modulo 128, -64 to 63: does it take an access out of its line, or lies one on two?
 */
static void emit_test(const struct representative *representative, const struct distance_test *test,
		      struct asm_block *code, const char *counted, const char *name)
{
	unsigned distance = asm_scalar(code, representative->builder, test->distance);
	unsigned number = (unsigned)(test - representative->test);

	asm_line(code, "s_bfe_i32 s7, $%u, 0x70000", distance);
	asm_line(code, "s_cbranch_scc0 .Lprobe_led_%s%u${:uid}", name, number);
	asm_line(code, "s_min_i32 s8, s7, 0");
	asm_line(code, "s_max_i32 s7, s7, 0");
	asm_line(code, "s_add_u32 s7, s7, %u", representative->site->unit - 1);
	asm_line(code, "v_add_u32 v0, s8, v2");
	asm_line(code, "v_add_u32 v1, s7, v2");
	asm_line(code, "v_xor_b32 v0, v0, v2");
	asm_line(code, "v_xor_b32 v1, v1, v2");
	asm_line(code, "v_or_b32 v0, v0, v1");
	asm_line(code, "v_cmp_lt_u32 vcc, 63, v0");
	asm_line(code, "s_cbranch_vccnz .Lprobe_alone_%s%u${:uid}", name, number);
	asm_line(code, ".Lprobe_led_%s%u${:uid}:", name, number);
	asm_line(code, "s_or_b32 %s, %s, 0x%x", counted, counted, test->sites);
	asm_line(code, ".Lprobe_alone_%s%u${:uid}:", name, number);
}

void representative_emit(const struct representative *representative, struct asm_block *code,
			 const char *counted, uint32_t also)
{
	asm_line(code, "s_mov_b32 %s, 0x%x", counted, also);
	for (unsigned i = 0; i < representative->tests; i++)
		emit_test(representative, &representative->test[i], code, counted, "any");
}

/* s28 = the sites that are aligned if the representative is. */
static void emit_aligned(const struct representative *representative, struct asm_block *code)
{
	asm_line(code, "s_mov_b32 s28, 0x%x", representative->free);
	for (unsigned i = 0; i < representative->tests; i++) {
		const struct distance_test *test = &representative->test[i];

		if (!test->apart.fixed || (representative->free & test->sites) == test->sites)
			continue;
		asm_line(code, "s_and_b32 s7, $%u, %u",
			 asm_scalar(code, representative->builder, test->distance),
			 representative_alignment(representative->site) - 1);
		asm_line(code, "s_cselect_b32 s7, 0, 0x%x", test->sites);
		asm_line(code, "s_or_b32 s28, s28, s7");
	}
}

/* What is not aligned may be within its line now, and not where the pattern is seen again. */
void representative_emit_cached(const struct representative *representative, struct asm_block *code,
				const char *counted, uint32_t also)
{
	emit_aligned(representative, code);
	asm_line(code, "s_mov_b32 %s, 0", counted);
	for (unsigned i = 0; i < representative->tests; i++)
		if (representative->test[i].apart.fixed)
			emit_test(representative, &representative->test[i], code, counted, "kept");
	asm_line(code, "s_and_b32 %s, %s, s28", counted, counted);
	asm_line(code, "s_or_b32 %s, %s, 0x%x", counted, counted, also);
}
