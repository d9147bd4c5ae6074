/* SPDX-License-Identifier: MIT */
/* Addresses and conditions that follow from the launch, as the host evaluates them (wire.h). */
#ifndef PROBE_ANALYSIS_LAUNCH_EXPR_H
#define PROBE_ANALYSIS_LAUNCH_EXPR_H

#include "llvm-plugin/analysis/analysis.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LAUNCH_EXPR_OPS = 120 };

struct launch_expr {
	struct probe_expr_op op[LAUNCH_EXPR_OPS];
	unsigned ops;
};

/* All of them return false if the value does not follow from the launch, or is too long. */

/* 1 in lanes that the branch sends to its first successor, or with `other` to the second. */
bool analysis_branch_expr(const struct analysis *in, LLVMValueRef branch, bool other,
			  struct launch_expr *ret);
/* The same of a switch: lanes that it sends to one of its successors, for one reason alone. */
bool analysis_switch_expr(const struct analysis *in, LLVMValueRef inst, LLVMBasicBlockRef successor,
			  struct launch_expr *ret);
/*
 * The address in each lane, of what a wave runs once at most, but for what all lanes share and the
 * cost does not depend on (PROBE_PROOF_EXACT).
 */
bool analysis_lane_address_expr(const struct analysis *in, LLVMValueRef pointer,
				struct launch_expr *ret);
/* The address in a lane, modulo 128. */
bool analysis_address_expr(const struct analysis *in, LLVMValueRef pointer,
			   struct launch_expr *ret);

#ifdef __cplusplus
}
#endif
#endif
