/* SPDX-License-Identifier: MIT */
/*
 * Code of groups and predicates: one asm block for each, for the reasons given in measure_access.h.
 *
 * Most waves take the short path: EXEC is that of a regular wave, no integer is near a wrap, and
 * every tested address is a multiple of 128. Then the execution is counted in a register or in the
 * group's row, or not at all if it is the wave's only one (PROBE_GROUP_ONCE). Regular waves at
 * other multiples of 4 are counted in the residue histograms, other waves in the histogram of
 * masks. Executions that fit none of these are measured site by site; a regular wave that was to
 * execute the group once is then counted as skipped.
 */
#include "llvm-plugin/emit/group_code.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include <probe/wire.h>

#include "llvm-plugin/emit/batch_code.h"
#include "llvm-plugin/emit/sample_code.h"
#include "llvm-plugin/emit/devlib_link.h"
#include "llvm-plugin/emit/wave_code.h"
#include "llvm-plugin/emit/group_operands.h"
#include "llvm-plugin/emit/inline_asm.h"
#include "llvm-plugin/emit/counter_rows.h"
#include "llvm-plugin/emit/lane_sums.h"
#include "llvm-plugin/emit/mask_histogram.h"
#include "llvm-plugin/emit/measure_code.h"
#include "llvm-plugin/emit/prefix_masks.h"
#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/sites/access_sites.h"

_Static_assert(7 + 2 * PLAN_STREAMS + 2 * PLAN_SITES + 1 <= ASM_OPERANDS, "operands of a group");

/* ---- Small pieces of code ------------------------------------------------------------------- */

static void emit_address(struct asm_block *code, const struct plan_site *site, unsigned address)
{
	if (site->stream == PLAN_NONE) {
		asm_line(code, "v_mov_b32 v2, 0");
		asm_line(code, "v_mov_b32 v3, 0");
	} else if (site->site.space == PROBE_SPACE_LDS) {
		asm_line(code, "v_mov_b32 v2, $%u", address);
		asm_line(code, "v_mov_b32 v3, 0");
		if (site->delta)
			asm_line(code, "v_add_u32 v2, 0x%x, v2", (uint32_t)site->delta);
	} else {
		asm_line(code, "v_lshlrev_b64 v[2:3], 0, $%u", address);
		if (site->delta) {
			asm_line(code, "v_add_co_u32 v2, vcc, 0x%x, v2", (uint32_t)site->delta);
			asm_line(code, "v_addc_co_u32 v3, vcc, %d, v3, vcc",
				 site->delta < 0 ? -1 : 0);
		}
	}
}

static LLVMValueRef share(const struct group_code *in, enum devlib_function which, uint32_t shape)
{
	return devlib_share(in->devlib, which, shape, in->clone, in->analyses);
}

/* A unit of an access: its row of counters, the operand with the address, the unit's offset. */
struct unit_at {
	uint32_t row;
	unsigned address;
	uint32_t offset;
};

static void measure_unit(struct group_code *in, struct asm_block *code,
			 const struct plan_site *site, const struct unit_at *unit, unsigned ctx)
{
	asm_line(code, "v_lshlrev_b64 v[0:1], 0, $%u", ctx);
	emit_address(code, site, unit->address);
	asm_line(code, "v_mov_b32 v4, 0x%x", unit->offset);
	asm_line(code, "v_mov_b32 v5, 0x%x", unit->row);
	asm_shared_call(code, share(in, DEVLIB_MEMORY_SITE, access_site_shape(&site->site)));
}

/*
 * The same, if the wave has the address of its replica: much shorter. LDS units are counted
 * together. `also` is a mask of further rows (measure_access.h); with one, v0 is 0 afterwards if
 * they are counted.
 */
static void measure_at_row(struct group_code *in, struct asm_block *code,
			   const struct plan_site *site, const struct unit_at *unit, uint32_t also)
{
	uint32_t shape = access_site_shape(&site->site) | (also ? DEVLIB_SHAPE_MORE_ROWS : 0);
	bool batched = in->batch->sgpr && in->plan->group[site->group].batched;
	unsigned wave;

	if (unit->offset && site->site.space == PROBE_SPACE_LDS)
		return;
	emit_address(code, site, unit->address);
	if (unit->offset) {
		shape |= DEVLIB_SHAPE_LATER_UNIT;
		asm_line(code, "v_add_co_u32 v2, vcc, 0x%x, v2", unit->offset);
		asm_line(code, "v_addc_co_u32 v3, vcc, 0, v3, vcc");
	}
	wave = asm_scalar(code, in->builder, in->wave);
	if (batched)
		batch_emit_record(in->batch, code, &site->site, unit->row, NULL, wave);
	measure_emit_row(code, wave, unit->row);
	if (also) {
		asm_line(code, "s_mov_b32 s6, 0x%x", also);
		asm_line(code, "v_mov_b32 v0, 0");
	}
	measure_emit_call(code, share(in, DEVLIB_MEMORY_FIRST, shape));
	if (batched)
		batch_emit_counted(in->batch, code);
}

static bool has_row_address(const struct group_code *in, const struct access_site *site)
{
	return in->wave && (site->space == PROBE_SPACE_GLOBAL ||
			    (site->space == PROBE_SPACE_LDS && access_site_is_one_call(site)));
}

/* ---- A group -------------------------------------------------------------------------------- */

/*
 * Jump to .Lprobe_measure if a value is near a wrap in any lane: also for waves that are not
 * regular.
 */
static void emit_wraps(struct asm_block *code, const struct group_operands *operands)
{
	_Static_assert(AFFINE_WRAP_LIMIT == 1u << 30, "the constant below");
	if (!operands->wraps)
		return;
	asm_line(code, "v_cmp_lt_u32 vcc, 0x3fffffff, $%u",
		 asm_operand(code, "v", operands->wraps));
	asm_line(code, "s_cbranch_vccnz .Lprobe_measure${:uid}");
}

/* Set scc and s4 to not 0 if an address is not a multiple of 128, or a value is near a wrap. */
static void emit_address_test(struct asm_block *code, const struct group_operands *operands)
{
	unsigned address_bits = asm_operand(code, "v", operands->address_bits);

	if (operands->wraps) {
		unsigned wraps = asm_operand(code, "v", operands->wraps);

		if (operands->address_shift) {
			asm_line(code, "v_alignbit_b32 v0, $%u, $%u, 30", address_bits, wraps);
		} else {
			asm_line(code, "v_lshrrev_b32 v0, 30, $%u", wraps);
			asm_line(code, "v_lshl_or_b32 v0, $%u, 25, v0", address_bits);
		}
		asm_line(code, "v_readfirstlane_b32 s4, v0");
	} else {
		asm_line(code, "v_readfirstlane_b32 s4, $%u", address_bits);
	}
	if (operands->wraps || operands->address_shift)
		asm_line(code, "s_cmp_lg_u32 s4, 0");
	else
		asm_line(code, "s_and_b32 s4, s4, 0x7f");
}

/* Bits of s4 that exclude residue histograms: an address that is not a multiple of 4, or a wrap. */
static uint32_t measured_bits(const struct group_operands *operands)
{
	return operands->wraps || operands->address_shift ? 3u << 25 | 3 : 3;
}

/*
 * Jump to .Lprobe_regular in a regular wave that passes all tests. If only its addresses fail,
 * count it in the residue histograms.
 */
static void emit_wave_test(struct asm_block *code, const struct plan_group *group,
			   const struct group_operands *operands, unsigned regular, unsigned ctx)
{
	asm_line(code, "s_cmp_eq_u64 exec, $%u", regular);
	if (!operands->address_bits && !operands->wraps) {
		asm_line(code, "s_cbranch_scc1 .Lprobe_regular${:uid}");
		return;
	}
	asm_line(code, "s_cbranch_scc0 .Lprobe_irregular${:uid}");
	if (!operands->address_bits) {
		emit_wraps(code, operands);
		asm_line(code, "s_branch .Lprobe_regular${:uid}");
	} else {
		emit_address_test(code, operands);
		asm_line(code, "s_cbranch_scc0 .Lprobe_regular${:uid}");
	}
	if (operands->address_bits && plan_has(group, PLAN_BY_RESIDUE)) {
		asm_line(code, "s_and_b32 s4, s4, 0x%x", measured_bits(operands));
		asm_line(code, "s_cbranch_scc1 .Lprobe_irregular${:uid}");
		residue_histogram_emit(code, group, &operands->bases, ctx, regular);
		asm_line(code, "s_branch .Lprobe_end${:uid}");
	}
	asm_line(code, ".Lprobe_irregular${:uid}:");
}

/* The sites behind this one that have the same counters: bit n = the n-th behind it. */
static uint32_t find_alike(const struct group_plan *plan, size_t index)
{
	const struct plan_site *first = &plan->site[index];
	bool lds = first->site.space == PROBE_SPACE_LDS;
	uint32_t multiple = lds ? access_site_lds_width(&first->site) : 128, alike = 0;

	if (!access_site_is_one_call(&first->site))
		return 0;
	for (size_t n = 1; n < 32 && index + n <= plan->group[first->group].last; n++) {
		const struct plan_site *site = first + n;

		if (site->group == first->group && site->stream == first->stream &&
		    access_site_alike(&first->site, &site->site) &&
		    ((int64_t)site->delta - first->delta) % multiple == 0)
			alike |= 1u << n;
	}
	return alike;
}

/* Measure one site of a group in its own row. */
static void emit_site(struct group_code *in, struct asm_block *code, const struct plan_site *site,
		      struct unit_at unit, unsigned ctx)
{
	for (; unit.offset < site->site.size; unit.offset += site->site.unit)
		if (has_row_address(in, &site->site))
			measure_at_row(in, code, site, &unit, 0);
		else
			measure_unit(in, code, site, &unit, ctx);
}

/* Measure a site for those that are alike, too; or all one by one, if that is not possible. */
static void emit_alike(struct group_code *in, struct asm_block *code, const struct plan_site *site,
		       struct unit_at unit, unsigned ctx, uint32_t alike)
{
	uint32_t row = unit.row;

	measure_at_row(in, code, site, &unit, alike);
	asm_line(code, "v_readfirstlane_b32 s4, v0");
	asm_line(code, "s_cmp_eq_u32 s4, 0");
	asm_line(code, "s_cbranch_scc1 .Lprobe_alike%u${:uid}", row);
	for (unsigned n = 1; n < 32; n++) {
		unit.row = row + n;
		if (alike >> n & 1)
			emit_site(in, code, site + n, unit, ctx);
	}
	asm_line(code, ".Lprobe_alike%u${:uid}:", row);
}

/*
 * Measure all sites, each in its own row; or a sample of their executions. Sites that have the same
 * counters are measured once.
 */
static void emit_measure(struct group_code *in, struct asm_block *code, int number,
			 const struct group_operands *operands, unsigned ctx, uint32_t first_id)
{
	const struct plan_group *group = &in->plan->group[number];
	uint32_t counted = 0; /* bit n: n sites from here */

	if (in->sample->sgpr) {
		sample_emit_count_in_row(code, group->row, asm_scalar(code, in->builder, in->wave));
		sample_emit_choice(in->sample, code);
	}
	for (size_t i = group->first; i <= group->last; i++, counted >>= 1) {
		const struct plan_site *site = &in->plan->site[i];
		struct unit_at unit = {.row = first_id + (uint32_t)i};
		uint32_t alike;

		if (site->group != number || counted & 1)
			continue;
		if (site->stream != PLAN_NONE)
			unit.address = asm_operand(code, "v", operands->address[site->stream]);
		alike = has_row_address(in, &site->site) ? find_alike(in->plan, i) & ~counted : 0;
		counted |= alike;
		if (alike)
			emit_alike(in, code, site, unit, ctx, alike);
		else
			emit_site(in, code, site, unit, ctx);
	}
	asm_line(code, ".Lprobe_skipped${:uid}:");
}

/* Count a regular wave that executed a PROBE_GROUP_ONCE group, but was counted in another way. */
static void emit_skipped(struct asm_block *code, const struct plan_group *group,
			 const struct group_operands *operands, unsigned regular, unsigned ctx)
{
	asm_line(code, "s_cmp_eq_u64 exec, $%u", regular);
	asm_line(code, "s_cbranch_scc0 .Lprobe_end${:uid}");
	if (group->follows_launch)
		residue_histogram_emit(code, group, &operands->bases, ctx, regular);
	else
		emit_add_one(code, ctx, regular, group->row, PROBE_GROUP_SKIPPED);
}

static void emit_regular(struct asm_block *code, const struct plan_group *group, unsigned regular,
			 unsigned ctx)
{
	if (!group->once)
		asm_line(code, "s_branch .Lprobe_end${:uid}");
	asm_line(code, ".Lprobe_regular${:uid}:");
	if (group->once)
		return;
	if (group->sgpr)
		asm_line(code, "s_add_u32 s%u, s%u, 1", group->sgpr, group->sgpr);
	else
		emit_add_one(code, ctx, regular, group->row, PROBE_GROUP_EXECUTIONS);
}

/*
 * For a group that follows from the launch: do nothing if the launch has regular waves; else
 * measure each access.
 */
static void emit_derived(struct group_code *in, struct asm_block *code, int number,
			 const struct group_operands *operands, uint32_t first_id)
{
	asm_line(code, "s_cmp_lg_u64 $%u, 0", asm_scalar(code, in->builder, in->regular));
	asm_line(code, "s_cbranch_scc1 .Lprobe_end${:uid}");
	emit_measure(in, code, number, operands, group_code_context(in, code), first_id);
	asm_line(code, ".Lprobe_end${:uid}:");
}

static void emit_prefixes(struct group_code *in, struct asm_block *code,
			  const struct group_operands *operands)
{
	prefix_masks_test(code, in->builder, operands->not_prefixes);
	emit_wraps(code, operands);
	prefix_masks_emit(code);
	asm_line(code, ".Lprobe_uncounted${:uid}:");
}

/* Through llvm.amdgcn.readfirstlane, because it is the result of a comparison. */
static LLVMValueRef full_mask(struct group_code *in)
{
	LLVMTypeRef i64 = LLVMTypeOf(in->regular);
	LLVMValueRef is_full;

	if (in->full)
		return in->full;
	LLVMPositionBuilderBefore(
		in->builder, LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(in->regular)));
	LLVMSetCurrentDebugLocation2(in->builder, NULL);
	is_full = LLVMBuildICmp(in->builder, LLVMIntEQ, in->regular, LLVMConstAllOnes(i64), "");
	in->full = scalar_value(in->builder, LLVMBuildSExt(in->builder, is_full, i64, ""));
	return in->full;
}

/* In the entry block, which all lanes execute. */
static LLVMValueRef linear_wave(struct group_code *in)
{
	if (in->linear)
		return in->linear;
	LLVMPositionBuilderBefore(
		in->builder, LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(in->regular)));
	LLVMSetCurrentDebugLocation2(in->builder, NULL);
	in->linear = lane_sums_begin(in->builder, in->clone);
	return in->linear;
}

static void begin_counter(struct group_code *in, int number, struct group_operands *ret)
{
	const struct plan_group *group = &in->plan->group[number];
	bool prefixes = plan_has(group, PLAN_BY_PREFIX);
	struct lane_counter *counter = &in->counter[in->counters];

	if (!prefixes && !group->residues_in_lanes)
		return;
	lane_counter_begin(in->builder, in->regular,
			   group->histogram[prefixes ? PLAN_BY_PREFIX : PLAN_BY_RESIDUE], counter);
	if (prefixes)
		ret->not_prefixes = prefix_masks_begin(in->builder, in->plan, number, in->regular);
	else
		full_mask(in);
	in->counters++;
	ret->counter = counter;
}

/* Test for regular waves, unless there is a simpler test for the group. */
static void emit_regular_test(struct group_code *in, struct asm_block *code,
			      const struct plan_group *group, const struct group_operands *operands,
			      unsigned regular, unsigned ctx)
{
	if (group->residues_in_lanes) {
		emit_wraps(code, operands);
		residue_lanes_emit(code, &operands->bases, asm_scalar(code, in->builder, in->full));
	} else if (!group->observed) {
		emit_wave_test(code, group, operands, regular, ctx);
	}
}

/* A group of which only the addresses in enumerated launches are known: measure its sites. */
static void emit_lanes_only(struct group_code *in, struct asm_block *code, int number,
			    const struct group_operands *operands, uint32_t first_id)
{
	emit_measure(in, code, number, operands, group_code_context(in, code), first_id);
	asm_line(code, ".Lprobe_end${:uid}:");
}

/* A group whose executions are counted, with tests from the cheapest one to measuring all sites. */
static void emit_counted(struct group_code *in, struct asm_block *code, int number,
			 const struct group_operands *operands, uint32_t first_id)
{
	const struct plan_group *group = &in->plan->group[number];
	unsigned regular = asm_scalar(code, in->builder, in->regular);
	unsigned ctx = group_code_context(in, code);

	/* Prefix masks include regular waves, unless these have a simpler test. */
	if (operands->not_prefixes && operands->address_bits)
		emit_prefixes(in, code, operands);
	emit_regular_test(in, code, group, operands, regular, ctx);
	if (operands->not_prefixes && !operands->address_bits)
		emit_prefixes(in, code, operands);
	if (!group->residues_in_lanes)
		emit_wraps(code, operands);
	if (group->lane_sums)
		lane_sums_emit(code, in->plan, number, asm_scalar(code, in->builder, in->linear));
	if (plan_has(group, PLAN_BY_MASK)) {
		/* Not in launches whose waves have different shapes. */
		asm_line(code, "s_cmp_eq_u64 $%u, 0", regular);
		asm_line(code, "s_cbranch_scc1 .Lprobe_measure${:uid}");
		mask_histogram_emit(code, group, &operands->bases, operands->observed, ctx,
				    share(in, DEVLIB_MEMORY_BUCKET, 0));
	}
	asm_line(code, ".Lprobe_measure${:uid}:");
	emit_measure(in, code, number, operands, ctx, first_id);
	if (group->once)
		emit_skipped(code, group, operands, regular, ctx);
	if (!group->observed && !group->residues_in_lanes)
		emit_regular(code, group, regular, ctx);
	asm_line(code, ".Lprobe_end${:uid}:");
}

static void insert_group(struct group_code *in, int number, uint32_t first_id)
{
	const struct plan_group *group = &in->plan->group[number];
	struct group_operands operands = {0};
	struct asm_block code = {0};
	LLVMValueRef value;

	begin_counter(in, number, &operands);
	if (group->lane_sums)
		linear_wave(in);
	group_operands_position(in, group);
	if (operands.counter)
		lane_counter_result(&code, in->builder, operands.counter);
	group_operands_build(in, number, &operands);
	if (group->lanes_known && !plan_follows_launch(group)) {
		asm_line(&code, "s_cmp_lg_u32 $%u, 0",
			 asm_scalar(&code, in->builder, in->enumerated));
		asm_line(&code, "s_cbranch_scc1 .Lprobe_end${:uid}");
	}
	if (group->lanes_only)
		emit_lanes_only(in, &code, number, &operands, first_id);
	else if (plan_follows_launch(group))
		emit_derived(in, &code, number, &operands, first_id);
	else
		emit_counted(in, &code, number, &operands, first_id);
	value = group_code_finish(in, &code);
	if (operands.counter)
		LLVMBuildStore(in->builder, value, operands.counter->count);
}

void group_code(struct group_code *in)
{
	uint32_t first_id = in->plan->first_site;

	for (int i = 0; i < in->plan->groups; i++)
		insert_group(in, i, first_id);
	for (int i = 0; i < in->plan->predicates; i++)
		if (in->plan->predicate[i].condition == PROBE_EXPR_NONE)
			group_code_predicate(in, &in->plan->predicate[i]);
	if (in->counters)
		lane_counters_end(in->builder, in->last, in->ctx, in->counter, in->counters);
	group_code_end(in);
}
