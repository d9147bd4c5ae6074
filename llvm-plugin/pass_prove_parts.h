/* SPDX-License-Identifier: MIT */
/* What the files that prove forms (pass_prove.h) share. */
#ifndef PROBE_LLVM_PLUGIN_PASS_PROVE_PARTS_H
#define PROBE_LLVM_PLUGIN_PASS_PROVE_PARTS_H

#include "pass_pattern.h"

/* A loop counter while its own step is looked at. */
struct counter {
	LLVMValueRef phi;
	const struct pass_pattern *form;
	const struct counter *outer;
};

struct pass_prover {
	const struct pass_options *options;
	struct probe_shim_flow *flow;
	LLVMTargetDataRef layout;
	LLVMValueRef function;
	bool kernel;
	bool bounded; /* there are not too many work-items */
	unsigned steps;
	const struct counter *counters;
	LLVMValueRef blocker;
};

bool pass_constant_of(LLVMValueRef value, int64_t *ret);
bool pass_is_intrinsic(LLVMValueRef value, const char *prefix);
/* The form of an operand; also of one that is the same in all lanes. False: none. */
bool pass_form_of_operand(struct pass_prover *prover, LLVMValueRef user, unsigned operand,
			  unsigned depth, struct pass_pattern *ret);

/* Bytes to the field or element that an index of a getelementptr chooses; moves *type there. */
bool pass_index_step(LLVMTargetDataRef layout, LLVMTypeRef *type, LLVMValueRef index, bool first,
		     int64_t *ret_each, int64_t *ret_fixed);

/* ---- pass_launch.c: what is known of a launch ------------------------------------------------ */

/*
 * Where an argument lies in the block that the launch hands over, or a field of one that is a
 * struct.
 */
bool pass_argument_offset(const struct pass_prover *prover, LLVMValueRef value, uint32_t *ret);
/* constant + factor * (an argument, or a size of the launch): what the value is. */
bool pass_factor_of(const struct pass_prover *prover, LLVMValueRef value, struct pass_stride *ret);
/*
 * The sum of a form's parts, each as large as it can be, is
 * below 2^31, and for `zeros` none is negative: it does not wrap.
 */
bool pass_is_small(const struct pass_prover *prover, const struct pass_pattern *form, bool zeros);

/* ---- pass_digits.c: bits of ids ---------------------------------------------------------------
 */

/* and, or, xor, lshr. */
bool pass_form_of_bits(struct pass_prover *prover, LLVMValueRef inst, unsigned depth,
		       struct pass_pattern *ret);

#endif
