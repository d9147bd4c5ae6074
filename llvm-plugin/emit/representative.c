/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/emit/representative.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

#include "llvm-plugin/emit/measure_code.h"
#include "llvm-plugin/plan/group_plan.h"
#include "llvm-plugin/plugin/ir_helpers.h"
#include "llvm-plugin/sites/access_sites.h"

enum { SITES = 32 }; /* of measure_access.h: they are bits of a word */

/* ---- Which sites ---------------------------------------------------------------------------- */

/* A multiple of this leaves lanes in the same banks of LDS, but for a rotation of all of them. */
static uint32_t bank_alignment(const struct access_site *site)
{
	return site->unit > 8 ? 16 : site->unit > 4 ? 8 : 4;
}

/* Do both accesses, under the same EXEC, always have the same counters? */
static bool count_the_same(const struct analysis *flow, const struct plan_site *a,
			   const struct plan_site *b)
{
	bool lds = a->site.space == PROBE_SPACE_LDS;
	struct analysis_difference apart;
	int64_t distance;

	if (analysis_distance(flow, a->site.pointer, b->site.pointer, &distance))
		return distance % (lds ? measure_lds_width(&a->site) : 128) == 0;
	return lds &&
	       analysis_difference(flow, a->site.pointer, b->site.pointer,
				   LLVMGetInstructionParent(a->inst), &apart) &&
	       apart.multiple % bank_alignment(&a->site) == 0;
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

/* One more follower, which stands for all of `sites`. False: it cannot be one. */
static bool add_test(struct measured_site *measured, const struct analysis *flow,
		     const struct plan_site *leader, const struct plan_site *site, uint32_t sites)
{
	struct representative *representative = measured->representative;
	struct analysis_difference apart;

	if (site->site.space != PROBE_SPACE_GLOBAL ||
	    (representative && representative->tests == DISTANCE_TESTS) ||
	    !analysis_difference(flow, leader->site.pointer, site->site.pointer,
				 LLVMGetInstructionParent(leader->inst), &apart) ||
	    !is_known(&apart, leader->inst))
		return false;
	if (!representative) {
		representative = pass_alloc(NULL, sizeof(*representative));
		*representative = (struct representative){.site = &leader->site};
		measured->representative = representative;
	}
	representative->test[representative->tests++] =
		(struct distance_test){.sites = sites, .apart = apart};
	return true;
}

/* What is called may end the wave. */
static bool ends_run(LLVMValueRef inst)
{
	LLVMValueRef callee =
		LLVMIsACallInst(inst) ? LLVMIsAFunction(LLVMGetCalledValue(inst)) : NULL;

	return LLVMIsACallInst(inst) &&
	       (!callee || !LLVMGetIntrinsicID(callee) || pass_ends_wave(inst));
}

/* Can the site be counted with others? */
static bool may_represent(const struct plan_site *site, const struct measured_site *measured)
{
	return measured->is && !measured->behind && site->site.space != PROBE_SPACE_FLAT &&
	       measure_is_one_call(&site->site);
}

/* The sites behind this one in its block: those always counted with it, or else those to test. */
static void find_followers(const struct group_plan *plan, const struct analysis *flow, size_t index,
			   struct measured_site *measured, bool always)
{
	const struct plan_site *first = &plan->site[index], *site = first;
	LLVMValueRef inst = first->inst;

	if (!may_represent(first, measured))
		return;
	while ((inst = LLVMGetNextInstruction(inst)) && !ends_run(inst)) {
		uint32_t n = (uint32_t)(site + 1 - first);
		struct measured_site *follower = measured + n;

		if (n == SITES || index + n == plan->sites)
			break;
		if (site[1].inst != inst)
			continue;
		site++;
		if (!follower->is || follower->behind || !measure_alike(&first->site, &site->site))
			continue;
		if (always && count_the_same(flow, first, site)) {
			measured->also |= 1u << n;
			follower->is = false;
		} else if (!always && !((uint64_t)follower->also << n >> 32) &&
			   add_test(measured, flow, first, site, 1u << n | follower->also << n)) {
			follower->behind = n;
		}
	}
}

struct measured_site *measured_sites_find(const struct group_plan *plan,
					  const struct analysis *flow)
{
	struct measured_site *measured = pass_alloc(NULL, (plan->sites + 1) * sizeof(*measured));

	for (size_t i = 0; i < plan->sites; i++)
		measured[i] = (struct measured_site){.is = plan->site[i].group == PLAN_NONE};
	for (size_t i = 0; i < plan->sites && flow; i++)
		find_followers(plan, flow, i, &measured[i], true);
	for (size_t i = 0; i < plan->sites && flow; i++)
		find_followers(plan, flow, i, &measured[i], false);
	return measured;
}

void measured_sites_destroy(struct measured_site *measured, const struct group_plan *plan)
{
	for (size_t i = 0; i < plan->sites; i++)
		free(measured[i].representative);
	free(measured);
}

/* ---- Code ----------------------------------------------------------------------------------- */

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

/* The distance modulo 128, -64 to 63: does it take an access out of its line, or lies one on two?
 */
static void emit_test(const struct representative *representative, const struct distance_test *test,
		      struct asm_block *code, const char *counted)
{
	unsigned distance = asm_scalar(code, representative->builder, test->distance);
	unsigned number = (unsigned)(test - representative->test);

	asm_line(code, "s_bfe_i32 s7, $%u, 0x70000", distance);
	asm_line(code, "s_cbranch_scc0 .Lprobe_led%u${:uid}", number);
	asm_line(code, "s_min_i32 s8, s7, 0");
	asm_line(code, "s_max_i32 s7, s7, 0");
	asm_line(code, "s_add_u32 s7, s7, %u", representative->site->unit - 1);
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

void representative_emit(struct representative *representative, LLVMBuilderRef builder,
			 struct asm_block *code, const char *counted, uint32_t also)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(representative->site->pointer));

	representative->builder = builder;
	asm_line(code, "s_mov_b32 %s, 0x%x", counted, also);
	for (unsigned i = 0; i < representative->tests; i++) {
		struct distance_test *test = &representative->test[i];

		test->distance = scalar_value(builder, build(&test->apart, builder, context));
		emit_test(representative, test, code, counted);
	}
}
