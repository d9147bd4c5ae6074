/* SPDX-License-Identifier: MIT */
/*
 * How far two addresses of one block are apart, where all active lanes of a wave agree about it:
 * what differs between lanes is the same in both, and falls out of the difference.
 */
#ifndef PROBE_LLVM_PLUGIN_PASS_APART_H
#define PROBE_LLVM_PLUGIN_PASS_APART_H

#include "pass.h"
#include "pass_shim.h"

enum { APART_TERMS = 16, APART_FACTORS = 2 };

/* times * the product of its factors, each an integer as wide as an address, or a pointer. */
struct pass_term {
	uint64_t times;
	struct pass_factor {
		LLVMValueRef value;
		unsigned widened; /* LLVMSExt, LLVMZExt; 0 = it is that wide, or wider */
	} factor[APART_FACTORS];
	unsigned factors;
};

/* constant + the sum of the terms. */
struct pass_sum {
	uint64_t constant;
	struct pass_term term[APART_TERMS];
	unsigned terms;
};

/* Two pointers of one address space, used in `block`; *ret is b - a. False: lanes may disagree. */
bool pass_apart(const struct probe_shim_flow *flow, LLVMValueRef a, LLVMValueRef b,
		LLVMBasicBlockRef block, struct pass_sum *ret);
/* A power of two that the sum is a multiple of. */
uint64_t pass_apart_multiple(const struct pass_sum *sum);
/* Is the sum known where this instruction is, in the block that it is of? */
bool pass_apart_known(const struct pass_sum *sum, LLVMValueRef inst);
/* Has it one value as long as the kernel runs? */
bool pass_apart_fixed(const struct probe_shim_flow *flow, const struct pass_sum *sum);
/* The low 32 bits of it, where the builder stands. */
LLVMValueRef pass_apart_build(const struct pass_sum *sum, LLVMBuilderRef builder,
			      LLVMContextRef context);

#endif
