/* SPDX-License-Identifier: MIT */
/* Addresses that follow from the launch, as calculations that the host makes (wire.h section 2). */
#ifndef PROBE_LLVM_PLUGIN_PASS_BASE_H
#define PROBE_LLVM_PLUGIN_PASS_BASE_H

#include "pass_prove.h"

enum { PASS_BASE_OPS = 120 };

struct pass_base {
	struct probe_expr_op op[PASS_BASE_OPS];
	unsigned ops;
};

/* 1 in lanes that the branch sends to its first successor, or with `other` to the second. */
bool pass_base_of_branch(const struct pass_prover *prover, LLVMValueRef branch, bool other,
			 struct pass_base *ret);
/* The same of a switch: lanes that it sends to one of its successors, for one reason alone. */
bool pass_base_of_switch(const struct pass_prover *prover, LLVMValueRef inst,
			 LLVMBasicBlockRef successor, struct pass_base *ret);
/*
 * The address in each lane, of what a wave runs once at most, but for what all lanes share and the
 * cost does not depend on (PROBE_GROUP_LANES). False: as below.
 */
bool pass_base_of_lanes(const struct pass_prover *prover, LLVMValueRef pointer,
			struct pass_base *ret);
/* The address in a lane, modulo 128. False: it does not follow, or is too long. */
bool pass_base_of(const struct pass_prover *prover, LLVMValueRef pointer, struct pass_base *ret);
#endif
