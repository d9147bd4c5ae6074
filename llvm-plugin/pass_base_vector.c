/* SPDX-License-Identifier: MIT */
/* Calculations (pass_base.h) of elements of vectors: the vectoriser makes two numbers at once. */
#include "pass_base_parts.h"

static bool walk_at(struct base_walk *w, LLVMValueRef vector, unsigned at, unsigned depth);

static uint8_t bits_of(LLVMValueRef vector)
{
	LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(vector));
	unsigned bits =
		LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;

	return bits == 32 || bits == 64 ? (uint8_t)bits : 0;
}

static bool walk_constant(struct base_walk *w, LLVMValueRef vector, unsigned at)
{
	int64_t number = 0;

	if (!LLVMIsAConstantAggregateZero(vector) &&
	    ((!LLVMIsAConstantDataVector(vector) && !LLVMIsAConstantVector(vector)) ||
	     !pass_constant_of(LLVMGetAggregateElement(vector, at), &number)))
		return false;
	return pass_base_put_constant(w, number, bits_of(vector));
}

static bool walk_inserted(struct base_walk *w, LLVMValueRef inst, unsigned at, unsigned depth)
{
	int64_t index;
	bool ids;

	if (!pass_constant_of(LLVMGetOperand(inst, 2), &index))
		return false;
	return index == at ? pass_base_walk(w, LLVMGetOperand(inst, 1), depth + 1, &ids)
			   : walk_at(w, LLVMGetOperand(inst, 0), at, depth + 1);
}

static bool walk_shuffled(struct base_walk *w, LLVMValueRef inst, unsigned at, unsigned depth)
{
	int size = (int)LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(inst, 0)));
	int from = LLVMGetMaskValue(inst, at);

	return from >= 0 &&
	       walk_at(w, LLVMGetOperand(inst, from >= size), (unsigned)(from % size), depth + 1);
}

static bool walk_widened(struct base_walk *w, LLVMValueRef inst, unsigned at, unsigned depth)
{
	LLVMValueRef from = LLVMGetOperand(inst, 0);
	struct probe_base_op field = {.code = PROBE_BASE_PACKET, .bits = 64};
	bool zeros = LLVMIsAZExtInst(inst) != NULL;

	if (zeros && pass_packet_field(from, at, &field.offset))
		return pass_base_put(w, field, 1);
	return bits_of(from) == 32 && walk_at(w, from, at, depth + 1) &&
	       pass_base_put_simple(w, zeros ? PROBE_BASE_ZEXT : PROBE_BASE_SEXT, 64, 0);
}

static bool walk_at(struct base_walk *w, LLVMValueRef vector, unsigned at, unsigned depth)
{
	struct probe_base_op field = {.code = PROBE_BASE_PACKET, .bits = 64};
	enum probe_base_code code = PROBE_BASE_CODES;

	if (depth > 32 || !bits_of(vector))
		return false;
	if (LLVMIsAConstant(vector))
		return walk_constant(w, vector, at);
	if (LLVMIsAInsertElementInst(vector))
		return walk_inserted(w, vector, at, depth);
	if (LLVMIsAShuffleVectorInst(vector))
		return walk_shuffled(w, vector, at, depth);
	if (LLVMIsAZExtInst(vector) || LLVMIsASExtInst(vector))
		return walk_widened(w, vector, at, depth);
	if (pass_packet_field(vector, at, &field.offset))
		return pass_base_put(w, field, 1);
	if (LLVMIsABinaryOperator(vector))
		code = pass_base_binary(LLVMGetInstructionOpcode(vector));
	else if (LLVMIsACallInst(vector))
		code = pass_base_call(vector);
	return code != PROBE_BASE_CODES && walk_at(w, LLVMGetOperand(vector, 0), at, depth + 1) &&
	       walk_at(w, LLVMGetOperand(vector, 1), at, depth + 1) &&
	       pass_base_put_simple(w, code, bits_of(vector), -1);
}

bool pass_base_walk_element(struct base_walk *w, LLVMValueRef inst, unsigned depth, bool *ret_ids)
{
	int64_t at;

	*ret_ids = true;
	return pass_enabled(w->prover->options, PASS_VECTORS) &&
	       pass_constant_of(LLVMGetOperand(inst, 1), &at) && at >= 0 &&
	       walk_at(w, LLVMGetOperand(inst, 0), (unsigned)at, depth + 1);
}
