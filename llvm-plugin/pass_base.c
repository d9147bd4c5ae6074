/* SPDX-License-Identifier: MIT */
/*
 * A walk down the operands of an address, writing what the host has to do. Sums, products and
 * bitwise operations keep the lowest seven bits a function of the operands' lowest seven, so that
 * ids of workgroups matter modulo 128 only; operations that do not are for numbers of the launch
 * that are the same in all waves. Conditions of branches are exact: there everything is allowed,
 * but addresses of variables are not known.
 */
#include "pass_base.h"

#include "pass_pattern.h"
#include "pass_prove_parts.h"

struct walk {
	const struct pass_prover *prover;
	struct pass_base *base;
	unsigned stack; /* numbers on it */
	bool exact;
	bool moves; /* exact: what bits are moved by may be any number */
};

static bool walk(struct walk *w, LLVMValueRef value, unsigned depth, bool *ret_ids);
static bool walk_truth(struct walk *w, LLVMValueRef value, unsigned depth);

static bool put(struct walk *w, struct probe_base_op op, int more)
{
	w->stack = (unsigned)((int)w->stack + more);
	if (w->base->ops == PASS_BASE_OPS || w->stack > PROBE_BASE_STACK)
		return false;
	w->base->op[w->base->ops++] = op;
	return true;
}

static bool put_constant(struct walk *w, int64_t value, uint8_t bits)
{
	return put(
		w,
		(struct probe_base_op){.code = PROBE_BASE_CONSTANT, .bits = bits, .value = value},
		1);
}

static bool put_simple(struct walk *w, enum probe_base_code code, uint8_t bits, int more)
{
	return put(w, (struct probe_base_op){.code = (uint8_t)code, .bits = bits}, more);
}

/* 32 or 64; 0 = a number of another width. */
static uint8_t bits_of(const struct walk *w, LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	unsigned bits = 0;

	if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind)
		bits = LLVMGetIntTypeWidth(type);
	if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
		bits = 8 *
		       LLVMPointerSizeForAS(w->prover->layout, LLVMGetPointerAddressSpace(type));
	return bits == 32 || bits == 64 ? (uint8_t)bits : 0;
}

static const struct {
	LLVMOpcode opcode;
	enum probe_base_code code;
} binaries[] = {
	{LLVMAdd, PROBE_BASE_ADD},   {LLVMSub, PROBE_BASE_SUB},	  {LLVMMul, PROBE_BASE_MUL},
	{LLVMAnd, PROBE_BASE_AND},   {LLVMOr, PROBE_BASE_OR},	  {LLVMXor, PROBE_BASE_XOR},
	{LLVMShl, PROBE_BASE_SHL},   {LLVMLShr, PROBE_BASE_LSHR}, {LLVMAShr, PROBE_BASE_ASHR},
	{LLVMUDiv, PROBE_BASE_UDIV}, {LLVMSDiv, PROBE_BASE_SDIV}, {LLVMURem, PROBE_BASE_UREM},
	{LLVMSRem, PROBE_BASE_SREM},
};

static const struct {
	const char *name;
	enum probe_base_code code;
} calls[] = {
	{"llvm.umin.", PROBE_BASE_UMIN},
	{"llvm.umax.", PROBE_BASE_UMAX},
	{"llvm.smin.", PROBE_BASE_SMIN},
	{"llvm.smax.", PROBE_BASE_SMAX},
};

static bool walk_binary(struct walk *w, LLVMValueRef value, enum probe_base_code code,
			unsigned depth, bool *ret_ids)
{
	bool left, right;
	int64_t by;

	if (!walk(w, LLVMGetOperand(value, 0), depth + 1, &left))
		return false;
	/* By ids, bits would move by more than there are. */
	if (!w->moves &&
	    (code == PROBE_BASE_SHL || code == PROBE_BASE_LSHR || code == PROBE_BASE_ASHR) &&
	    (!pass_constant_of(LLVMGetOperand(value, 1), &by) || by < 0 || by > 63))
		return false;
	if (!walk(w, LLVMGetOperand(value, 1), depth + 1, &right))
		return false;
	*ret_ids = left || right;
	if (code >= PROBE_BASE_LSHR && *ret_ids && !w->exact)
		return false;
	return put_simple(w, code, bits_of(w, value), -1);
}

static bool walk_id(struct walk *w, LLVMValueRef value, bool *ret_ids)
{
	static const struct {
		const char *name;
		uint8_t code;
		uint16_t axis;
	} ids[] = {
		{"llvm.amdgcn.workgroup.id.x", PROBE_BASE_GROUP, 0},
		{"llvm.amdgcn.workgroup.id.y", PROBE_BASE_GROUP, 1},
		{"llvm.amdgcn.workgroup.id.z", PROBE_BASE_GROUP, 2},
		{"llvm.amdgcn.workitem.id.x", PROBE_BASE_ITEM, 0},
		{"llvm.amdgcn.workitem.id.y", PROBE_BASE_ITEM, 1},
		{"llvm.amdgcn.workitem.id.z", PROBE_BASE_ITEM, 2},
	};

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		if (pass_is_intrinsic(value, ids[i].name)) {
			*ret_ids = true;
			return put(w,
				   (struct probe_base_op){
					   .code = ids[i].code, .bits = 32, .index = ids[i].axis},
				   1);
		}
	return false;
}

/* A size of the launch, in any width: it is small and has no sign. */
static bool put_packet(struct walk *w, LLVMValueRef value)
{
	struct pass_stride field = {0};

	return pass_factor_of(w->prover, value, &field) && field.bits & PROBE_STRIDE_LAUNCH &&
	       field.factor == 1 && !field.constant &&
	       put(w,
		   (struct probe_base_op){
			   .code = PROBE_BASE_PACKET, .bits = 64, .offset = field.offset},
		   1);
}

static bool walk_call(struct walk *w, LLVMValueRef value, unsigned depth, bool *ret_ids)
{
	if (walk_id(w, value, ret_ids))
		return true;
	/* HIP's blockDim. */
	if (pass_is_intrinsic(value, "llvm.umin.") && put_packet(w, value))
		return true;
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (pass_is_intrinsic(value, calls[i].name))
			return walk_binary(w, value, calls[i].code, depth, ret_ids);
	return false;
}

static bool is_truth(LLVMValueRef value)
{
	return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind &&
	       LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 1;
}

static bool walk_cast(struct walk *w, LLVMValueRef value, unsigned depth, bool *ret_ids)
{
	LLVMValueRef from = LLVMGetOperand(value, 0);
	LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
	uint8_t to = bits_of(w, value), had = bits_of(w, from);

	if (opcode == LLVMZExt && w->exact && is_truth(from)) {
		*ret_ids = true;
		return walk_truth(w, from, depth + 1);
	}
	/* The packet's 16 bits. */
	if (opcode == LLVMZExt && !had)
		return put_packet(w, from);
	if (!to || !had || !walk(w, from, depth + 1, ret_ids))
		return false;
	if (to == had)
		return true;
	return put_simple(w,
			  opcode == LLVMSExt ? PROBE_BASE_SEXT
			  : to == 64	     ? PROBE_BASE_ZEXT
					     : PROBE_BASE_TRUNC,
			  to, 0);
}

/* index * each + fixed, added to the address. */
static bool walk_index(struct walk *w, LLVMValueRef index, int64_t each, int64_t fixed,
		       unsigned depth, bool *ret_ids)
{
	bool ids = false;
	int64_t number;

	if (each && pass_constant_of(index, &number)) {
		fixed = pass_wrap_add(fixed, pass_wrap_mul(number, each));
		each = 0;
	}
	if (fixed && (!put_constant(w, fixed, 64) || !put_simple(w, PROBE_BASE_ADD, 64, -1)))
		return false;
	if (!each)
		return true;
	if (!bits_of(w, index) || !walk(w, index, depth + 1, &ids) ||
	    (bits_of(w, index) == 32 && !put_simple(w, PROBE_BASE_SEXT, 64, 0)) ||
	    !put_constant(w, each, 64) || !put_simple(w, PROBE_BASE_MUL, 64, -1) ||
	    !put_simple(w, PROBE_BASE_ADD, 64, -1))
		return false;
	*ret_ids |= ids;
	return true;
}

static bool walk_gep(struct walk *w, LLVMValueRef value, unsigned depth, bool *ret_ids)
{
	LLVMTypeRef type = LLVMGetGEPSourceElementType(value);
	unsigned operands = (unsigned)LLVMGetNumOperands(value);

	if (bits_of(w, value) != 64 || !walk(w, LLVMGetOperand(value, 0), depth + 1, ret_ids))
		return false;
	for (unsigned i = 1; i < operands; i++) {
		LLVMValueRef index = LLVMGetOperand(value, i);
		int64_t each, fixed;

		if (!pass_index_step(w->prover->layout, &type, index, i == 1, &each, &fixed) ||
		    !walk_index(w, index, each, fixed, depth, ret_ids))
			return false;
	}
	return true;
}

/* (x << 32) >> n: the low half of x, widened, and shifted up again by 32 - n. */
static bool is_extend(LLVMValueRef value, int64_t *ret_right)
{
	LLVMValueRef up = LLVMGetOperand(value, 0);
	int64_t left;

	return LLVMIsAInstruction(up) && LLVMGetInstructionOpcode(up) == LLVMShl &&
	       pass_constant_of(LLVMGetOperand(up, 1), &left) && left == 32 &&
	       pass_constant_of(LLVMGetOperand(value, 1), ret_right) && *ret_right >= 1 &&
	       *ret_right <= 32;
}

static bool walk_extend(struct walk *w, LLVMValueRef value, int64_t right, unsigned depth,
			bool *ret_ids)
{
	LLVMValueRef from = LLVMGetOperand(LLVMGetOperand(value, 0), 0);
	bool sign = LLVMGetInstructionOpcode(value) == LLVMAShr;

	return bits_of(w, value) == 64 && walk(w, from, depth + 1, ret_ids) &&
	       put_simple(w, PROBE_BASE_TRUNC, 32, 0) &&
	       put_simple(w, sign ? PROBE_BASE_SEXT : PROBE_BASE_ZEXT, 64, 0) &&
	       put_constant(w, 32 - right, 64) && put_simple(w, PROBE_BASE_SHL, 64, -1);
}

static bool walk_instruction(struct walk *w, LLVMValueRef value, unsigned depth, bool *ret_ids)
{
	LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
	int64_t right;
	bool ids;

	switch (opcode) {
	case LLVMSelect:
		*ret_ids = true;
		return w->exact && walk_truth(w, LLVMGetOperand(value, 0), depth + 1) &&
		       walk(w, LLVMGetOperand(value, 1), depth + 1, &ids) &&
		       walk(w, LLVMGetOperand(value, 2), depth + 1, &ids) &&
		       put_simple(w, PROBE_BASE_SELECT, bits_of(w, value), -2);
	case LLVMLShr:
	case LLVMAShr:
		if (is_extend(value, &right))
			return walk_extend(w, value, right, depth, ret_ids);
		break;
	case LLVMCall:
		return walk_call(w, value, depth, ret_ids);
	case LLVMLoad:
	case LLVMExtractElement:
		return put_packet(w, value);
	case LLVMGetElementPtr:
		return walk_gep(w, value, depth, ret_ids);
	case LLVMZExt:
	case LLVMSExt:
	case LLVMTrunc:
	case LLVMBitCast:
	case LLVMFreeze:
	case LLVMIntToPtr:
	case LLVMPtrToInt:
	case LLVMAddrSpaceCast:
		return walk_cast(w, value, depth, ret_ids);
	default:
		break;
	}
	for (size_t i = 0; i < sizeof(binaries) / sizeof(binaries[0]); i++)
		if (binaries[i].opcode == opcode)
			return bits_of(w, value) &&
			       walk_binary(w, value, binaries[i].code, depth, ret_ids);
	return false;
}

static bool walk(struct walk *w, LLVMValueRef value, unsigned depth, bool *ret_ids)
{
	uint8_t bits = bits_of(w, value);
	struct probe_base_op op = {.code = PROBE_BASE_ARGUMENT, .bits = bits};
	int64_t number;

	*ret_ids = false;
	if (depth > 32 || !bits)
		/* The packet's 16 bits are widened: see walk_cast(). */
		return false;
	if (pass_constant_of(value, &number))
		return put_constant(w, number, bits);
	if (pass_argument_offset(w->prover, value, &op.offset))
		return put(w, op, 1);
	/* Of variables it is known only how they are aligned. */
	if (LLVMIsAGlobalVariable(value))
		return !w->exact && LLVMGetAlignment(value) % 128 == 0 && LLVMGetAlignment(value) &&
		       put_constant(w, 0, bits);
	return LLVMIsAInstruction(value) && walk_instruction(w, value, depth, ret_ids);
}

/* ---- Conditions ----------------------------------------------------------------------------- */

static bool walk_comparison(struct walk *w, LLVMValueRef value, unsigned depth)
{
	static const struct {
		LLVMIntPredicate predicate;
		enum probe_base_code code;
		bool turned;
	} codes[] = {
		{LLVMIntEQ, PROBE_BASE_EQ, false},   {LLVMIntNE, PROBE_BASE_NE, false},
		{LLVMIntULT, PROBE_BASE_ULT, false}, {LLVMIntULE, PROBE_BASE_ULE, false},
		{LLVMIntSLT, PROBE_BASE_SLT, false}, {LLVMIntSLE, PROBE_BASE_SLE, false},
		{LLVMIntUGT, PROBE_BASE_ULT, true},  {LLVMIntUGE, PROBE_BASE_ULE, true},
		{LLVMIntSGT, PROBE_BASE_SLT, true},  {LLVMIntSGE, PROBE_BASE_SLE, true},
	};
	uint8_t bits = bits_of(w, LLVMGetOperand(value, 0));
	bool ids;

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]) && bits; i++)
		if (codes[i].predicate == LLVMGetICmpPredicate(value))
			return walk(w, LLVMGetOperand(value, codes[i].turned), depth + 1, &ids) &&
			       walk(w, LLVMGetOperand(value, !codes[i].turned), depth + 1, &ids) &&
			       put_simple(w, codes[i].code, bits, -1);
	return false;
}

static bool walk_truths(struct walk *w, LLVMValueRef value, unsigned operands, unsigned depth)
{
	for (unsigned i = 0; i < operands; i++)
		if (!is_truth(LLVMGetOperand(value, i)) ||
		    !walk_truth(w, LLVMGetOperand(value, i), depth + 1))
			return false;
	return true;
}

/* A number that is 1 or 0. */
static bool walk_truth(struct walk *w, LLVMValueRef value, unsigned depth)
{
	int64_t number;

	if (depth > 32)
		return false;
	if (pass_constant_of(value, &number))
		return put_constant(w, number & 1, 32);
	if (!LLVMIsAInstruction(value))
		return false;
	switch (LLVMGetInstructionOpcode(value)) {
	case LLVMICmp:
		return walk_comparison(w, value, depth);
	case LLVMFreeze:
		return walk_truths(w, value, 1, depth);
	case LLVMAnd:
		return walk_truths(w, value, 2, depth) && put_simple(w, PROBE_BASE_AND, 32, -1);
	case LLVMOr:
		return walk_truths(w, value, 2, depth) && put_simple(w, PROBE_BASE_OR, 32, -1);
	case LLVMXor:
		return walk_truths(w, value, 2, depth) && put_simple(w, PROBE_BASE_XOR, 32, -1);
	case LLVMSelect:
		return walk_truths(w, value, 3, depth) && put_simple(w, PROBE_BASE_SELECT, 32, -2);
	default:
		return false;
	}
}

bool pass_base_of_branch(const struct pass_prover *prover, LLVMValueRef branch, bool other,
			 struct pass_base *ret)
{
	struct walk w = {.prover = prover, .base = ret, .exact = true};

	ret->ops = 0;
	return walk_truth(&w, LLVMGetCondition(branch), 0) &&
	       (!other || (put_constant(&w, 1, 32) && put_simple(&w, PROBE_BASE_XOR, 32, -1)));
}

bool pass_base_of(const struct pass_prover *prover, LLVMValueRef pointer, struct pass_base *ret)
{
	struct walk w = {.prover = prover, .base = ret};
	bool ids;

	ret->ops = 0;
	return bits_of(&w, pointer) == 64 && walk(&w, pointer, 0, &ids);
}

bool pass_base_of_each(const struct pass_prover *prover, LLVMValueRef pointer,
		       struct pass_base *ret)
{
	struct walk w = {.prover = prover, .base = ret, .exact = true, .moves = true};
	bool ids;

	ret->ops = 0;
	return bits_of(&w, pointer) == 64 && walk(&w, pointer, 0, &ids);
}

static bool walk_number(struct walk *w, const struct pass_number *number)
{
	bool ids;

	if (put_packet(w, number->value))
		return true;
	if (!walk(w, number->value, 0, &ids) || ids)
		return false;
	return bits_of(w, number->value) == 64 ||
	       put_simple(w, number->zeros ? PROBE_BASE_ZEXT : PROBE_BASE_SEXT, 64, 0);
}

bool pass_base_of_stride(const struct pass_prover *prover, const struct pass_stride *stride,
			 struct pass_base *ret)
{
	struct walk w = {.prover = prover, .base = ret};

	ret->ops = 0;
	for (unsigned i = 0; i < stride->numbers; i++)
		if (!walk_number(&w, &stride->number[i]) ||
		    (i && !put_simple(&w, PROBE_BASE_MUL, 64, -1)))
			return false;
	return true;
}
