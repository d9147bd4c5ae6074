/* SPDX-License-Identifier: MIT */
/* What putting records into rings needs, for the kinds `time` and `trace` (pass_time.c). */
#ifndef PROBE_LLVM_PLUGIN_PASS_RING_H
#define PROBE_LLVM_PLUGIN_PASS_RING_H

#include "pass.h"

struct pass_ring {
	const struct pass_unit *unit;
	struct devlib *devlib;
	enum probe_kind kind;
	uint32_t kinds; /* of the module */
	bool is_plain;	/* not optimised */
	bool is_called; /* shared functions are called as any function is: plain or portable code */
	LLVMContextRef context;
	LLVMBuilderRef builder;
	LLVMValueRef called; /* the same as an argument */
	LLVMValueRef *call;  /* to be inlined */
	size_t calls, capacity;
};

LLVMValueRef pass_ring_i32(const struct pass_ring *ring, uint32_t value);
/* Call a function of the device library, which will be inlined. */
LLVMValueRef pass_ring_call(struct pass_ring *ring, enum devlib_function which, LLVMValueRef *args,
			    unsigned count);
/* Go on before an instruction, with its place in the source. */
void pass_ring_before(struct pass_ring *ring, LLVMValueRef inst);

/* The trace kind's records of accesses and barriers (pass_trace.c). */
void pass_trace_insert(struct pass_ring *ring, LLVMValueRef function,
		       const struct pass_options *options);

#endif
