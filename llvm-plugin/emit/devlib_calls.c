/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/emit/devlib_calls.h"

#include <stddef.h>
#include <stdlib.h>
#include <llvm-c/Core.h>

#include "llvm-plugin/analysis/ir_edit.h"
#include "llvm-plugin/base/ir_helpers.h"

LLVMValueRef devlib_call(struct devlib_calls *calls, enum devlib_function which, LLVMValueRef *args,
			 unsigned count)
{
	LLVMValueRef function = calls->devlib->function[which];
	LLVMValueRef call = LLVMBuildCall2(calls->builder, LLVMGlobalGetValueType(function),
					   function, args, count, "");

	if (calls->count == calls->capacity) {
		calls->capacity = calls->capacity ? 2 * calls->capacity : 64;
		calls->call = pass_alloc(calls->call, calls->capacity * sizeof(*calls->call));
	}
	calls->call[calls->count++] = call;
	return call;
}

void devlib_call_arguments(struct devlib_calls *calls, LLVMValueRef clone, LLVMValueRef *ret_ctx,
			   LLVMValueRef *ret_wave)
{
	unsigned params = LLVMCountParams(clone);
	LLVMValueRef ctx = LLVMGetParam(clone, params - 2), wave = LLVMGetParam(clone, params - 1);
	LLVMValueRef word = LLVMBuildPtrToInt(calls->builder, ctx, LLVMTypeOf(wave), "");

	*ret_ctx = LLVMBuildIntToPtr(calls->builder, devlib_call(calls, DEVLIB_UNIFORM, &word, 1),
				     LLVMTypeOf(ctx), "");
	*ret_wave = devlib_call(calls, DEVLIB_UNIFORM, &wave, 1);
}

void devlib_call_drop_unused(struct devlib_calls *calls, LLVMValueRef call)
{
	for (size_t i = 0; !LLVMGetFirstUse(call) && i < calls->count; i++)
		if (calls->call[i] == call) {
			calls->call[i] = calls->call[--calls->count];
			LLVMInstructionEraseFromParent(call);
			return;
		}
}

void devlib_calls_inline(struct devlib_calls *calls)
{
	for (size_t i = 0; i < calls->count; i++)
		ir_inline(calls->call[i]);
	free(calls->call);
}
