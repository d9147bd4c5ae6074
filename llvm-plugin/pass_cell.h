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

/* Call a shared function: arguments in v0 and up. */
void pass_cell_call(struct pass_asm *code, LLVMValueRef function);
/* Add 1 to a word of a row, once for the wave. */
void pass_cell_add(struct pass_asm *code, unsigned ctx, uint32_t row, unsigned word);
/*
 * Count this execution in the cell for its EXEC and the place, modulo 128, of each aligned stream,
 * whose address has `base` for its low half, and the numbers if there are some; go to .Lprobe_end
 * then. Else go on.
 */
void pass_cell_put(struct pass_asm *code, const struct plan_group *group,
		   LLVMValueRef base[PLAN_STREAMS], LLVMValueRef numbers, unsigned ctx,
		   LLVMValueRef function);

#endif
