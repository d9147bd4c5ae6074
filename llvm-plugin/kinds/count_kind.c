/* SPDX-License-Identifier: MIT */
/*
 * Code of the `count` kind. The code of a block is asm with one to three scalar instructions. It is
 * declared to access no memory, so that accesses around it can be merged as in the original.
 */
#include "llvm-plugin/kinds/count_kind.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include <probe/wire.h>

#include "llvm-plugin/analysis/ir_edit.h"
#include "llvm-plugin/clone/kernel_clone.h"
#include "llvm-plugin/emit/devlib_calls.h"
#include "llvm-plugin/emit/inline_asm.h"
#include "llvm-plugin/kinds/count_clone.h"
#include "llvm-plugin/kinds/count_operations.h"
#include "llvm-plugin/base/call_units.h"
#include "llvm-plugin/base/compile_options.h"
#include "llvm-plugin/base/gpu_target.h"
#include "llvm-plugin/base/ir_helpers.h"
#include "llvm-plugin/base/llvm-compat.h"
#include "llvm-plugin/sites/access_sites.h"
#include "llvm-plugin/sites/table_builder.h"

enum { ROW_BYTES = PROBE_COUNTERS * 8 };
_Static_assert(ROW_BYTES == 1 << 7, "shifts");

struct insert {
	const struct call_units *units;
	const struct call_unit *unit;
	const struct count_plan *plan;
	const struct wave_form *form;
	struct devlib *devlib;
	void *analyses;
	LLVMContextRef context;
	LLVMBuilderRef builder;
	LLVMValueRef clone, ctx, wave;
	LLVMValueRef entry; /* start of the wave's own code, after the entry code */
	bool optnone;
	struct devlib_calls calls;
};

/* ---- Asm ------------------------------------------------------------------------------------ */

static void no_memory(const struct insert *in, LLVMValueRef call)
{
	const char *name = PROBE_NO_MEMORY;

	LLVMAddCallSiteAttribute(
		call, LLVMAttributeFunctionIndex,
		LLVMCreateEnumAttribute(in->context,
					LLVMGetEnumAttributeKindForName(name, strlen(name)), 0));
}

static void finish(struct insert *in, struct asm_block *code)
{
	asm_constrain(code, "~{scc}");
	no_memory(in, asm_build(code, in->builder, in->context));
}

/*
 * The address of a row to s[4:5], in two halves with time for other instructions in between. `ctx`:
 * number of that operand. Any replica is correct; selecting it by compute unit avoids contention.
 */
_Static_assert(offsetof(struct probe_ctx, replica_mask_and_size) ==
		       offsetof(struct probe_ctx, first_row) + 8,
	       "loaded together");

static void load_address(struct asm_block *code, unsigned ctx)
{
	asm_line(code, "s_load_dwordx4 s[4:7], $%u, 0x%x", ctx,
		 (unsigned)offsetof(struct probe_ctx, first_row));
	asm_line(code, "s_getreg_b32 s8, %s", code->wave->hw_id);
}

static void make_address(struct asm_block *code, uint32_t site)
{
	asm_line(code, "s_waitcnt lgkmcnt(0)");
	asm_line(code, "s_and_b32 s8, s8, s6");
	asm_line(code, "s_mul_i32 s8, s8, s7");
	asm_line(code, "s_add_u32 s8, s8, 0x%x", site * ROW_BYTES);
	asm_line(code, "s_add_u32 s4, s4, s8");
	asm_line(code, "s_addc_u32 s5, s5, 0");
}

/* Each active lane adds executions v[2:3] and lanes v[4:5] to the row at offset v0 from s[4:5]. */
static void add_to_rows(struct asm_block *code)
{
	asm_line(code, "global_atomic_add_x2 v0, v[2:3], s[4:5] offset:%u", 8 * PROBE_C_EXECUTIONS);
	asm_line(code, "global_atomic_add_x2 v0, v[4:5], s[4:5] offset:%u", 8 * PROBE_C_LANES);
	if (code->wave->read_wait)
		asm_line(code, "%s", code->wave->read_wait);
	for (int i = 0; i < 6; i++)
		asm_constrain(code, "~{v%d}", i);
	for (int i = 4; i < 14; i++)
		asm_constrain(code, "~{s%d}", i);
	asm_constrain(code, "~{vcc}");
}

static LLVMValueRef ctx_word(struct insert *in)
{
	return LLVMBuildPtrToInt(in->builder, in->ctx, LLVMInt64TypeInContext(in->context), "");
}

/* ---- Blocks --------------------------------------------------------------------------------- */

static LLVMValueRef first_of(LLVMBasicBlockRef block)
{
	LLVMValueRef at = LLVMGetFirstInstruction(block);

	while (LLVMIsAPHINode(at) || LLVMIsAAllocaInst(at))
		at = LLVMGetNextInstruction(at);
	return at;
}

static void before(struct insert *in, LLVMValueRef inst)
{
	LLVMPositionBuilderBefore(in->builder, inst);
	LLVMSetCurrentDebugLocation2(in->builder, LLVMInstructionGetDebugLoc(inst));
}

static void count_in_memory(struct insert *in, const struct count_block *block)
{
	LLVMValueRef args[] = {in->wave, LLVMConstInt(LLVMInt32TypeInContext(in->context),
						      in->plan->first_site + block->row, 0)};

	if (!in->optnone) {
		devlib_call(&in->calls, DEVLIB_COUNT_BLOCK, args, 2);
		return;
	}
	LLVMValueRef function = devlib_share(in->devlib, DEVLIB_COUNT_OPTNONE, DEVLIB_SHAPE_OPTNONE,
					     in->clone, in->analyses);

	LLVMBuildCall2(in->builder, LLVMGlobalGetValueType(function), function, args, 2, "");
}

/* Register with the lanes of a class. */
static unsigned lanes_sgpr(const struct count_block *block)
{
	return block->sgpr + (block->mode != COUNT_ONCE);
}

static void count_block(struct insert *in, const struct count_block *block)
{
	struct asm_block code = {.wave = in->form};
	bool alone;

	before(in, block == in->plan->block ? in->entry : first_of(block->block));
	/* Also of a home that is itself counted in memory: other blocks need its lanes. */
	if (block->home_sgpr)
		asm_line(&code, "s_bcnt1_i32_b@n s%u, @exec", block->home_sgpr);
	if (block->mode == COUNT_UNIFORM || block->mode == COUNT_LANES)
		asm_line(&code, "s_add_u32 s%u, s%u, 1", block->sgpr, block->sgpr);
	/* Nothing to add to if the class executes once and has a register of its own. */
	alone = block->mode == COUNT_ONCE && in->plan->once_bits == 32;
	if (block->mode == COUNT_LANES || block->mode == COUNT_ONCE)
		asm_line(&code, "s_bcnt1_i32_b@n s%u, @exec",
			 alone ? block->sgpr : COUNT_SGPR_TEMP);
	if (block->shift)
		asm_line(&code, "s_lshl_b32 s%u, s%u, %u", COUNT_SGPR_TEMP, COUNT_SGPR_TEMP,
			 block->shift);
	if (block->mode == COUNT_LANES || (block->mode == COUNT_ONCE && !alone))
		asm_line(&code, "s_add_u32 s%u, s%u, s%u", lanes_sgpr(block), lanes_sgpr(block),
			 COUNT_SGPR_TEMP);
	if (code.text)
		finish(in, &code);
	if (block->mode == COUNT_MEMORY)
		count_in_memory(in, block);
}

/* ---- Guards --------------------------------------------------------------------------------- */

/* Count lanes that do not execute the block in registers, ... */
static void emit_deficit(struct asm_block *code, const struct count_block *block, const char *none)
{
	asm_line(code, "s_bcnt1_i32_b@n s%u, $0", COUNT_SGPR_TEMP);
	asm_line(code, "s_add_u32 s%u, s%u, s%u", block->sgpr + 1, block->sgpr + 1,
		 COUNT_SGPR_TEMP);
	asm_line(code, "%s", none);
	asm_line(code, "s_cselect_b32 s%u, 1, 0", COUNT_SGPR_TEMP);
	asm_line(code, "s_add_u32 s%u, s%u, s%u", block->sgpr, block->sgpr, COUNT_SGPR_TEMP);
}

/* ... or immediately in memory, by one lane. */
static void emit_deficit_to_memory(struct insert *in, struct asm_block *code,
				   const struct count_block *block, const char *none)
{
	asm_line(code, "%s", none);
	asm_line(code, "s_cselect_b32 s12, 1, 0");
	load_address(code, 2);
	asm_line(code, "s_bcnt1_i32_b@n s13, $0");
	asm_line(code, "s_ff1_i32_b@n s7, @exec");
	asm_line(code, "s_mov_b@n $0, @exec");
	asm_line(code, "s_lshl_b@n @exec, 1, s7");
	asm_line(code, "v_mov_b32 v0, 0");
	asm_line(code, "v_mov_b32 v2, s12");
	asm_line(code, "v_mov_b32 v3, 0");
	asm_line(code, "v_mov_b32 v4, s13");
	asm_line(code, "v_mov_b32 v5, 0");
	make_address(code, in->plan->first_site + block->row);
	add_to_rows(code);
	asm_line(code, "s_mov_b@n @exec, $0");
}

/* At the branch to a guarded block. $0: lanes that do not execute the block. */
static void count_guard(struct insert *in, const struct count_block *block)
{
	LLVMValueRef branch = LLVMGetBasicBlockTerminator(in->plan->block[block->from].block);
	bool taken = LLVMGetSuccessor(branch, 0) == block->block;
	const char *none = taken ? "s_cmp_eq_u@n $1, 0" : "s_cmp_eq_u@n $0, @exec";
	struct asm_block code = {.wave = in->form,
				 .result = LLVMIntTypeInContext(in->context, in->form->lanes)};

	before(in, branch);
	asm_constrain(&code, "=&s");
	asm_scalar(&code, in->builder,
		   pass_ballot(in->builder, LLVMGetCondition(branch), in->form->lanes));
	asm_line(&code, taken ? "s_andn2_b@n $0, @exec, $1" : "s_and_b@n $0, @exec, $1");
	asm_line(&code, "s_cbranch_scc0 .Lprobe_end${:uid}");
	if (block->sgpr) {
		emit_deficit(&code, block, none);
	} else {
		asm_scalar(&code, in->builder, ctx_word(in));
		emit_deficit_to_memory(in, &code, block, none);
	}
	asm_line(&code, ".Lprobe_end${:uid}:");
	finish(in, &code);
}

/* ---- A kernel's begin and end --------------------------------------------------------------- */

static void begin(struct insert *in)
{
	struct asm_block code = {.wave = in->form, .result = LLVMInt32TypeInContext(in->context)};
	unsigned sgpr = reserved_lowest(&in->plan->registers);

	if (!in->plan->registers.assigned)
		return;
	reserved_apply(in->clone, sgpr);
	if (sgpr & 1) {
		asm_line(&code, "s_mov_b32 s%u, 0", sgpr);
		sgpr++;
	}
	for (; sgpr < COUNT_SGPR_TEMP; sgpr += 2)
		asm_line(&code, "s_mov_b64 s[%u:%u], 0", sgpr, sgpr + 1);
	/* Named in one asm block, so that the compiler allocates them all. */
	asm_constrain(&code, "={s%u}", COUNT_SGPR_TEMP + 1);
	finish(in, &code);
}

/* If there are deficits only: jump to the end if all are 0. */
static void emit_test(const struct count_plan *plan, struct asm_block *code)
{
	unsigned before = plan->block[plan->row_leader[0]].sgpr + 1;

	if (plan->register_rows == 1)
		asm_line(code, "s_cmp_lg_u32 s%u, 0", before);
	for (uint32_t i = 1; i < plan->register_rows; i++) {
		asm_line(code, "s_or_b32 s%u, s%u, s%u", COUNT_SGPR_TEMP, before,
			 plan->block[plan->row_leader[i]].sgpr + 1);
		before = COUNT_SGPR_TEMP;
	}
	asm_line(code, "s_cbranch_scc0 .Lprobe_end${:uid}");
}

/* Move the lanes of row i to lane i of v[4:5]. */
static void emit_lanes(const struct count_plan *plan, struct asm_block *code, uint32_t i)
{
	const struct count_block *block = &plan->block[plan->row_leader[i]];

	if (block->mode == COUNT_UNIFORM) {
		unsigned home = plan->block[block->home].home_sgpr;

		asm_line(code, "s_mul_i32 s12, s%u, s%u", block->sgpr, home);
		asm_line(code, "s_mul_hi_u32 s13, s%u, s%u", block->sgpr, home);
		asm_line(code, "v_writelane_b32 v4, s12, %u", i);
		asm_line(code, "v_writelane_b32 v5, s13, %u", i);
	} else if (block->mode == COUNT_ONCE && plan->once_bits < 32) {
		asm_line(code, "s_bfe_u32 s12, s%u, 0x%x", block->sgpr,
			 plan->once_bits << 16 | block->shift);
		asm_line(code, "v_writelane_b32 v4, s12, %u", i);
	} else {
		asm_line(code, "v_writelane_b32 v4, s%u, %u", lanes_sgpr(block), i);
	}
}

/* Executions to v2. A row without a counter of executions has executed once if it has lanes. */
static void emit_executions(const struct count_plan *plan, struct asm_block *code)
{
	asm_line(code, "v_min_u32 v2, 1, v4");
	for (uint32_t i = 0; i < plan->register_rows; i++) {
		const struct count_block *block = &plan->block[plan->row_leader[i]];

		if (block->mode != COUNT_ONCE)
			asm_line(code, "v_writelane_b32 v2, s%u, %u", block->sgpr, i);
	}
}

/* At the wave's end, where all lanes have reconverged. */
static void end(struct insert *in)
{
	const struct count_plan *plan = in->plan;
	struct asm_block code = {.wave = in->form};

	if (!plan->registers.assigned)
		return;
	before(in, plan->last);
	asm_scalar(&code, in->builder, ctx_word(in));
	if (!plan->always_flush)
		emit_test(plan, &code);
	load_address(&code, 0);
	asm_line(&code, "s_lshr_b@n @exec, -1, %u", code.wave->lanes - plan->register_rows);
	asm_line(&code, "v_mbcnt_lo_u32_b32 v0, -1, 0");
	if (plan->register_rows > 32)
		asm_line(&code, "v_mbcnt_hi_u32_b32 v0, -1, v0");
	asm_line(&code, "v_lshlrev_b32 v0, 7, v0");
	asm_line(&code, "v_mov_b32 v3, 0");
	asm_line(&code, "v_mov_b32 v5, 0");
	for (uint32_t i = 0; i < plan->register_rows; i++)
		emit_lanes(plan, &code, i);
	emit_executions(plan, &code);
	make_address(&code, plan->first_site + plan->first_register_row);
	/* Rows with counts; a deficit of executions implies one of lanes. */
	asm_line(&code, "v_or_b32 v1, v2, v4");
	asm_line(&code, "v_cmp_ne_u32 @vcc, 0, v1");
	asm_line(&code, "s_and_b@n @exec, @exec, @vcc");
	add_to_rows(&code);
	asm_line(&code, ".Lprobe_end${:uid}:");
	finish(in, &code);
}

static void enter(struct insert *in)
{
	in->entry = pass_entry_point(in->clone);
	LLVMPositionBuilderBefore(in->builder, in->entry);
	LLVMSetCurrentDebugLocation2(in->builder, NULL);
	if (!in->unit->kernel) {
		devlib_call_arguments(&in->calls, in->clone, &in->ctx, &in->wave);
		return;
	}
	begin(in);
	in->ctx = LLVMGetLastParam(in->clone);
	in->ctx = devlib_call(&in->calls, DEVLIB_SELECT, &in->ctx, 1);
	in->wave = devlib_call(&in->calls, DEVLIB_MEMORY_ENTER, &in->ctx, 1);
}

void count_insert(const struct call_units *units, const struct call_unit *unit,
		  struct devlib *devlib, const struct pass_options *options, void *analyses)
{
	struct insert in = {
		.units = units,
		.unit = unit,
		.plan = unit->count,
		.form = gpu_target_wave(options),
		.devlib = devlib,
		.clone = unit->clone[PROBE_KIND_COUNT],
		.optnone = pass_is_optnone(unit->original, options),
		.analyses = analyses,
	};

	in.context = LLVMGetModuleContext(LLVMGetGlobalParent(in.clone));
	in.builder = LLVMCreateBuilderInContext(in.context);
	in.calls = (struct devlib_calls){.devlib = devlib, .builder = in.builder};
	enter(&in);
	for (int i = 0; i < in.plan->blocks; i++)
		count_block(&in, &in.plan->block[i]);
	for (int i = 0; i < in.plan->blocks; i++)
		if (in.plan->block[i].mode == COUNT_GUARD)
			count_guard(&in, &in.plan->block[i]);
	end(&in);
	/* Last: instructions inserted at such a call would lose their position. */
	clone_rewrite_calls(units, in.clone, PROBE_KIND_COUNT, in.ctx, in.wave);
	/* If all counts follow from the launch, not even the context is used. */
	devlib_call_drop_unused(&in.calls, in.wave);
	devlib_call_drop_unused(&in.calls, in.ctx);
	LLVMDisposeBuilder(in.builder);
	devlib_calls_inline(&in.calls);
	if (!in.optnone)
		ir_cleanup(in.clone, analyses);
}

/* ---- The site table ------------------------------------------------------------------------- */

static uint32_t parent_of(const struct count_plan *plan, const struct count_block *block)
{
	return block->mode == COUNT_GUARD
		       ? plan->first_site + plan->block[plan->block[block->from].leader].row
		       : PROBE_ROW_NONE;
}

static void list_row(const struct call_unit *unit, struct site_table *table,
		     const struct pass_options *options, const struct count_block *block)
{
	struct access_site site = {.access = PROBE_ACCESS_BLOCK};
	const struct probe_site_proof none = {.group = PROBE_ROW_NONE};
	const struct probe_site_predicate predicate = {
		.row = site_table_sites(table),
		.parent = parent_of(unit->count, block),
	};

	/* A block outside of the scope has a row only because others are derived from it. */
	if (!pass_in_scope(block->inst, options))
		site = (struct access_site){
			.access = PROBE_ACCESS_COUNTED_ROW, .size = 4, .unit = 4, .align = 4};
	site_table_add_site(table, block->inst, &site, unit->original, 1u << PROBE_KIND_COUNT);
	site_table_set_proof(table, &none);
	if (block->mode == COUNT_ALWAYS || block->mode == COUNT_GUARD)
		site_table_add_predicate(table, &predicate);
}

void count_list(struct call_unit *unit, LLVMModuleRef module, struct site_table *table,
		const struct pass_options *options, void *analyses)
{
	struct count_plan *plan = pass_alloc(NULL, sizeof(*plan));
	LLVMValueRef clone, last;
	bool registers = unit->kernel && !pass_is_optnone(unit->original, options);
	unsigned lanes = gpu_target_wave(options)->lanes;

	clone_kind(unit, module, PROBE_KIND_COUNT);
	clone = unit->clone[PROBE_KIND_COUNT];
	last = unit->kernel ? pass_single_return(clone) : NULL;
	registers = registers && last && !pass_may_end_early(clone) &&
		    !reserved_named(clone, RESERVED_BLOCKS);
	count_plan_init(plan, clone, registers ? lanes : 0, analyses);
	plan->last = last;
	plan->first_site = site_table_sites(table);
	unit->count = plan;
	for (uint32_t row = 0; row < plan->rows; row++)
		for (int i = 0; i < plan->blocks; i++)
			if (plan->block[i].mode != COUNT_MEMBER && plan->block[i].row == row)
				list_row(unit, table, options, &plan->block[i]);
	count_operations(table, plan, clone, unit->original, options, analyses);
}

void count_deinit(struct call_unit *unit)
{
	if (unit->count)
		count_plan_deinit(unit->count);
	free(unit->count);
}
