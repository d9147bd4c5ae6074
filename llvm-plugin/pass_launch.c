/* SPDX-License-Identifier: MIT */
/* What the proofs know of a launch: where its numbers are, and how large they can be. */
#include <string.h>

#include "pass_prove_parts.h"
#include "pass_shim.h"

/* What an attribute of a parameter says: a type, or a number. */
static LLVMAttributeRef attribute(const struct pass_prover *prover, unsigned param,
				  const char *name)
{
	return LLVMGetEnumAttributeAtIndex(prover->function, 1 + param,
					   LLVMGetEnumAttributeKindForName(name, strlen(name)));
}

/*
 * Where a parameter lies in the block that the launch hands over: explicit arguments follow each
 * other at their alignment, those that are structs as such.
 */
static uint64_t offset_of(const struct pass_prover *prover, LLVMValueRef wanted)
{
	uint64_t offset = 0;
	unsigned i = 0;

	for (LLVMValueRef param = LLVMGetFirstParam(prover->function);;
	     param = LLVMGetNextParam(param), i++) {
		LLVMAttributeRef by_reference = attribute(prover, i, "byref");
		LLVMAttributeRef aligned = attribute(prover, i, "align");
		LLVMTypeRef type =
			by_reference ? LLVMGetTypeAttributeValue(by_reference) : LLVMTypeOf(param);
		uint64_t align = by_reference && aligned
					 ? LLVMGetEnumAttributeValue(aligned)
					 : LLVMABIAlignmentOfType(prover->layout, type);

		offset = (offset + align - 1) / align * align;
		if (param == wanted)
			return offset;
		offset += LLVMABISizeOfType(prover->layout, type);
	}
}

/* Walks back over constant steps; *ret is how far the pointer is behind what is returned. */
static LLVMValueRef start_of(LLVMValueRef pointer, int64_t *ret)
{
	*ret = 0;
	while (LLVMIsAGetElementPtrInst(pointer)) {
		int64_t step = 0;

		if (!probe_shim_gep_offset(pointer, &step))
			break;
		*ret += step;
		pointer = LLVMGetOperand(pointer, 0);
	}
	return pointer;
}

/*
 * Where an integer is loaded from: behind a pointer, *ret bytes. What lies side by side is loaded
 * together. NULL: it is not.
 */
static LLVMValueRef loaded_from(LLVMValueRef value, int64_t *ret)
{
	LLVMValueRef load = value, pointer;
	int64_t element = 0;

	if (LLVMIsAExtractElementInst(value)) {
		load = LLVMGetOperand(value, 0);
		if (!pass_constant_of(LLVMGetOperand(value, 1), &element) ||
		    LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMIntegerTypeKind)
			return NULL;
	}
	if (!LLVMIsALoadInst(load))
		return NULL;
	pointer = start_of(LLVMGetOperand(load, 0), ret);
	if (load != value)
		*ret += element * (LLVMGetIntTypeWidth(LLVMTypeOf(value)) / 8);
	return pointer;
}

bool pass_argument_offset(const struct pass_prover *prover, LLVMValueRef value, uint32_t *ret)
{
	LLVMValueRef param = value;
	int64_t field = 0;

	if (!prover->kernel)
		return false;
	if (LLVMIsALoadInst(value) || LLVMIsAExtractElementInst(value)) {
		param = loaded_from(value, &field);
		if (!param || !LLVMIsAArgument(param) || field < 0 ||
		    LLVMGetTypeKind(LLVMTypeOf(param)) != LLVMPointerTypeKind ||
		    LLVMGetPointerAddressSpace(LLVMTypeOf(param)) != PROBE_SPACE_CONSTANT)
			return false;
		for (unsigned i = 0; i < LLVMCountParams(prover->function); i++)
			if (LLVMGetParam(prover->function, i) == param &&
			    !attribute(prover, i, "byref"))
				return false;
	} else if (!LLVMIsAArgument(value)) {
		return false;
	}
	field += (int64_t)offset_of(prover, param);
	*ret = (uint32_t)field;
	return field < UINT32_MAX;
}

static bool argument_of(const struct pass_prover *prover, LLVMValueRef value,
			struct pass_stride *ret)
{
	if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMIntegerTypeKind ||
	    !pass_argument_offset(prover, value, &ret->offset))
		return false;
	ret->bits = LLVMGetIntTypeWidth(LLVMTypeOf(value));
	return ret->bits == 32 || ret->bits == 64;
}

bool pass_is_intrinsic(LLVMValueRef value, const char *want)
{
	LLVMValueRef callee =
		LLVMIsACallInst(value) ? LLVMIsAFunction(LLVMGetCalledValue(value)) : NULL;
	size_t size;
	const char *name = callee ? LLVMGetValueName2(callee, &size) : NULL;

	return name && size >= strlen(want) && !strncmp(name, want, strlen(want));
}

/* Workgroup sizes and grid sizes, where the dispatch packet has them. */
static bool launch_of(LLVMValueRef value, struct pass_stride *ret)
{
	static const struct {
		uint32_t offset, bits;
	} fields[] = {{4, 16}, {6, 16}, {8, 16}, {12, 32}, {16, 32}, {20, 32}};
	LLVMValueRef pointer;
	int64_t offset;

	if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMIntegerTypeKind)
		return false;
	pointer = loaded_from(value, &offset);
	if (!pointer || !pass_is_intrinsic(pointer, "llvm.amdgcn.dispatch.ptr"))
		return false;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		if (fields[i].offset == offset &&
		    fields[i].bits == LLVMGetIntTypeWidth(LLVMTypeOf(value))) {
			ret->offset = fields[i].offset;
			ret->bits = fields[i].bits | PROBE_STRIDE_LAUNCH;
			return true;
		}
	return false;
}

static bool is_difference(LLVMValueRef value)
{
	return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == LLVMSub;
}

/* A constant operand of an addition, multiplication or shift to the left: what it makes of *ret. */
static bool apply(LLVMOpcode op, int64_t number, struct pass_stride *ret)
{
	switch (op) {
	case LLVMAdd:
		ret->constant = pass_wrap_add(ret->constant, number);
		return true;
	case LLVMSub:
		ret->constant = pass_wrap_add(ret->constant, pass_wrap_mul(number, -1));
		return true;
	case LLVMShl:
		if (number < 0 || number > 30)
			return false;
		number = (int64_t)1 << number;
		break;
	case LLVMMul:
		break;
	default:
		return false;
	}
	ret->constant = pass_wrap_mul(ret->constant, number);
	ret->factor = pass_wrap_mul(ret->factor, number);
	return ret->factor;
}

/*
 * What a uniform value is that stays the same while a kernel runs, through widenings and cuts.
 * HIP's blockDim is the smaller of the workgroup's size and what is left of the grid; where these
 * differ, in launches with cut-off workgroups, nobody reckons with proofs. A sum that is widened
 * with zeros may have wrapped: nothing is said of that.
 */
bool pass_factor_of(const struct pass_prover *prover, LLVMValueRef value, struct pass_stride *ret)
{
	uint32_t zeros = 0;
	int64_t number;

	while (LLVMIsASExtInst(value) || LLVMIsAZExtInst(value) || LLVMIsATruncInst(value) ||
	       LLVMIsAFreezeInst(value)) {
		zeros = LLVMIsAZExtInst(value) ? PROBE_STRIDE_UNSIGNED : zeros;
		value = LLVMGetOperand(value, 0);
	}
	if (pass_is_intrinsic(value, "llvm.umin.") && is_difference(LLVMGetOperand(value, 0)))
		return pass_factor_of(prover, LLVMGetOperand(value, 1), ret);
	if (LLVMIsABinaryOperator(value) && !zeros &&
	    pass_constant_of(LLVMGetOperand(value, 1), &number))
		return pass_factor_of(prover, LLVMGetOperand(value, 0), ret) &&
		       apply(LLVMGetInstructionOpcode(value), number, ret);
	*ret = (struct pass_stride){.factor = 1, .value = value};
	if (!argument_of(prover, value, ret))
		return launch_of(value, ret);
	ret->bits |= zeros;
	return true;
}

static bool is_group_id(LLVMValueRef value, int axis)
{
	char name[] = "llvm.amdgcn.workgroup.id.x";

	name[sizeof(name) - 2] = (char)('x' + axis);
	return pass_is_intrinsic(value, name);
}

/* group * size, of one axis? */
static bool is_group_start(const struct pass_prover *prover, LLVMValueRef value, int axis)
{
	struct pass_stride size;

	if (!LLVMIsAInstruction(value) || LLVMGetInstructionOpcode(value) != LLVMMul)
		return false;
	for (unsigned turn = 0; turn < 2; turn++)
		if (is_group_id(LLVMGetOperand(value, turn), axis) &&
		    pass_factor_of(prover, LLVMGetOperand(value, 1 - turn), &size) &&
		    size.bits == (PROBE_STRIDE_LAUNCH | 16) && size.factor == 1 && !size.constant &&
		    size.offset == 4 + 2 * (uint32_t)axis)
			return true;
	return false;
}

/* A 32-bit value is below this. */
static uint64_t bound(const struct pass_prover *prover, LLVMValueRef value)
{
	for (int axis = 0; axis < 3 && prover->bounded; axis++) {
		if (is_group_id(value, axis))
			return PROBE_REGULAR_GROUPS;
		if (is_group_start(prover, value, axis))
			return PROBE_REGULAR_GRID;
	}
	return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind &&
			       LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 32
		       ? 1ull << (32 - probe_shim_leading_zeros(value))
		       : UINT32_MAX;
}

/* Not negative, or bits of an id that is there as often as they are taken away? */
static bool is_part(const struct pass_pattern *form, const struct pass_digit *digit)
{
	int64_t sum = 0;

	if (digit->times >= 0)
		return true;
	for (unsigned i = 0; i < form->digits; i++)
		sum += form->digit[i].times < 0 ? form->digit[i].times : 0;
	return form->stride[digit->axis].constant + sum >= 0;
}

bool pass_is_small(const struct pass_prover *prover, const struct pass_pattern *form, bool zeros)
{
	const int64_t limit = 1ll << 31;
	int64_t sum = form->constant < 0 ? -form->constant : form->constant;

	if (!form->leaves_known || sum < 0 || sum >= limit || (zeros && form->constant < 0))
		return false;
	for (int i = 0; i < 3; i++) {
		int64_t each = form->stride[i].constant;

		if (form->stride[i].factor || (zeros && each < 0) || each <= -limit ||
		    each >= limit)
			return false;
		sum += (each < 0 ? -each : each) * 1023;
	}
	for (unsigned i = 0; i < form->digits; i++) {
		const struct pass_digit *digit = &form->digit[i];
		int64_t most = 1023 >> digit->shift;

		if ((zeros && !is_part(form, digit)) || digit->times <= -limit ||
		    digit->times >= limit || sum >= limit)
			return false;
		most = most < digit->mask ? most : digit->mask;
		sum += (digit->times < 0 ? -digit->times : digit->times) * most;
	}
	for (unsigned i = 0; i < form->leaves; i++) {
		int64_t times = form->leaf[i].times;

		if ((zeros && times < 0) || times <= -limit || times >= limit || sum >= limit)
			return false;
		times = times < 0 ? -times : times;
		if (__builtin_mul_overflow(times, (int64_t)bound(prover, form->leaf[i].value),
					   &times))
			return false;
		sum += times;
	}
	return sum < limit;
}
