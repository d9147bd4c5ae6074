/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/emit/lane_sums.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/emit/counter_rows.h"
#include "llvm-plugin/emit/inline_asm.h"
#include "llvm-plugin/plan/group_plan.h"
#include "llvm-plugin/plan/lane_sum_groups.h"
#include "llvm-plugin/sites/access_sites.h"

/* A group's registers, from group->lane_sums on. CROSSED: phases in which lanes 16 apart met. */
enum { EXECUTIONS, LANES, CROSSED };
_Static_assert((int)CROSSED + 1 == (int)LANE_SUM_SGPRS, "reserved registers");

LLVMValueRef lane_sums_begin(LLVMBuilderRef builder, LLVMValueRef clone)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(clone));
	LLVMValueRef id = pass_call_intrinsic(builder, "llvm.amdgcn.workitem.id.x", NULL, NULL, 0);
	struct asm_block code = {.result = LLVMInt32TypeInContext(context)};

	asm_constrain(&code, "=s");
	asm_line(&code, "v_mbcnt_lo_u32_b32 v0, -1, 0");
	asm_line(&code, "v_mbcnt_hi_u32_b32 v0, -1, v0");
	asm_line(&code, "v_sub_u32 v0, $%u, v0", asm_operand(&code, "v", id));
	asm_line(&code, "v_readfirstlane_b32 $0, v0");
	asm_line(&code, "v_cmp_ne_u32 vcc, $0, v0");
	asm_line(&code, "s_cmp_eq_u64 vcc, 0");
	asm_line(&code, "s_cselect_b32 $0, 1, 0");
	asm_constrain(&code, "~{v0},~{vcc},~{scc}");
	return asm_build_convergent(&code, builder, context);
}

static bool has_crossed(const struct group_plan *plan, int number)
{
	const struct plan_group *group = &plan->group[number];

	for (size_t i = group->first; i <= group->last; i++)
		if (plan->site[i].group == number && plan_lane_sum_way(&plan->site[i]) > 1)
			return true;
	return false;
}

void lane_sums_emit(struct asm_block *code, const struct group_plan *plan, int number,
		    unsigned linear)
{
	unsigned s = plan->group[number].lane_sums;

	asm_line(code, "s_cmp_eq_u32 $%u, 0", linear);
	asm_line(code, "s_cbranch_scc1 .Lprobe_not_linear${:uid}");
	asm_line(code, "s_bcnt1_i32_b64 s4, exec");
	asm_line(code, "s_add_u32 s%u, s%u, 1", s + EXECUTIONS, s + EXECUTIONS);
	asm_line(code, "s_add_u32 s%u, s%u, s4", s + LANES, s + LANES);
	if (has_crossed(plan, number)) {
		asm_line(code, "s_lshr_b32 s4, exec_lo, 16");
		asm_line(code, "s_and_b32 s4, s4, exec_lo");
		asm_line(code, "s_addc_u32 s%u, s%u, 0", s + CROSSED, s + CROSSED);
		asm_line(code, "s_lshr_b32 s4, exec_hi, 16");
		asm_line(code, "s_and_b32 s4, s4, exec_hi");
		asm_line(code, "s_addc_u32 s%u, s%u, 0", s + CROSSED, s + CROSSED);
	}
	asm_line(code, "s_branch .Lprobe_end${:uid}");
	asm_line(code, ".Lprobe_not_linear${:uid}:");
}

/* Lanes 0 to 4 add sums, lanes 5 to 7 maxima: v0 = offset of the lane's word in row 0. */
static void emit_offsets(struct asm_block *code)
{
	_Static_assert(PROBE_C_EXECUTIONS == 0 && PROBE_C_LANES == 1 && PROBE_C_PASSES == 9 &&
			       PROBE_C_IDEAL_PASSES == 10 && PROBE_C_AFFINE == 11 &&
			       PROBE_C_MAX_WAY == 12 && PROBE_C_STRIDE_HI == 13 &&
			       PROBE_C_STRIDE_LO == 14,
		       "words of lanes 0 to 7");
	asm_line(code, "s_movk_i32 exec_lo, 0xff");
	asm_line(code, "s_mov_b32 exec_hi, 0");
	asm_line(code, "v_mbcnt_lo_u32_b32 v0, -1, 0");
	asm_line(code, "v_cmp_lt_u32 vcc, 1, v0");
	asm_line(code, "v_lshlrev_b32 v0, 3, v0");
	asm_line(code, "v_add_u32 v1, %u, v0", 7 * 8);
	asm_line(code, "v_cndmask_b32 v0, v0, v1, vcc");
	asm_line(code, "v_mov_b32 v3, 0");
}

/* v0 is the lane's offset in the row of the previous site, or in row 0 of the replica. */
static void emit_site(struct asm_block *code, const struct plan_site *site, unsigned s,
		      const char *distance)
{
	uint32_t units = site->site.size / site->site.unit;
	uint32_t width = access_site_lds_width(&site->site);
	uint32_t ideal = (width > 8 ? 8 : width > 4 ? 4 : 2) * units;
	uint32_t stride = (uint32_t)site->pattern.stride[0].constant;
	bool crossed = plan_lane_sum_way(site) > 1;

	asm_line(code, "v_add_u32 v0, %s, v0", distance);
	asm_line(code, "s_mul_i32 s5, s%u, %u", s + EXECUTIONS, ideal);
	asm_line(code, "s_mul_i32 s6, s%u, %u", s + CROSSED, crossed ? units : 0);
	asm_line(code, "s_min_u32 s7, s6, 1");
	asm_line(code, "s_add_u32 s6, s6, s5");
	asm_line(code, "s_add_u32 s7, s7, 1");
	asm_line(code, "v_mov_b32 v2, s%u", s + EXECUTIONS);
	asm_line(code, "v_writelane_b32 v2, s%u, 1", s + LANES);
	asm_line(code, "v_writelane_b32 v2, s6, 2");
	asm_line(code, "v_writelane_b32 v2, s5, 3");
	asm_line(code, "v_writelane_b32 v2, s7, 5");
	asm_line(code, "s_mov_b32 s5, 0x%x", stride + (uint32_t)PROBE_STRIDE_BIAS);
	asm_line(code, "v_writelane_b32 v2, s5, 6");
	asm_line(code, "s_mov_b32 s5, 0x%x", (uint32_t)PROBE_STRIDE_BIAS - stride);
	asm_line(code, "v_writelane_b32 v2, s5, 7");
	asm_line(code, "s_mov_b32 exec_lo, 0x1f");
	asm_line(code, "global_atomic_add_x2 v0, v[2:3], s[8:9]");
	/* Executions by one lane have no stride. */
	asm_line(code, "s_cmp_eq_u32 s%u, s%u", s + EXECUTIONS, s + LANES);
	asm_line(code, "s_cselect_b32 exec_lo, 0x20, 0xe0");
	asm_line(code, "global_atomic_umax_x2 v0, v[2:3], s[8:9]");
	asm_line(code, "s_movk_i32 exec_lo, 0xff");
}

static void flush_group(struct asm_block *code, const struct group_plan *plan, int number)
{
	const struct plan_group *group = &plan->group[number];
	unsigned s = group->lane_sums;
	size_t last = group->first;
	char distance[12];

	asm_line(code, "s_cmp_eq_u32 s%u, 0", s + EXECUTIONS);
	asm_line(code, "s_cbranch_scc1 .Lprobe_flushed%d${:uid}", number);
	asm_line(code, "s_add_u32 s4, s10, 0x%x",
		 (plan->first_site + (uint32_t)group->first) * COUNTER_ROW_BYTES);
	emit_offsets(code);
	asm_line(code, "v_add_u32 v0, s4, v0");
	for (size_t i = group->first; i <= group->last; i++) {
		if (plan->site[i].group != number)
			continue;
		snprintf(distance, sizeof(distance), "0x%x",
			 (uint32_t)(i - last) * COUNTER_ROW_BYTES);
		emit_site(code, &plan->site[i], s, distance);
		last = i;
	}
	asm_line(code, ".Lprobe_flushed%d${:uid}:", number);
}

void lane_sums_flush(struct asm_block *code, const struct group_plan *plan, unsigned ctx)
{
	bool any = false;

	for (int i = 0; i < plan->groups; i++) {
		unsigned s = plan->group[i].lane_sums;

		if (!s)
			continue;
		asm_line(code, any ? "s_or_b32 s4, s4, s%u" : "s_or_b32 s4, s%u, 0",
			 s + EXECUTIONS);
		any = true;
	}
	asm_line(code, "s_cbranch_scc0 .Lprobe_no_sums${:uid}");
	emit_replica(code, ctx);
	emit_row_address(code, 0, 0);
	for (int i = 0; i < plan->groups; i++)
		if (plan->group[i].lane_sums)
			flush_group(code, plan, i);
	asm_line(code, ".Lprobe_no_sums${:uid}:");
}
