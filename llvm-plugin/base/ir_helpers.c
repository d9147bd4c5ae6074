/* SPDX-License-Identifier: MIT */
/*
 * Helpers of the whole pass: memory, text, common IR. Running out of memory ends the compiler, as
 * in LLVM itself.
 */
#include "llvm-plugin/base/ir_helpers.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include "llvm-plugin/base/compile_options.h"

void *pass_alloc(void *old, size_t size)
{
	void *fresh = realloc(old, size ? size : 1);

	if (!fresh) {
		fprintf(stderr, "probe: out of memory for %zu bytes\n", size);
		abort();
	}
	return fresh;
}

char *pass_format(const char *format, ...)
{
	va_list args;
	char *text;
	int size;

	va_start(args, format);
	size = vsnprintf(NULL, 0, format, args);
	va_end(args);
	text = pass_alloc(NULL, (size_t)size + 1);
	va_start(args, format);
	vsnprintf(text, (size_t)size + 1, format, args);
	va_end(args);
	return text;
}

LLVMValueRef pass_opaque_lds(LLVMBuilderRef builder, LLVMValueRef pointer)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(pointer));
	LLVMTypeRef type = LLVMFunctionType(LLVMInt32TypeInContext(context), NULL, 0, 0);
	LLVMValueRef code, zero;

	if (!LLVMIsConstant(pointer))
		return pointer;
	code = LLVMGetInlineAsm(type, (char *)"s_mov_b32 $0, 0", 15, (char *)"=s", 2, 0, 0,
				LLVMInlineAsmDialectATT, 0);
	zero = LLVMBuildCall2(builder, type, code, NULL, 0, "");
	return LLVMBuildGEP2(builder, LLVMInt8TypeInContext(context), pointer, &zero, 1, "");
}

LLVMValueRef pass_call_intrinsic(LLVMBuilderRef builder, const char *name, LLVMTypeRef overload,
				 LLVMValueRef *args, unsigned count)
{
	LLVMModuleRef module =
		LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(builder)));
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
	LLVMValueRef function = LLVMGetIntrinsicDeclaration(
		module, id, &overload, LLVMIntrinsicIsOverloaded(id) ? 1 : 0);

	return LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, args, count, "");
}

/* Hide a comparison of halves from the back end, as an integer. */
static LLVMValueRef hide_halves(LLVMBuilderRef builder, LLVMValueRef condition)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(condition)));
	LLVMTypeRef type = LLVMFunctionType(i32, &i32, 1, 0);
	LLVMValueRef number, nothing;

	if (!LLVMIsAFCmpInst(condition) ||
	    LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(condition, 0))) != LLVMHalfTypeKind)
		return condition;
	number = LLVMBuildZExt(builder, condition, i32, "");
	nothing = LLVMGetInlineAsm(type, "", 0, "=v,0", 4, 0, 0, LLVMInlineAsmDialectATT, 0);
	number = LLVMBuildCall2(builder, type, nothing, &number, 1, "");
	return LLVMBuildICmp(builder, LLVMIntNE, number, LLVMConstInt(i32, 0, 0), "");
}

LLVMValueRef pass_ballot(LLVMBuilderRef builder, LLVMValueRef condition, unsigned lanes)
{
	LLVMTypeRef type = LLVMIntTypeInContext(LLVMGetTypeContext(LLVMTypeOf(condition)), lanes);

	condition = hide_halves(builder, condition);
	return pass_call_intrinsic(builder, "llvm.amdgcn.ballot", type, &condition, 1);
}

static LLVMValueRef return_of(LLVMBasicBlockRef block)
{
	LLVMValueRef last = LLVMGetBasicBlockTerminator(block);

	return last && LLVMIsAReturnInst(last) ? last : NULL;
}

static void return_at(LLVMValueRef kernel, LLVMBasicBlockRef exit, LLVMBuilderRef builder)
{
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(kernel); block;
	     block = LLVMGetNextBasicBlock(block)) {
		LLVMValueRef old = return_of(block);

		if (!old)
			continue;
		LLVMPositionBuilderBefore(builder, old);
		LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(old));
		LLVMBuildBr(builder, exit);
		LLVMInstructionEraseFromParent(old);
	}
}

LLVMValueRef pass_single_return(LLVMValueRef kernel)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(kernel));
	LLVMBuilderRef builder;
	LLVMBasicBlockRef exit;
	LLVMValueRef last = NULL;
	unsigned returns = 0;

	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(kernel); block;
	     block = LLVMGetNextBasicBlock(block))
		if (return_of(block)) {
			last = return_of(block);
			returns++;
		}
	if (returns < 2)
		return last;
	exit = LLVMAppendBasicBlockInContext(context, kernel, "probe.exit");
	builder = LLVMCreateBuilderInContext(context);
	return_at(kernel, exit, builder);
	LLVMPositionBuilderAtEnd(builder, exit);
	LLVMSetCurrentDebugLocation2(builder, NULL);
	last = LLVMBuildRetVoid(builder);
	LLVMDisposeBuilder(builder);
	return last;
}

/*
 * First instruction behind the entry block's allocas. Allocas further down are moved up: inlining
 * splits the block, and an alloca outside the entry block would be dynamic.
 */
LLVMValueRef pass_entry_point(LLVMValueRef function)
{
	LLVMBasicBlockRef block = LLVMGetEntryBasicBlock(function);
	LLVMValueRef first = LLVMGetFirstInstruction(block);
	LLVMBuilderRef builder;

	while (LLVMIsAAllocaInst(first))
		first = LLVMGetNextInstruction(first);
	builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));
	LLVMPositionBuilderBefore(builder, first);
	for (LLVMValueRef inst = first, next; inst; inst = next) {
		next = LLVMGetNextInstruction(inst);
		if (LLVMIsAAllocaInst(inst) && LLVMIsConstant(LLVMGetOperand(inst, 0))) {
			LLVMInstructionRemoveFromParent(inst);
			LLVMInsertIntoBuilder(builder, inst);
		}
	}
	LLVMDisposeBuilder(builder);
	return first;
}

LLVMValueRef pass_first_inst(LLVMValueRef function)
{
	LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function);

	return block ? LLVMGetFirstInstruction(block) : NULL;
}

LLVMValueRef pass_next_inst(LLVMValueRef inst)
{
	LLVMValueRef next = LLVMGetNextInstruction(inst);
	LLVMBasicBlockRef block = LLVMGetInstructionParent(inst);

	while (!next && (block = LLVMGetNextBasicBlock(block)))
		next = LLVMGetFirstInstruction(block);
	return next;
}

const char *pass_called_name(LLVMValueRef inst)
{
	LLVMValueRef callee =
		LLVMIsACallInst(inst) ? LLVMIsAFunction(LLVMGetCalledValue(inst)) : NULL;
	size_t size;

	return callee ? LLVMGetValueName2(callee, &size) : "";
}

static const char ends_wave[] = "llvm.amdgcn.endpgm";

bool pass_ends_wave(LLVMValueRef inst)
{
	return !strcmp(pass_called_name(inst), ends_wave);
}

bool pass_may_end_early(LLVMValueRef function)
{
	return LLVMGetNamedFunction(LLVMGetGlobalParent(function), ends_wave) != NULL;
}

bool pass_is_optnone(LLVMValueRef function, const struct pass_options *options)
{
	unsigned optnone = LLVMGetEnumAttributeKindForName("optnone", 7);

	return options->optnone ||
	       LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, optnone);
}
