/* SPDX-License-Identifier: MIT */
/*
 * Batches: in loops, a wave stores the addresses of measured executions and counts them together
 * (wire_batch.h). In a full batch, an execution of up to 16 lanes takes about 30 instructions
 * instead of 95, one of most lanes 70 instead of 110 to 210. But a batch of few records takes 350
 * to 460, so that a wave measures its first executions one by one. Those of all lanes with
 * monotonic addresses do not count as such, because they take about as long as in a batch.
 *
 * Records are in the wave's scratch, which is memory of the wave that nothing else uses. Dwords 0
 * of all lanes are neighbours there, then dwords 1, and so on; flat_scratch is the first address.
 */
#ifndef PROBE_LLVM_PLUGIN_EMIT_BATCH_CODE_H
#define PROBE_LLVM_PLUGIN_EMIT_BATCH_CODE_H

#include <stdint.h>
#include <llvm-c/Core.h>

#include "llvm-plugin/emit/inline_asm.h"

struct access_site;
struct devlib;

struct batch_code {
	unsigned sgpr;	    /* the first of PLAN_BATCH_SGPRS registers; 0 = no batches */
	LLVMValueRef count; /* the device library's function */
	uint32_t first_site;
	LLVMValueRef lane; /* number of the lane, in vector registers */
};

/* Initialise the registers, at the builder's position in the entry block; returns `lane`. */
LLVMValueRef batch_emit_entry(const struct batch_code *batch, LLVMBuilderRef builder,
			      LLVMValueRef clone);
/*
 * Store the record of an execution with the addresses in v[2:3] and row `id`; `also` is an operand
 * or number, or NULL, and `wave` the operand of the wave's value. Jumps to .Lprobe_direct if the
 * execution does not fit, else to .Lprobe_batched.
 */
void batch_emit_record(const struct batch_code *batch, struct asm_block *code,
		       const struct access_site *site, uint32_t id, const char *also,
		       unsigned wave);
/* After an execution that was measured by itself: decides whether the next one is, too. */
void batch_emit_counted(const struct batch_code *batch, struct asm_block *code);
/* Count the records that are left, at the wave's end; EXEC is not preserved. */
void batch_emit_end(const struct batch_code *batch, struct asm_block *code, unsigned wave);

#endif
