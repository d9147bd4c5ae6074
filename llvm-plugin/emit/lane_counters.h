/* SPDX-License-Identifier: MIT */
/*
 * Histograms in a vector register, for groups in loops: each lane counts in its own element, which
 * are added to rows of counters when the wave ends. For the compiler that is a variable of each
 * work-item. So only lanes that are active may count.
 */
#ifndef PROBE_LLVM_PLUGIN_EMIT_LANE_COUNTERS_H
#define PROBE_LLVM_PLUGIN_EMIT_LANE_COUNTERS_H

#include <stdint.h>
#include <llvm-c/Core.h>

struct asm_block;

struct lane_counter {
	LLVMValueRef count; /* the variable */
	uint32_t row;	    /* lane i counts for word i % 8 of row i / 8 from this one on */
};

/* `regular` is an instruction of the entry block. */
void lane_counter_begin(LLVMBuilderRef builder, LLVMValueRef regular, uint32_t row,
			struct lane_counter *ret);
/* The counter as $0 of the block: call it before anything else is put there. Builds a load. */
void lane_counter_result(struct asm_block *code, LLVMBuilderRef builder,
			 const struct lane_counter *counter);
/* At the wave's end, while all lanes are active. The variables are gone then. */
void lane_counters_end(LLVMBuilderRef builder, LLVMValueRef last, LLVMValueRef ctx,
		       const struct lane_counter *counters, unsigned count);

#endif
