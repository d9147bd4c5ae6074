/* SPDX-License-Identifier: MIT */
/*
 * Executions in loops whose active lanes are the first ones of the wave, as they are when a loop
 * ends in one lane after the other: counted in the lanes themselves, and told at the wave's end
 * (struct probe_site_group). Only for what costs the same wherever it lies.
 */
#ifndef PROBE_LLVM_PLUGIN_PASS_HEADS_H
#define PROBE_LLVM_PLUGIN_PASS_HEADS_H

#include "pass_asm.h"
#include "llvm-plugin/analysis/analysis.h"
#include "pass_plan.h"

/* Do the group's sites cost the same wherever they lie, at least in some launches? */
bool pass_heads_may(const struct pass_plan *plan, int number, const struct analysis *flow);

/* What a group's code needs for it. */
struct pass_heads {
	LLVMValueRef count; /* a variable: executions of each lane */
	LLVMValueRef not ;  /* i32, 0 in launches where sites are so */
};
void pass_heads_begin(LLVMBuilderRef builder, const struct pass_plan *plan, int number,
		      LLVMValueRef regular, struct pass_heads *ret);
/* First of all that is put into `code`. Builds a load. */
void pass_heads_result(struct pass_asm *code, LLVMBuilderRef builder,
		       const struct pass_heads *heads);
/* Count this execution and go to .Lprobe_end, or to .Lprobe_usual; nothing is near a wrap. */
void pass_heads_test(struct pass_asm *code, LLVMBuilderRef builder, const struct pass_heads *heads);
void pass_heads_put(struct pass_asm *code);
/*
 * At the wave's end, while all lanes are there: add what they have counted to rows from `row` on,
 * of each of them; the variables are gone then.
 */
void pass_heads_end(LLVMBuilderRef builder, LLVMValueRef last, LLVMValueRef ctx,
		    const struct pass_heads *heads, const uint32_t *row, unsigned count);

#endif
