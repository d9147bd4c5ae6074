/* SPDX-License-Identifier: MIT */
/* Calls of the device library in a clone. They are inlined when all probes of the clone exist. */
#ifndef PROBE_LLVM_PLUGIN_EMIT_DEVLIB_CALLS_H
#define PROBE_LLVM_PLUGIN_EMIT_DEVLIB_CALLS_H

#include <stddef.h>
#include <llvm-c/Core.h>

#include "llvm-plugin/emit/devlib_link.h"

struct devlib;

struct devlib_calls {
	const struct devlib *devlib;
	LLVMBuilderRef builder;
	LLVMValueRef *call;
	size_t count, capacity;
};

/* Add a call at the builder's position. */
LLVMValueRef devlib_call(struct devlib_calls *calls, enum devlib_function which, LLVMValueRef *args,
			 unsigned count);
/*
 * The context and the wave's word of a device function's clone: its last arguments, which are in
 * vector registers, although they are uniform.
 */
void devlib_call_arguments(struct devlib_calls *calls, LLVMValueRef clone, LLVMValueRef *ret_ctx,
			   LLVMValueRef *ret_wave);
/* Remove a call, unless its result is used. */
void devlib_call_drop_unused(struct devlib_calls *calls, LLVMValueRef call);
/* Inline all calls and free the list. */
void devlib_calls_inline(struct devlib_calls *calls);

#endif
