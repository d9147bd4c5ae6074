/* SPDX-License-Identifier: MIT */
/*
 * Accesses that are measured: calls of the device library's functions as measure_access.h says, in
 * asm blocks for the reasons given there.
 */
#ifndef PROBE_LLVM_PLUGIN_EMIT_MEASURE_CODE_H
#define PROBE_LLVM_PLUGIN_EMIT_MEASURE_CODE_H

#include <stdbool.h>
#include <stdint.h>
#include <llvm-c/Core.h>

#include "llvm-plugin/emit/inline_asm.h"

struct access_site;
struct asm_block;
struct devlib;
struct plan_site;

struct measure_context {
	struct devlib *devlib;
	LLVMBuilderRef builder;
	LLVMValueRef clone;
	LLVMValueRef wave; /* the wave's word (memory_probe.c) */
	void *analyses;
	struct {
		LLVMValueRef function, address;
	} first[8]; /* shared functions whose addresses are known */
	unsigned firsts;
};

/* Where all lanes access memory: 32 bits in LDS, else 64. */
LLVMValueRef measure_address(struct measure_context *in, const struct access_site *site);
/*
 * Measure the access at `address` in the row `id` and those that `also` says (measure_access.h),
 * where the builder stands.
 */
void measure_emit(struct measure_context *in, const struct access_site *site, uint32_t id,
		  LLVMValueRef address, uint32_t also);

/* The same for an access of one call that tests others, and for one of those (representatives.h).
 */
void measure_emit_representative(struct measure_context *in, const struct access_site *site,
				 uint32_t id, LLVMValueRef address, const struct plan_site *plan);
void measure_emit_follower(struct measure_context *in, const struct access_site *site, uint32_t id,
			   LLVMValueRef address, const struct plan_site *plan);

/*
 * The parts of that, for other code: arguments of a call, and the call, behind the function's wait
 * (an operand keeps the function). `wave` and `address` are numbers of operands.
 */
void measure_emit_row(struct asm_block *code, unsigned wave, uint32_t id);
void measure_emit_address(struct asm_block *code, const struct access_site *site, unsigned address);
void measure_emit_call(struct asm_block *code, LLVMValueRef function);

#endif
