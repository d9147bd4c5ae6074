/* SPDX-License-Identifier: MIT */
/* Executions by the addresses that they test, modulo 128 (wire_device.h section 3). */
#ifndef PROBE_LLVM_PLUGIN_EMIT_RESIDUE_HISTOGRAM_H
#define PROBE_LLVM_PLUGIN_EMIT_RESIDUE_HISTOGRAM_H

#include <llvm-c/Core.h>

#include "llvm-plugin/plan/group_plan.h"

struct asm_block;

/* Addresses whose residues are counted: their low halves or, in loops, the whole addresses. */
struct residue_operands {
	LLVMValueRef low[PLAN_STREAMS], whole[PLAN_STREAMS];
	unsigned count;
};

/* The low half of an address, as an operand; v[to:to+1] may be written for it. */
void emit_residue_operand(struct asm_block *code, const struct residue_operands *bases, unsigned i,
			  unsigned to, char ret[8]);
/* Count in the group's rows, in a regular wave; `regular` is the operand number of its EXEC. */
void residue_histogram_emit(struct asm_block *code, const struct plan_group *group,
			    const struct residue_operands *bases, unsigned ctx, unsigned regular);
/*
 * The same in lanes of $0 (lane_counters.h). Jumps to .Lprobe_end; falls through if EXEC is not the
 * operand `full`, or an address is not a multiple of 4.
 */
void residue_lanes_emit(struct asm_block *code, const struct residue_operands *bases,
			unsigned full);

#endif
