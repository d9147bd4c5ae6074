/* SPDX-License-Identifier: MIT */
/* Accesses whose lanes the trace kind need not look at (wire.h section 5: PROVED). */
#ifndef PROBE_LLVM_PLUGIN_PASS_TRACE_PROOF_H
#define PROBE_LLVM_PLUGIN_PASS_TRACE_PROOF_H

#include "llvm-plugin/analysis/analysis.h"
#include "pass_ring.h"

/* Of one site. */
struct pass_trace_proof {
	bool proved;
	bool by_argument;		/* a stride has a factor: an argument of the kernel */
	struct affine_stride stride[3]; /* bytes per step of the work-item's id */
	LLVMValueRef wraps[AFFINE_WRAPS];
	unsigned wrap_count;
};

/* Of all sites of a function in their order; free it. Their values are of the function. */
struct pass_trace_proof *pass_trace_prove(LLVMValueRef function, const struct analysis *in,
					  const struct pass_options *options, size_t *ret_count);

/*
 * 32 bits, negative if an argument that is a stride is larger than what these proofs hold for; made
 * at the kernel's entry. NULL: none is one.
 */
LLVMValueRef pass_trace_arguments(struct pass_ring *ring, LLVMValueRef function,
				  const struct pass_trace_proof *proofs, size_t count);

/* A group to be written where the ring's builder stands. */
struct pass_trace_proved {
	uint32_t id, sites, bases;
	const LLVMValueRef *address; /* by base: 64 bits */
	const uint32_t *weight;	     /* sites of each base */
	LLVMValueRef wraps; /* 32 bits, negative where no proof holds; NULL = they always do */
};

void pass_trace_write_proved(struct pass_ring *ring, const struct pass_trace_proved *group);

#endif
