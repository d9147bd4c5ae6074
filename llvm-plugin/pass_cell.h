/* SPDX-License-Identifier: MIT */
/*
 * Pieces of asm that count in rows of the table (wire.h section 3). They use s4 to s31, v0 to v15,
 * vcc and scc, and leave EXEC as it was. `ctx` is the operand that has the wave's probe_ctx.
 */
#ifndef PROBE_LLVM_PLUGIN_PASS_CELL_H
#define PROBE_LLVM_PLUGIN_PASS_CELL_H

#include "pass_asm.h"
#include "pass_plan.h"

enum { PASS_ROW_BYTES = PROBE_COUNTERS * 8 };

/* Addresses whose place in a line is counted: their low halves, or, in loops, all of them. */
struct pass_cell_bases {
	LLVMValueRef low[PLAN_STREAMS], whole[PLAN_STREAMS];
	unsigned count;
};

/* Call a shared function: arguments in v0 and up. */
void pass_cell_call(struct pass_asm *code, LLVMValueRef function);
/* The low half of one of them, as an operand; v[to:to+1] may be written for it. */
void pass_cell_base(struct pass_asm *code, const struct pass_cell_bases *bases, unsigned i,
		    unsigned to, char ret[8]);
/*
 * In a regular wave, of which `regular` is the operand: add 1 to a word of a row; or to the bins
 * for where its addresses lie.
 */
void pass_cell_add(struct pass_asm *code, unsigned ctx, unsigned regular, uint32_t row,
		   unsigned word);
void pass_cell_bin(struct pass_asm *code, const struct plan_group *group,
		   const struct pass_cell_bases *bases, unsigned ctx, unsigned regular);
/* s[8:9] = where row 0 would be; s10 = replica_mask, s11 = bytes of a replica. */
void pass_cell_load(struct pass_asm *code, unsigned ctx);
/*
 * The two parts of finding a word in this wave's replica: s13, s[8:11], as early as may be; then
 * s10 = its distance from s[8:9].
 */
void pass_cell_place(struct pass_asm *code, unsigned ctx);
void pass_cell_word(struct pass_asm *code, uint32_t row, unsigned word);
/* At the wave's end: add these scalar registers to words of rows. */
struct pass_cell_sum {
	uint32_t row;
	unsigned word, sgpr;
};
void pass_cell_flush(struct pass_asm *code, const struct pass_cell_sum *sums, unsigned count,
		     unsigned ctx);
/*
 * Count this execution in the cell for its EXEC and the place, modulo 128, of each aligned stream,
 * and the observed value if there is one;
 * go to .Lprobe_end then. Else go on.
 */
void pass_cell_put(struct pass_asm *code, const struct plan_group *group,
		   const struct pass_cell_bases *bases, LLVMValueRef observed, unsigned ctx,
		   LLVMValueRef function);

#endif
