/* SPDX-License-Identifier: MIT */
/*
 * Executions in loops whose active lanes are the first ones of the wave, as happens when a loop
 * ends in one lane after the other: each lane counts those that it is active in (lane_counters.h,
 * wire.h section 3). Only for accesses whose cost does not depend on the address.
 */
#ifndef PROBE_LLVM_PLUGIN_EMIT_PREFIX_MASKS_H
#define PROBE_LLVM_PLUGIN_EMIT_PREFIX_MASKS_H

#include <llvm-c/Core.h>

struct asm_block;
struct group_plan;

/* i32, 0 in launches where that holds for the group's sites; computed in the entry block. */
LLVMValueRef prefix_masks_begin(LLVMBuilderRef builder, const struct group_plan *plan, int number,
				LLVMValueRef regular);
/* Jump to .Lprobe_usual in other launches. */
void prefix_masks_test(struct asm_block *code, LLVMBuilderRef builder, LLVMValueRef not );
/*
 * Count this execution and jump to .Lprobe_end, or to .Lprobe_usual if EXEC is not a prefix. No
 * value may be near a wrap.
 */
void prefix_masks_emit(struct asm_block *code);

#endif
