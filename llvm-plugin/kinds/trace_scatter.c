/* SPDX-License-Identifier: MIT */
/*
 * The records of a group are written inline, without a test for a common stride: one LOW record per
 * base, all reserved at once. If the upper halves of a base's addresses differ, the slow path of
 * unproved groups (trace_probe.c) writes them.
 */
#include "llvm-plugin/kinds/trace_scatter.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

#include "llvm-plugin/emit/inline_asm.h"
#include "llvm-plugin/kinds/trace_affine.h"

/* ---- Analysis ------------------------------------------------------------------------------- */

enum { SCATTER_VALUES = 48 }; /* of an address's computation */

struct search {
	const struct analysis *in;
	LLVMValueRef value[SCATTER_VALUES];
	unsigned count;
};

static bool add_value(struct search *search, LLVMValueRef value)
{
	if (!LLVMIsAInstruction(value))
		return true;
	for (unsigned i = 0; i < search->count; i++)
		if (search->value[i] == value)
			return true;
	if (search->count == SCATTER_VALUES)
		return false;
	search->value[search->count++] = value;
	return true;
}

static bool is_source(LLVMValueRef inst)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMLoad:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
	case LLVMXor:
		return true;
	default:
		return false;
	}
}

bool trace_is_scattered(const struct analysis *in, LLVMValueRef pointer)
{
	struct search search = {.in = in};

	add_value(&search, pointer);
	for (unsigned i = 0; i < search.count; i++) {
		LLVMValueRef inst = search.value[i];

		if (is_source(inst))
			return true;
		if (LLVMIsACallInst(inst))
			continue;
		for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(inst); k++)
			if (analysis_differs(in, inst, k) &&
			    !add_value(&search, LLVMGetOperand(inst, k)))
				return false;
	}
	return false;
}

/* ---- Code ----------------------------------------------------------------------------------- */

/* The halves of a base's addresses: numbers of asm operands. */
struct halves {
	unsigned low, high;
	bool lds; /* the upper half is 0 */
};

static void add_halves(struct ring_context *ring, struct asm_block *code, LLVMValueRef address,
		       struct halves *ret)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(ring->context), type = LLVMTypeOf(address);
	LLVMValueRef low, high;

	ret->lds = LLVMGetIntTypeWidth(type) == 32;
	if (ret->lds) {
		ret->low = asm_operand(code, "v", address);
		return;
	}
	low = LLVMBuildTrunc(ring->builder, address, i32, "");
	high = LLVMBuildLShr(ring->builder, address, LLVMConstInt(type, 32, 0), "");
	ret->low = asm_operand(code, "v", low);
	ret->high = asm_operand(code, "v", LLVMBuildTrunc(ring->builder, high, i32, ""));
}

/* Upper halves to s8 and up, size of a base's record to s6, of all records to s7. */
static void emit_upper_half(struct asm_block *code, const struct halves *half, unsigned i)
{
	if (half->lds)
		asm_line(code, "s_mov_b32 s%u, 0", 8 + i);
	else
		asm_line(code, "v_readfirstlane_b32 s%u, $%u", 8 + i, half->high);
}

static void emit_size(struct asm_block *code, unsigned bases)
{
	asm_line(code, "s_bcnt1_i32_b64 s6, exec");
	asm_line(code, "s_lshl2_add_u32 s6, s6, 12");
	asm_line(code, "s_and_b32 s6, s6, -8");
	asm_line(code, "s_mul_i32 s7, s6, %u", bases);
}

static void emit_stores(struct asm_block *code, const struct trace_scatter_group *group,
			const struct halves *half)
{
	asm_line(code, "v_mbcnt_lo_u32_b32 v0, exec_lo, 0");
	asm_line(code, "v_mbcnt_hi_u32_b32 v0, exec_hi, v0");
	asm_line(code, "v_lshlrev_b32 v0, 2, v0");
	asm_line(code, "v_mov_b32 v1, 0");
	for (unsigned i = 0; i < group->bases; i++) {
		asm_line(code, "v_mov_b32 v2, 0x%x",
			 (group->id + 1 + i) | (unsigned)PROBE_FORM_LOW << PROBE_FORM_SHIFT);
		asm_line(code, "v_mov_b32 v3, s%u", 8 + i);
		asm_line(code, "global_store_dwordx2 v1, v[2:3], s[84:85]");
		asm_line(code, "global_store_dword v0, $%u, s[84:85] offset:8", half[i].low);
		asm_line(code, "s_add_u32 s84, s84, s6");
	}
}

static void emit_each(struct asm_block *code, const struct trace_scatter_group *group,
		      const struct halves *half)
{
	for (unsigned i = 0; i < group->bases; i++) {
		asm_line(code, "v_mov_b32 v0, $%u", half[i].low);
		if (half[i].lds)
			asm_line(code, "v_mov_b32 v1, 0");
		else
			asm_line(code, "v_mov_b32 v1, $%u", half[i].high);
		asm_line(code, "v_mov_b32 v2, 0x%x", group->weight[i] << 24 | (group->id + 1 + i));
		asm_line(code, "s_mov_b32 s92, %d", TRACE_CALL_BASE);
		asm_line(code, "s_swappc_b64 s[30:31], s[88:89]");
	}
}

/* EXEC differs from the one last recorded, or the ring is full. The call clobbers s4 to s31. */
static void emit_slow_paths(struct asm_block *code, const struct trace_scatter_group *group,
			    const struct halves *half)
{
	asm_line(code, ".Lprobe_exec${:uid}:");
	asm_line(code, "s_mov_b32 s92, %d", TRACE_CALL_EXEC);
	asm_line(code, "v_mov_b32 v2, 0x%x", group->sites << 24);
	asm_line(code, "s_swappc_b64 s[30:31], s[88:89]");
	asm_line(code, "s_cmp_eq_u32 s92, 0");
	asm_line(code, "s_cbranch_scc0 .Lprobe_recorded${:uid}");
	asm_line(code, "s_branch .Lprobe_end${:uid}");
	asm_line(code, ".Lprobe_full${:uid}:");
	asm_line(code, "v_mov_b32 v0, s7");
	asm_line(code, "v_mov_b32 v1, %u", group->sites);
	asm_line(code, "s_swappc_b64 s[30:31], s[88:89]");
	for (unsigned i = 0; i < group->bases; i++)
		emit_upper_half(code, &half[i], i);
	emit_size(code, group->bases);
	asm_line(code, "s_cmp_eq_u32 s92, 0");
	asm_line(code, "s_cbranch_scc0 .Lprobe_fits${:uid}");
	asm_line(code, "s_branch .Lprobe_end${:uid}");
	asm_line(code, ".Lprobe_each${:uid}:");
	emit_each(code, group, half);
}

void trace_scatter_write(struct ring_context *ring, const struct trace_scatter_group *group)
{
	struct halves half[TRACE_SCATTER_BASES];
	struct asm_block code = {0};

	for (unsigned i = 0; i < group->bases; i++)
		add_halves(ring, &code, group->address[i], &half[i]);
	asm_line(&code, "s_cmp_eq_u64 exec, s[80:81]");
	asm_line(&code, "s_cbranch_scc0 .Lprobe_exec${:uid}");
	asm_line(&code, ".Lprobe_recorded${:uid}:");
	for (unsigned i = 0; i < group->bases; i++) {
		emit_upper_half(&code, &half[i], i);
		if (half[i].lds)
			continue;
		asm_line(&code, "v_cmp_ne_u32 vcc, s%u, $%u", 8 + i, half[i].high);
		asm_line(&code, "s_cbranch_vccnz .Lprobe_each${:uid}");
	}
	emit_size(&code, group->bases);
	asm_line(&code, "s_sub_u32 s86, s86, s7");
	asm_line(&code, "s_cbranch_scc1 .Lprobe_full${:uid}");
	asm_line(&code, ".Lprobe_fits${:uid}:");
	emit_stores(&code, group, half);
	asm_line(&code, "s_branch .Lprobe_end${:uid}");
	emit_slow_paths(&code, group, half);
	asm_line(&code, ".Lprobe_end${:uid}:");
	trace_constrain_call(&code);
	asm_build(&code, ring->builder, ring->context);
}
