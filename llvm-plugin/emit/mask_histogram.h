/* SPDX-License-Identifier: MIT */
/*
 * Pieces of asm that count in rows of the table (wire.h section 3). They use s4 to s31, v0 to v15,
 * vcc and scc, and leave EXEC as it was. `ctx` is the operand that has the wave's probe_ctx.
 */
#ifndef PROBE_LLVM_PLUGIN_EMIT_MASK_HISTOGRAM_H
#define PROBE_LLVM_PLUGIN_EMIT_MASK_HISTOGRAM_H

#include <stdint.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

#include "llvm-plugin/emit/inline_asm.h"
#include "llvm-plugin/plan/group_plan.h"

struct asm_block;
struct plan_group;

enum { COUNTER_ROW_BYTES = PROBE_COUNTERS * 8 };

/* Addresses whose place in a line is counted: their low halves, or, in loops, all of them. */
struct residue_operands {
	LLVMValueRef low[PLAN_STREAMS], whole[PLAN_STREAMS];
	unsigned count;
};

/* Call a shared function: arguments in v0 and up. */
void emit_shared_call(struct asm_block *code, LLVMValueRef function);
/* The low half of one of them, as an operand; v[to:to+1] may be written for it. */
void emit_residue_operand(struct asm_block *code, const struct residue_operands *bases, unsigned i,
			  unsigned to, char ret[8]);
/*
 * In a regular wave, of which `regular` is the operand: add 1 to a word of a row; or to the residue
 * histograms for where its addresses lie.
 */
void emit_add_one(struct asm_block *code, unsigned ctx, unsigned regular, uint32_t row,
		  unsigned word);
void residue_histogram_emit(struct asm_block *code, const struct plan_group *group,
			    const struct residue_operands *bases, unsigned ctx, unsigned regular);
/* s[8:9] = where row 0 would be; s10 = replica_mask, s11 = bytes of a replica. */
void emit_load_rows(struct asm_block *code, unsigned ctx);
/*
 * The two parts of finding a word in this wave's replica: s13, s[8:11], as early as may be; then
 * s10 = its distance from s[8:9].
 */
void emit_replica(struct asm_block *code, unsigned ctx);
void emit_row_address(struct asm_block *code, uint32_t row, unsigned word);
/* At the wave's end: add these scalar registers to words of rows. */
struct run_counter {
	uint32_t row;
	unsigned word, sgpr;
};
void run_counters_flush(struct asm_block *code, const struct run_counter *sums, unsigned count,
			unsigned ctx);
/*
 * Count this execution in the bucket for its EXEC and the place, modulo 128, of each aligned
 * stream, and the observed value if there is one; go to .Lprobe_end then. Else go on.
 */
void mask_histogram_emit(struct asm_block *code, const struct plan_group *group,
			 const struct residue_operands *bases, LLVMValueRef observed, unsigned ctx,
			 LLVMValueRef function);

#endif
