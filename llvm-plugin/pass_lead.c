/* SPDX-License-Identifier: MIT */
#include "pass_lead.h"

#include <stdlib.h>

#include "pass_measure.h"

void pass_lead_destroy(struct pass_lead *lead)
{
	free(lead);
}

uint32_t pass_lead_aligned(const struct pass_site *site)
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

bool pass_lead_add(struct pass_lead **lead, const struct analysis *flow, LLVMValueRef leader_inst,
		   const struct pass_site *leader, const struct pass_site *site, uint32_t sites)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(leader_inst);
	struct analysis_difference apart;
	bool is_free, tested;

	if (site->space != PROBE_SPACE_GLOBAL || !pass_measure_alike(leader, site) ||
	    !analysis_difference(flow, leader->pointer, site->pointer, block, &apart))
		return false;
	is_free = !(apart.multiple & (pass_lead_aligned(site) - 1));
	tested = is_known(&apart, leader_inst) && (!*lead || (*lead)->tests < LEAD_TESTS);
	if (!is_free && !tested)
		return false;
	if (!*lead) {
		*lead = pass_alloc(NULL, sizeof(**lead));
		**lead = (struct pass_lead){.site = leader};
	}
	if (is_free)
		(*lead)->free |= sites;
	if (tested)
		(*lead)->test[(*lead)->tests++] = (struct lead_test){
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

void pass_lead_build(struct pass_lead *lead, LLVMBuilderRef builder, LLVMContextRef context)
{
	lead->builder = builder;
	for (unsigned i = 0; i < lead->tests; i++)
		lead->test[i].distance =
			pass_scalar(builder, build(&lead->test[i].apart, builder, context));
}

bool pass_lead_tests(const struct pass_lead *lead)
{
	return lead && lead->tests;
}

/* The distance modulo 128, -64 to 63: does it take an access out of its line, or lies one on two?
 */
static void put_test(const struct pass_lead *lead, const struct lead_test *test,
		     struct pass_asm *code, const char *counted, const char *name)
{
	unsigned distance = pass_asm_scalar(code, lead->builder, test->distance);
	unsigned number = (unsigned)(test - lead->test);

	pass_asm_put(code, "s_bfe_i32 s7, $%u, 0x70000", distance);
	pass_asm_put(code, "s_cbranch_scc0 .Lprobe_led_%s%u${:uid}", name, number);
	pass_asm_put(code, "s_min_i32 s8, s7, 0");
	pass_asm_put(code, "s_max_i32 s7, s7, 0");
	pass_asm_put(code, "s_add_u32 s7, s7, %u", lead->site->unit - 1);
	pass_asm_put(code, "v_add_u32 v0, s8, v2");
	pass_asm_put(code, "v_add_u32 v1, s7, v2");
	pass_asm_put(code, "v_xor_b32 v0, v0, v2");
	pass_asm_put(code, "v_xor_b32 v1, v1, v2");
	pass_asm_put(code, "v_or_b32 v0, v0, v1");
	pass_asm_put(code, "v_cmp_lt_u32 vcc, 63, v0");
	pass_asm_put(code, "s_cbranch_vccnz .Lprobe_alone_%s%u${:uid}", name, number);
	pass_asm_put(code, ".Lprobe_led_%s%u${:uid}:", name, number);
	pass_asm_put(code, "s_or_b32 %s, %s, 0x%x", counted, counted, test->sites);
	pass_asm_put(code, ".Lprobe_alone_%s%u${:uid}:", name, number);
}

void pass_lead_put(const struct pass_lead *lead, struct pass_asm *code, const char *counted,
		   uint32_t also)
{
	pass_asm_put(code, "s_mov_b32 %s, 0x%x", counted, also);
	for (unsigned i = 0; i < lead->tests; i++)
		put_test(lead, &lead->test[i], code, counted, "any");
}

/* s28 = the sites that are aligned if the leader is. */
static void put_aligned(const struct pass_lead *lead, struct pass_asm *code)
{
	pass_asm_put(code, "s_mov_b32 s28, 0x%x", lead->free);
	for (unsigned i = 0; i < lead->tests; i++) {
		const struct lead_test *test = &lead->test[i];

		if (!test->apart.fixed || (lead->free & test->sites) == test->sites)
			continue;
		pass_asm_put(code, "s_and_b32 s7, $%u, %u",
			     pass_asm_scalar(code, lead->builder, test->distance),
			     pass_lead_aligned(lead->site) - 1);
		pass_asm_put(code, "s_cselect_b32 s7, 0, 0x%x", test->sites);
		pass_asm_put(code, "s_or_b32 s28, s28, s7");
	}
}

/* What is not aligned may be within its line now, and not where the pattern is seen again. */
void pass_lead_put_kept(const struct pass_lead *lead, struct pass_asm *code, const char *counted,
			uint32_t also)
{
	put_aligned(lead, code);
	pass_asm_put(code, "s_mov_b32 %s, 0", counted);
	for (unsigned i = 0; i < lead->tests; i++)
		if (lead->test[i].apart.fixed)
			put_test(lead, &lead->test[i], code, counted, "kept");
	pass_asm_put(code, "s_and_b32 %s, %s, s28", counted, counted);
	pass_asm_put(code, "s_or_b32 %s, %s, 0x%x", counted, counted, also);
}
