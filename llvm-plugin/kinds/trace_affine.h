/* SPDX-License-Identifier: MIT */
/*
 * Accesses with proved strides, for which the trace kind records one address (wire_device.h section
 * 5: PROVED).
 */
#ifndef PROBE_LLVM_PLUGIN_KINDS_TRACE_AFFINE_H
#define PROBE_LLVM_PLUGIN_KINDS_TRACE_AFFINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <llvm-c/Core.h>

#include "llvm-plugin/analysis/analysis.h"
#include "llvm-plugin/kinds/ring_kind.h"

struct analysis;
struct asm_block;
struct ring_context;

/* Of one site. */
struct trace_affine {
	bool proved;
	bool by_argument;		/* a stride has a factor: an argument of the kernel */
	bool divided;			/* not proved: bits of ids give a wave several strides */
	struct affine_stride stride[3]; /* bytes per step of the work-item's id */
	LLVMValueRef wraps[AFFINE_WRAPS];
	unsigned wrap_count;
};

/* Prove the strides of an access. If that fails, only ret->divided is set. */
void trace_affine_prove(const struct analysis *in, LLVMValueRef inst, LLVMValueRef pointer,
			struct trace_affine *ret);

/*
 * A value of 32 bits, computed at the kernel's entry: negative if an argument that determines a
 * stride is too large for these proofs. NULL: there is none.
 */
LLVMValueRef trace_affine_arguments(struct ring_context *ring, LLVMValueRef function,
				    const struct trace_affine *proofs, size_t count);

/* A group to be written at the position of the ring's builder. */
struct trace_affine_group {
	uint32_t id, sites, bases;
	const LLVMValueRef *address; /* by base: 64 bits */
	const uint32_t *weight;	     /* sites of each base */
	/* 32 bits, negative where the proofs do not hold; NULL = they always do. */
	LLVMValueRef wraps;
};

/* Requests of __probe_dev_trace_call(), in s92 (devlib/trace_probe.c). */
enum {
	TRACE_CALL_EXEC = 4, /* record EXEC if it has changed */
	TRACE_CALL_BASE = 5, /* the same, and then the addresses of a base */
};
/* Constraints of asm that calls __probe_dev_trace_call(). */
void trace_constrain_call(struct asm_block *code);

/* Build the code that records one address per base of the group. */
void trace_affine_write(struct ring_context *ring, const struct trace_affine_group *group);

#endif
