/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/clone/merge_launch_values.h"

#include <stdbool.h>
#include <string.h>

#include "llvm-plugin/base/ir_helpers.h"

/* Intrinsics without operands that return the same value wherever a wave calls them. */
static const char *const intrinsics[] = {
	"llvm.amdgcn.dispatch.ptr",   "llvm.amdgcn.implicitarg.ptr", "llvm.amdgcn.workgroup.id.x",
	"llvm.amdgcn.workgroup.id.y", "llvm.amdgcn.workgroup.id.z",  "llvm.amdgcn.workitem.id.x",
	"llvm.amdgcn.workitem.id.y",  "llvm.amdgcn.workitem.id.z",
};
enum {
	INTRINSICS = sizeof(intrinsics) / sizeof(intrinsics[0]),
	DEPTH_MAX = 8, /* of computations that are compared */
};

/* Index in `intrinsics`; -1 = the instruction calls none of them. */
static int launch_value(LLVMValueRef inst)
{
	LLVMValueRef callee = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
	const char *name;
	size_t size;

	if (!callee || !LLVMIsAFunction(callee) || !LLVMGetIntrinsicID(callee))
		return -1;
	name = LLVMGetValueName2(callee, &size);
	for (int i = 0; i < INTRINSICS; i++)
		if (size == strlen(intrinsics[i]) && !memcmp(name, intrinsics[i], size))
			return i;
	return -1;
}

static void move_to_entry(LLVMValueRef function, LLVMValueRef inst)
{
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);

	LLVMPositionBuilderBefore(builder, pass_entry_point(function));
	LLVMInstructionRemoveFromParent(inst);
	LLVMInsertIntoBuilder(builder, inst);
	LLVMDisposeBuilder(builder);
}

static bool is_computation(LLVMValueRef inst)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
	case LLVMShl:
	case LLVMLShr:
	case LLVMAShr:
	case LLVMAnd:
	case LLVMOr:
	case LLVMXor:
	case LLVMZExt:
	case LLVMSExt:
	case LLVMTrunc:
	case LLVMGetElementPtr:
		return true;
	default:
		return false;
	}
}

/* The least of two values, as in the size of the last workgroup. */
static bool is_minimum(LLVMValueRef inst)
{
	static const char prefix[] = "llvm.umin.i";
	LLVMValueRef callee = LLVMIsACallInst(inst) ? LLVMGetCalledValue(inst) : NULL;
	size_t size;

	return callee && LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee) &&
	       !strncmp(LLVMGetValueName2(callee, &size), prefix, sizeof(prefix) - 1);
}

/* A load from the dispatch packet, which may execute anywhere. */
static bool loads_packet(LLVMValueRef inst)
{
	LLVMValueRef pointer;

	if (!LLVMIsALoadInst(inst) || LLVMGetVolatile(inst) ||
	    LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic)
		return false;
	pointer = LLVMGetOperand(inst, 0);
	while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsABitCastInst(pointer))
		pointer = LLVMGetOperand(pointer, 0);
	return launch_value(pointer) == 0;
}

static bool is_available(LLVMValueRef value)
{
	return LLVMIsAConstant(value) || LLVMIsAArgument(value) || launch_value(value) >= 0;
}

/* Do two values result from the same operations on arguments and launch values? */
static bool is_same(LLVMValueRef a, LLVMValueRef b, unsigned depth)
{
	if (is_available(a) || is_available(b))
		return a == b;
	if (!depth || !LLVMIsAInstruction(a) || !LLVMIsAInstruction(b) ||
	    LLVMGetInstructionOpcode(a) != LLVMGetInstructionOpcode(b) ||
	    LLVMTypeOf(a) != LLVMTypeOf(b) || LLVMGetNumOperands(a) != LLVMGetNumOperands(b) ||
	    (!is_computation(a) && !is_minimum(a) && !(loads_packet(a) && loads_packet(b))))
		return false;
	for (int i = 0; i < LLVMGetNumOperands(a); i++) {
		LLVMValueRef x = LLVMGetOperand(a, (unsigned)i), y = LLVMGetOperand(b, (unsigned)i);

		if (LLVMIsAFunction(x) ? x != y : !is_same(x, y, depth - 1))
			return false;
	}
	return true;
}

/* The same value, computed in the entry block. */
static LLVMValueRef compute_in_entry(LLVMBuilderRef builder, LLVMValueRef value)
{
	LLVMValueRef copy;

	if (is_available(value))
		return value;
	copy = LLVMInstructionClone(value);
	for (int i = 0; i < LLVMGetNumOperands(value); i++)
		LLVMSetOperand(copy, (unsigned)i,
			       compute_in_entry(builder, LLVMGetOperand(value, (unsigned)i)));
	LLVMInsertIntoBuilder(builder, copy);
	return copy;
}

/* The operand that all operands of a phi, besides the phi itself, equal; NULL = none. */
static LLVMValueRef common_operand(LLVMValueRef phi)
{
	LLVMValueRef ret = NULL;

	for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
		LLVMValueRef operand = LLVMGetIncomingValue(phi, i);

		if (operand == phi)
			continue;
		if (LLVMIsUndef(operand) || !is_same(ret ? ret : operand, operand, DEPTH_MAX))
			return NULL;
		ret = operand;
	}
	return ret;
}

/* Replace phis whose operands are all the same; false = there are none left. */
static bool replace_phis(LLVMValueRef function, LLVMBuilderRef builder)
{
	bool any = false;

	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block), next;
		     inst && LLVMIsAPHINode(inst); inst = next) {
			LLVMValueRef value = common_operand(inst);

			next = LLVMGetNextInstruction(inst);
			if (!value)
				continue;
			LLVMReplaceAllUsesWith(inst, compute_in_entry(builder, value));
			LLVMInstructionEraseFromParent(inst);
			any = true;
		}
	return any;
}

void merge_launch_values(LLVMValueRef function)
{
	LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
	LLVMValueRef first[INTRINSICS] = {NULL};

	for (LLVMBasicBlockRef block = entry; block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block), next; inst; inst = next) {
			int i = launch_value(inst);

			next = LLVMGetNextInstruction(inst);
			if (i < 0)
				continue;
			if (first[i]) {
				LLVMReplaceAllUsesWith(inst, first[i]);
				LLVMInstructionEraseFromParent(inst);
			} else {
				first[i] = inst;
				if (block != entry)
					move_to_entry(function, inst);
			}
		}
	LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(entry));
	while (replace_phis(function, builder))
		;
	LLVMDisposeBuilder(builder);
}
