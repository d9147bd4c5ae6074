/* SPDX-License-Identifier: MIT */
/*
 * Short copies become the pieces that the back end chooses
 * (TargetLowering::findOptimalMemOpLowering in LLVM); longer ones become a loop, as there
 * (AMDGPUTTIImpl::getMemcpyLoopLoweringType).
 */
#include "llvm-plugin/clone/lower_copies.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>

#include <probe/wire.h>

#include "llvm-plugin/analysis/ir_edit.h"

enum { COPY_UNROLLED = 1024 };

struct copy {
	LLVMContextRef context;
	LLVMBuilderRef builder;
	LLVMValueRef to, from; /* a memset has no `from`, but: */
	LLVMValueRef word;     /* the byte, four times */
	uint64_t size;
	uint64_t align; /* of both ends: the back end takes the lower one */
	bool set, may_overlap, is_volatile;
};

static uint64_t align_of(LLVMValueRef call, unsigned operand)
{
	LLVMAttributeRef align = LLVMGetCallSiteEnumAttribute(
		call, operand + 1, LLVMGetEnumAttributeKindForName("align", 5));

	return align ? LLVMGetEnumAttributeValue(align) : 1;
}

/* Alignment at `offset` bytes after an address with alignment `align`. */
static uint64_t align_at(uint64_t align, uint64_t offset)
{
	uint64_t both = align | offset;

	return both & -both;
}

/* Bytes that are copied at once. */
struct piece {
	uint64_t at, size;
};

/* With an alignment below 4, flat and scratch instructions need it. */
static bool may_be_misaligned(const struct copy *copy)
{
	unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(copy->to));

	return copy->align >= 4 || (space != PROBE_SPACE_FLAT && space != PROBE_SPACE_SCRATCH);
}

/*
 * The back end's pieces; returns their number. The last bytes are copied together with some that
 * have been copied already, if they would need two pieces, unless an alignment of 2 makes that
 * slow. With an alignment below 4 it takes 8 bytes; with one of 1, it then merges two of these.
 */
static unsigned divide(const struct copy *copy, struct piece *ret)
{
	bool overlap = may_be_misaligned(copy) && copy->align != 2 && !copy->may_overlap &&
		       !copy->is_volatile;
	uint64_t size = !may_be_misaligned(copy) ? copy->align : copy->align == 2 ? 8 : 16;
	unsigned count = 0;

	if (size > 8 && copy->size < 16)
		size = 8;
	for (uint64_t at = 0; at < copy->size; at += size) {
		bool merged = size == 16 && copy->align == 1;
		uint64_t left = copy->size - at;

		while (size > left) {
			uint64_t smaller = merged ? 8 : size > 4 ? 4 : size / 2;

			if (count && overlap && smaller < left && !merged)
				at -= size - left;
			else
				size = smaller;
			left = copy->size - at;
			merged = false;
		}
		ret[count++] = (struct piece){at, size};
	}
	return count;
}

static LLVMTypeRef type_of(const struct copy *copy, uint64_t piece)
{
	if (piece > 4)
		return LLVMVectorType(LLVMInt32TypeInContext(copy->context), (unsigned)(piece / 4));
	return LLVMIntTypeInContext(copy->context, (unsigned)(8 * piece));
}

static LLVMValueRef place(const struct copy *copy, LLVMValueRef pointer, uint64_t at)
{
	LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(copy->context), at, 0);

	return at ? LLVMBuildInBoundsGEP2(copy->builder, LLVMInt8TypeInContext(copy->context),
					  pointer, &index, 1, "")
		  : pointer;
}

static LLVMValueRef load(const struct copy *copy, uint64_t at, uint64_t piece)
{
	LLVMValueRef inst = LLVMBuildLoad2(copy->builder, type_of(copy, piece),
					   place(copy, copy->from, at), "");

	LLVMSetAlignment(inst, (unsigned)align_at(copy->align, at));
	LLVMSetVolatile(inst, copy->is_volatile);
	return inst;
}

static void store(const struct copy *copy, uint64_t at, LLVMValueRef value)
{
	LLVMValueRef inst = LLVMBuildStore(copy->builder, value, place(copy, copy->to, at));

	LLVMSetAlignment(inst, (unsigned)align_at(copy->align, at));
	LLVMSetVolatile(inst, copy->is_volatile);
}

/* The value that a memset stores in each piece. */
static LLVMValueRef pattern(const struct copy *copy, uint64_t piece)
{
	LLVMTypeRef type = type_of(copy, piece), i32 = LLVMInt32TypeInContext(copy->context);
	LLVMValueRef none = LLVMGetUndef(type), one;

	if (piece <= 4)
		return LLVMBuildTrunc(copy->builder, copy->word, type, "");
	one = LLVMBuildInsertElement(copy->builder, none, copy->word, LLVMConstInt(i32, 0, 0), "");
	return LLVMBuildShuffleVector(copy->builder, one, none,
				      LLVMConstNull(LLVMVectorType(i32, (unsigned)(piece / 4))),
				      "");
}

/* All loads precede the stores if source and destination may overlap. */
static void unroll(const struct copy *copy)
{
	struct piece piece[COPY_UNROLLED];
	LLVMValueRef loaded[COPY_UNROLLED];
	unsigned count = divide(copy, piece);

	for (unsigned i = 0; i < count; i++) {
		loaded[i] = copy->set ? pattern(copy, piece[i].size)
				      : load(copy, piece[i].at, piece[i].size);
		if (!copy->may_overlap)
			store(copy, piece[i].at, loaded[i]);
	}
	for (unsigned i = 0; copy->may_overlap && i < count; i++)
		store(copy, piece[i].at, loaded[i]);
}

/* If the byte is a constant, so is the word. */
static LLVMValueRef repeat_byte(const struct copy *copy, LLVMValueRef byte)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(copy->context);

	return LLVMBuildMul(copy->builder, LLVMBuildZExt(copy->builder, byte, i32, ""),
			    LLVMConstInt(i32, 0x01010101, 0), "");
}

static bool is_intrinsic(LLVMValueRef call, const char *intrinsic)
{
	return LLVMGetIntrinsicID(LLVMGetCalledValue(call)) ==
	       LLVMLookupIntrinsicID(intrinsic, strlen(intrinsic));
}

void lower_copy(LLVMValueRef call, void *analyses)
{
	LLVMValueRef size = LLVMGetOperand(call, 2);
	struct copy copy = {
		.set = is_intrinsic(call, "llvm.memset") ||
		       is_intrinsic(call, "llvm.memset.inline"),
		.may_overlap = is_intrinsic(call, "llvm.memmove"),
		.is_volatile = LLVMConstIntGetZExtValue(LLVMGetOperand(call, 3)),
		.to = LLVMGetOperand(call, 0),
		.align = align_of(call, 0),
	};

	if (!LLVMIsAConstantInt(size) || LLVMConstIntGetZExtValue(size) > COPY_UNROLLED) {
		ir_expand_copy(call, analyses);
		return;
	}
	copy.size = LLVMConstIntGetZExtValue(size);
	copy.context = LLVMGetTypeContext(LLVMTypeOf(call));
	copy.builder = LLVMCreateBuilderInContext(copy.context);
	LLVMPositionBuilderBefore(copy.builder, call);
	LLVMSetCurrentDebugLocation2(copy.builder, LLVMInstructionGetDebugLoc(call));
	if (copy.set) {
		copy.word = repeat_byte(&copy, LLVMGetOperand(call, 1));
	} else {
		copy.from = LLVMGetOperand(call, 1);
		copy.align = align_of(call, 1) < copy.align ? align_of(call, 1) : copy.align;
	}
	unroll(&copy);
	LLVMDisposeBuilder(copy.builder);
	LLVMInstructionEraseFromParent(call);
}
