/* SPDX-License-Identifier: MIT */
/*
 * Measured accesses: calls of the device library's functions in asm blocks, for the reasons given
 * in measure_access.h.
 */
#ifndef PROBE_LLVM_PLUGIN_EMIT_MEASURE_CODE_H
#define PROBE_LLVM_PLUGIN_EMIT_MEASURE_CODE_H

#include <stdbool.h>
#include <stdint.h>
#include <llvm-c/Core.h>

#include "llvm-plugin/emit/batch_code.h"
#include "llvm-plugin/emit/inline_asm.h"
#include "llvm-plugin/emit/sample_code.h"

struct access_site;
struct asm_block;
struct devlib;
struct plan_site;
struct sampled_block;

struct measure_context {
	struct devlib *devlib;
	LLVMBuilderRef builder;
	LLVMValueRef clone;
	LLVMValueRef wave; /* the wave's value (memory_probe.c) */
	void *analyses;
	struct batch_code batch;
	bool batched; /* the site at hand is measured in batches */
	struct sample_code sample;
	const struct sampled_block *sampled; /* the site at hand: its block; NULL = not sampled */
	bool counts;			     /* it counts for the other sites of the block */
	struct {
		LLVMValueRef function, address;
	} first[8]; /* shared functions whose addresses are computed already */
	unsigned firsts;
};

/* The addresses of an access: numbers of 32 bits in LDS, else pointers. */
LLVMValueRef measure_address(struct measure_context *in, const struct access_site *site);
/*
 * Measure the access at `address`, at the builder's position, into row `id` and the rows in `also`
 * (measure_access.h).
 */
void measure_emit(struct measure_context *in, const struct access_site *site, uint32_t id,
		  LLVMValueRef address, uint32_t also);

/*
 * The same for a representative, which tests its followers, or for a follower (representatives.h).
 */
void measure_emit_representative(struct measure_context *in, const struct access_site *site,
				 uint32_t id, LLVMValueRef address, const struct plan_site *plan);
void measure_emit_follower(struct measure_context *in, const struct access_site *site, uint32_t id,
			   LLVMValueRef address, const struct plan_site *plan);

/*
 * The parts of measure_emit() for other code: the arguments of a call, and the call to after the
 * shared function's s_waitcnt. `wave` and `address` are operand numbers.
 */
void measure_emit_row(struct asm_block *code, unsigned wave, uint32_t id);
void measure_emit_address(struct asm_block *code, const struct access_site *site, unsigned address);
void measure_emit_call(struct asm_block *code, LLVMValueRef function);

#endif
