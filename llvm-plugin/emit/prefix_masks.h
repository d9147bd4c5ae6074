/* SPDX-License-Identifier: MIT */
/*
 * Counting by prefix masks: in a loop that lanes leave one after the other, the active lanes are
 * often the first ones of the wave. Each lane then counts the executions in which it is active
 * (lane_counters.h, wire_device.h section 3). Only for accesses whose cost does not depend on the
 * address.
 */
#ifndef PROBE_LLVM_PLUGIN_EMIT_PREFIX_MASKS_H
#define PROBE_LLVM_PLUGIN_EMIT_PREFIX_MASKS_H

#include <llvm-c/Core.h>

struct asm_block;
struct group_plan;

/*
 * Build the test of the launch in the entry block: an i32, 0 if the cost of the group's sites does
 * not depend on the address.
 */
LLVMValueRef prefix_masks_begin(LLVMBuilderRef builder, const struct group_plan *plan, int number,
				LLVMValueRef regular);
/* Jump to .Lprobe_uncounted if that value, `unusable`, is not 0. */
void prefix_masks_test(struct asm_block *code, LLVMBuilderRef builder, LLVMValueRef unusable);
/*
 * Count this execution and jump to .Lprobe_end, or to .Lprobe_uncounted if EXEC is not a prefix. No
 * value may be near a wrap.
 */
void prefix_masks_emit(struct asm_block *code);

#endif
