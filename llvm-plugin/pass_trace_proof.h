/* SPDX-License-Identifier: MIT */
/* Accesses whose lanes the trace kind need not look at (wire.h section 5: PROVED). */
#ifndef PROBE_LLVM_PLUGIN_PASS_TRACE_PROOF_H
#define PROBE_LLVM_PLUGIN_PASS_TRACE_PROOF_H

#include "pass_prove.h"
#include "pass_ring.h"

/* Of one site. */
struct pass_trace_proof {
	bool proved;
	int32_t stride[3]; /* bytes per step of the work-item's id */
	LLVMValueRef wraps[PASS_WRAPS];
	unsigned wrap_count;
};

/* Of all sites of a function in their order; free it. Their values are of the function. */
struct pass_trace_proof *pass_trace_prove(LLVMValueRef function, bool kernel,
					  const struct pass_options *options, void *analyses);

/* A group to be written where the ring's builder stands. */
struct pass_trace_proved {
	uint32_t id, sites, bases;
	const LLVMValueRef *address; /* by base: 64 bits */
	const uint32_t *weight;	     /* sites of each base */
	LLVMValueRef wraps; /* 32 bits, negative where no proof holds; NULL = they always do */
};

void pass_trace_write_proved(struct pass_ring *ring, const struct pass_trace_proved *group);

#endif
