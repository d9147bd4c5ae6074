/* SPDX-License-Identifier: MIT */
/*
 * Sums over lanes: LDS accesses with a constant stride, behind conditions on data, have too many
 * execution masks for a histogram. In a wave of neighbours along x, the stride is that of the
 * lanes. If no bank then has two dwords in a phase, all counters of an execution follow from the
 * number of its lanes; if only lanes 16 apart meet in a bank, from two tests of its mask. Scalar
 * registers sum them up, and the wave adds them to the rows of the sites when it ends.
 */
#ifndef PROBE_LLVM_PLUGIN_EMIT_LANE_SUMS_H
#define PROBE_LLVM_PLUGIN_EMIT_LANE_SUMS_H

#include <llvm-c/Core.h>

struct asm_block;
struct group_plan;

/*
 * Build an i32 at the builder's position, which all lanes of the wave reach: 1 if its work-items
 * are neighbours along x, in the order of the lanes; else 0.
 */
LLVMValueRef lane_sums_begin(LLVMBuilderRef builder, LLVMValueRef clone);
/* Count this execution and jump to .Lprobe_end, unless that value, the operand `linear`, is 0. */
void lane_sums_emit(struct asm_block *code, const struct group_plan *plan, int number,
		    unsigned linear);
/* At the wave's end: add the sums to the rows. EXEC is not preserved. */
void lane_sums_flush(struct asm_block *code, const struct group_plan *plan, unsigned ctx);

#endif
