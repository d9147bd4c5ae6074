/* SPDX-License-Identifier: MIT */
/* Common parts of the kinds `time` and `trace`: how clones write records to rings. */
#ifndef PROBE_LLVM_PLUGIN_KINDS_RING_KIND_H
#define PROBE_LLVM_PLUGIN_KINDS_RING_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

#include "llvm-plugin/emit/devlib_calls.h"
#include "llvm-plugin/base/compile_options.h"

struct call_unit;
struct call_units;

struct ring_context {
	const struct call_unit *unit;
	struct devlib *devlib;
	void *analyses;
	enum probe_kind kind;
	uint32_t kinds;	 /* mask of the module's kinds */
	bool is_optnone; /* not optimised */
	bool is_portable;
	/* Shared functions are called by the usual convention: unoptimised or portable code. */
	bool is_called;
	bool is_leaf;	/* a function whose time is one record */
	bool is_stored; /* a kernel whose waves write their records at their end (stored_waves.h) */
	enum pass_stamps stamps;
	LLVMContextRef context;
	LLVMBuilderRef builder;
	LLVMValueRef optnone; /* as an argument */
	struct devlib_calls calls;
};

/* ring_calls.c: */
LLVMValueRef ring_i32(const struct ring_context *ring, uint32_t value);
/* Call a function of the device library, which will be inlined unless it is portable. */
LLVMValueRef ring_call(struct ring_context *ring, enum devlib_function which, LLVMValueRef *args,
		       unsigned count);
/* Position the builder before an instruction, with its debug location. */
void ring_before(struct ring_context *ring, LLVMValueRef inst);

#endif
