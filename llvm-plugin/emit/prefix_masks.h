/* SPDX-License-Identifier: MIT */
/*
 * Executions in loops whose active lanes are the first ones of the wave, as happens when a loop
 * ends in one lane after the other: counted in the lanes themselves, and added to memory at the
 * wave's end (struct probe_site_group). Only for what costs the same wherever it lies.
 */
#ifndef PROBE_LLVM_PLUGIN_EMIT_PREFIX_MASKS_H
#define PROBE_LLVM_PLUGIN_EMIT_PREFIX_MASKS_H

#include <stdbool.h>
#include <stdint.h>
#include <llvm-c/Core.h>

#include "llvm-plugin/emit/inline_asm.h"
#include "llvm-plugin/plan/group_plan.h"

struct asm_block;
struct group_plan;

/* What a group's code needs for it. */
struct prefix_masks {
	LLVMValueRef count; /* a variable: executions of each lane */
	LLVMValueRef not ;  /* i32, 0 in launches where sites are so */
};
void prefix_masks_begin(LLVMBuilderRef builder, const struct group_plan *plan, int number,
			LLVMValueRef regular, struct prefix_masks *ret);
/* First of all that is put into `code`. Builds a load. */
void prefix_masks_result(struct asm_block *code, LLVMBuilderRef builder,
			 const struct prefix_masks *prefixes);
/* Count this execution and go to .Lprobe_end, or to .Lprobe_usual; nothing is near a wrap. */
void prefix_masks_test(struct asm_block *code, LLVMBuilderRef builder,
		       const struct prefix_masks *prefixes);
void prefix_masks_emit(struct asm_block *code);
/*
 * At the wave's end, while all lanes are there: add what they have counted to rows from `row` on,
 * of each of them; the variables are gone then.
 */
void prefix_masks_end(LLVMBuilderRef builder, LLVMValueRef last, LLVMValueRef ctx,
		      const struct prefix_masks *prefixes, const uint32_t *row, unsigned count);

#endif
