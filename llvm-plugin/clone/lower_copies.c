/* SPDX-License-Identifier: MIT */
/*
 * Short copies become vectors of 16 bytes and the rest; longer ones become a loop, as in the back
 * end. See SITargetLowering and AMDGPUTTIImpl::getMemcpyLoopLoweringType in LLVM. A rest of more
 * than 4 bytes is part of 16 that overlap the ones before
 * (TargetLowering::findOptimalMemOpLowering).
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

/* One end of a copy. */
struct end {
	LLVMValueRef pointer;
	uint64_t align;
};

struct copy {
	LLVMContextRef context;
	LLVMBuilderRef builder;
	struct end to, from; /* a memset has no `from`, but: */
	LLVMValueRef word;   /* the byte, four times */
	uint64_t size;
	bool set, may_overlap, is_volatile;
};

static struct end end_of(LLVMValueRef call, unsigned operand)
{
	LLVMAttributeRef align = LLVMGetCallSiteEnumAttribute(
		call, operand + 1, LLVMGetEnumAttributeKindForName("align", 5));

	return (struct end){LLVMGetOperand(call, operand),
			    align ? LLVMGetEnumAttributeValue(align) : 1};
}

static bool is_lds(const struct end *end)
{
	return end->pointer &&
	       LLVMGetPointerAddressSpace(LLVMTypeOf(end->pointer)) == PROBE_SPACE_LDS;
}

/* Alignment at `offset` bytes after an address with alignment `align`. */
static uint64_t align_at(uint64_t align, uint64_t offset)
{
	uint64_t both = align | offset;

	return both & -both;
}

/*
 * Size of the next piece: 16 bytes; at the end 12, else the largest power of two. In LDS 8, and
 * less if not aligned to 4.
 */
static uint64_t piece_of(const struct copy *copy, uint64_t left)
{
	bool lds = is_lds(&copy->to) || is_lds(&copy->from);
	uint64_t align =
		copy->set || copy->to.align < copy->from.align ? copy->to.align : copy->from.align;
	uint64_t piece = !lds ? 16 : align >= 4 ? 8 : align;

	if (!lds && align >= 4 && left >= 12 && left < 16)
		return 12;
	while (piece > left)
		piece /= 2;
	return piece;
}

static bool is_global(const struct end *end)
{
	return end->pointer &&
	       LLVMGetPointerAddressSpace(LLVMTypeOf(end->pointer)) == PROBE_SPACE_GLOBAL;
}

/* Are the last bytes copied together with some that have been copied already? */
static bool has_overlap(const struct copy *copy, uint64_t at)
{
	uint64_t left = copy->size - at;

	return at && left > 4 && left < 16 && copy->to.align >= 4 && is_global(&copy->to) &&
	       is_global(&copy->from) && !copy->may_overlap && !copy->is_volatile;
}

static LLVMTypeRef type_of(const struct copy *copy, uint64_t piece)
{
	if (piece > 4)
		return LLVMVectorType(LLVMInt32TypeInContext(copy->context), (unsigned)(piece / 4));
	return LLVMIntTypeInContext(copy->context, (unsigned)(8 * piece));
}

static LLVMValueRef place(const struct copy *copy, const struct end *end, uint64_t at)
{
	LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(copy->context), at, 0);

	return at ? LLVMBuildInBoundsGEP2(copy->builder, LLVMInt8TypeInContext(copy->context),
					  end->pointer, &index, 1, "")
		  : end->pointer;
}

static LLVMValueRef load(const struct copy *copy, uint64_t at, uint64_t piece)
{
	LLVMValueRef inst = LLVMBuildLoad2(copy->builder, type_of(copy, piece),
					   place(copy, &copy->from, at), "");

	LLVMSetAlignment(inst, (unsigned)align_at(copy->from.align, at));
	LLVMSetVolatile(inst, copy->is_volatile);
	return inst;
}

static void store(const struct copy *copy, uint64_t at, LLVMValueRef value)
{
	LLVMValueRef inst = LLVMBuildStore(copy->builder, value, place(copy, &copy->to, at));

	LLVMSetAlignment(inst, (unsigned)align_at(copy->to.align, at));
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
	LLVMValueRef loaded[COPY_UNROLLED];
	unsigned pieces = 0;

	for (uint64_t at = 0, piece; at < copy->size; at += piece) {
		if (has_overlap(copy, at))
			at = copy->size - 16;
		piece = piece_of(copy, copy->size - at);
		loaded[pieces] = copy->set ? pattern(copy, piece) : load(copy, at, piece);
		if (!copy->may_overlap)
			store(copy, at, loaded[pieces]);
		pieces++;
	}
	pieces = 0;
	for (uint64_t at = 0; copy->may_overlap && at < copy->size;
	     at += piece_of(copy, copy->size - at))
		store(copy, at, loaded[pieces++]);
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
		.to = end_of(call, 0),
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
	if (copy.set)
		copy.word = repeat_byte(&copy, LLVMGetOperand(call, 1));
	else
		copy.from = end_of(call, 1);
	unroll(&copy);
	LLVMDisposeBuilder(copy.builder);
	LLVMInstructionEraseFromParent(call);
}
