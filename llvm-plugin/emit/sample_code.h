/* SPDX-License-Identifier: MIT */
/*
 * Sampling (sampled_blocks.h): code that counts an execution and decides whether it is measured.
 * Each execution is chosen with probability 1 / N, independently of the others. The number of
 * executions between two that are measured therefore has a geometric distribution, which is drawn
 * when one is measured: the others take two instructions, besides those that count them.
 */
#ifndef PROBE_LLVM_PLUGIN_EMIT_SAMPLE_CODE_H
#define PROBE_LLVM_PLUGIN_EMIT_SAMPLE_CODE_H

#include <stdint.h>
#include <llvm-c/Core.h>

#include "llvm-plugin/emit/inline_asm.h"

struct sampled_block;

struct sample_code {
	unsigned sgpr; /* the first of PLAN_SAMPLE_SGPRS registers; 0 = no sampling */
	unsigned every;
};

/* Initialise the registers from random bits, at the builder's position in the entry block. */
void sample_emit_entry(const struct sample_code *sample, LLVMBuilderRef builder, LLVMValueRef seed);
/*
 * Count an execution in a row of the counter table. `wave` is the operand of the wave's value. Uses
 * v0 to v3 and s4 to s9.
 */
void sample_emit_count_in_row(struct asm_block *code, uint32_t row, unsigned wave);
/* Count an execution of the block, if possible in its registers. */
void sample_emit_count(struct asm_block *code, const struct sampled_block *block, unsigned wave);
/* Jump to .Lprobe_skipped if the execution is not measured. */
void sample_emit_choice(const struct sample_code *sample, struct asm_block *code);

#endif
