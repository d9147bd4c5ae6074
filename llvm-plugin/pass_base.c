/* SPDX-License-Identifier: MIT */
/*
 * A walk down the operands of an address, writing what the host has to do. Sums, products and
 * bitwise operations keep the lowest seven bits a function of the operands' lowest seven, so that
 * ids of workgroups matter modulo 128 only; operations that do not are for numbers of the launch
 * that are the same in all waves. Conditions of branches are exact, and so are
 * addresses lane by lane: there everything is allowed, but where variables lie is not known.
 */
#include "pass_base_parts.h"

#include "pass_pattern.h"
#include "pass_shim.h"

bool pass_base_put(struct base_walk *w, struct probe_expr_op op, int more)
{
	w->stack = (unsigned)((int)w->stack + more);
	if (w->base->ops == PASS_BASE_OPS || w->stack > PROBE_EXPR_STACK)
		return false;
	w->base->op[w->base->ops++] = op;
	return true;
}

bool pass_base_put_constant(struct base_walk *w, int64_t value, uint8_t bits)
{
	return pass_base_put(
		w,
		(struct probe_expr_op){.code = PROBE_EXPR_CONSTANT, .bits = bits, .value = value},
		1);
}

bool pass_base_put_simple(struct base_walk *w, enum probe_expr_code code, uint8_t bits, int more)
{
	return pass_base_put(w, (struct probe_expr_op){.code = (uint8_t)code, .bits = bits}, more);
}

/* 0 = it is no operation. */
static LLVMOpcode opcode_of(LLVMValueRef value)
{
	if (LLVMIsAInstruction(value))
		return LLVMGetInstructionOpcode(value);
	return LLVMIsAConstantExpr(value) ? LLVMGetConstOpcode(value) : (LLVMOpcode)0;
}

/* 32 or 64; 0 = a number of another width. */
uint8_t pass_base_bits(const struct base_walk *w, LLVMValueRef value)
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
	enum probe_expr_code code;
} binaries[] = {
	{LLVMAdd, PROBE_EXPR_ADD},   {LLVMSub, PROBE_EXPR_SUB},	  {LLVMMul, PROBE_EXPR_MUL},
	{LLVMAnd, PROBE_EXPR_AND},   {LLVMOr, PROBE_EXPR_OR},	  {LLVMXor, PROBE_EXPR_XOR},
	{LLVMShl, PROBE_EXPR_SHL},   {LLVMLShr, PROBE_EXPR_LSHR}, {LLVMAShr, PROBE_EXPR_ASHR},
	{LLVMUDiv, PROBE_EXPR_UDIV}, {LLVMSDiv, PROBE_EXPR_SDIV}, {LLVMURem, PROBE_EXPR_UREM},
	{LLVMSRem, PROBE_EXPR_SREM},
};

static const struct {
	const char *name;
	enum probe_expr_code code;
} calls[] = {
	{"llvm.umin.", PROBE_EXPR_UMIN},
	{"llvm.umax.", PROBE_EXPR_UMAX},
	{"llvm.smin.", PROBE_EXPR_SMIN},
	{"llvm.smax.", PROBE_EXPR_SMAX},
};

enum probe_expr_code pass_base_binary(LLVMOpcode opcode)
{
	for (size_t i = 0; i < sizeof(binaries) / sizeof(binaries[0]); i++)
		if (binaries[i].opcode == opcode)
			return binaries[i].code;
	return PROBE_EXPR_CODES;
}

enum probe_expr_code pass_base_call(LLVMValueRef value)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (pass_is_intrinsic(value, calls[i].name))
			return calls[i].code;
	return PROBE_EXPR_CODES;
}

static bool walk_binary(struct base_walk *w, LLVMValueRef value, enum probe_expr_code code,
			unsigned depth, bool *ret_ids)
{
	bool left, right;
	int64_t by;

	if (!pass_base_walk(w, LLVMGetOperand(value, 0), depth + 1, &left))
		return false;
	/* By ids, bits would move by more than there are. */
	if ((code == PROBE_EXPR_SHL || code == PROBE_EXPR_LSHR || code == PROBE_EXPR_ASHR) &&
	    !w->exact && (!pass_constant_of(LLVMGetOperand(value, 1), &by) || by < 0 || by > 63))
		return false;
	if (!pass_base_walk(w, LLVMGetOperand(value, 1), depth + 1, &right))
		return false;
	*ret_ids = left || right;
	if (code >= PROBE_EXPR_LSHR && *ret_ids && !w->exact)
		return false;
	return pass_base_put_simple(w, code, pass_base_bits(w, value), -1);
}

static bool walk_id(struct base_walk *w, LLVMValueRef value, bool *ret_ids)
{
	static const struct {
		const char *name;
		uint8_t code;
		uint16_t axis;
	} ids[] = {
		{"llvm.amdgcn.workgroup.id.x", PROBE_EXPR_GROUP, 0},
		{"llvm.amdgcn.workgroup.id.y", PROBE_EXPR_GROUP, 1},
		{"llvm.amdgcn.workgroup.id.z", PROBE_EXPR_GROUP, 2},
		{"llvm.amdgcn.workitem.id.x", PROBE_EXPR_ITEM, 0},
		{"llvm.amdgcn.workitem.id.y", PROBE_EXPR_ITEM, 1},
		{"llvm.amdgcn.workitem.id.z", PROBE_EXPR_ITEM, 2},
	};

	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		if (pass_is_intrinsic(value, ids[i].name)) {
			*ret_ids = true;
			return pass_base_put(w,
					     (struct probe_expr_op){.code = ids[i].code,
								    .bits = 32,
								    .index = ids[i].axis},
					     1);
		}
	return false;
}

/* A size of the launch, in any width: it is small and has no sign. */
static bool put_packet(struct base_walk *w, LLVMValueRef value)
{
	struct pass_stride field = {0};

	return pass_factor_of(w->prover, value, &field) && field.bits & PROBE_STRIDE_LAUNCH &&
	       field.factor == 1 && !field.constant &&
	       pass_base_put(w,
			     (struct probe_expr_op){
				     .code = PROBE_EXPR_PACKET, .bits = 64, .offset = field.offset},
			     1);
}

static bool walk_call(struct base_walk *w, LLVMValueRef value, unsigned depth, bool *ret_ids)
{
	enum probe_expr_code code;

	if (walk_id(w, value, ret_ids))
		return true;
	/* HIP's blockDim. */
	if (pass_is_intrinsic(value, "llvm.umin.") && put_packet(w, value))
		return true;
	code = pass_base_call(value);
	return code != PROBE_EXPR_CODES && walk_binary(w, value, code, depth, ret_ids);
}

static bool walk_cast(struct base_walk *w, LLVMValueRef value, unsigned depth, bool *ret_ids)
{
	LLVMValueRef from = LLVMGetOperand(value, 0);
	LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
	uint8_t to = pass_base_bits(w, value), had = pass_base_bits(w, from);

	if (opcode == LLVMZExt && w->exact && pass_base_is_truth(from)) {
		*ret_ids = true;
		return pass_base_walk_truth(w, from, depth + 1);
	}
	/* The packet's 16 bits. */
	if (opcode == LLVMZExt && !had)
		return put_packet(w, from);
	if (!to || !had || !pass_base_walk(w, from, depth + 1, ret_ids))
		return false;
	if (to == had)
		return true;
	return pass_base_put_simple(w,
				    opcode == LLVMSExt ? PROBE_EXPR_SEXT
				    : to == 64	       ? PROBE_EXPR_ZEXT
						       : PROBE_EXPR_TRUNC,
				    to, 0);
}

/* index * each + fixed, added to the address. */
static bool walk_index(struct base_walk *w, LLVMValueRef index, int64_t each, int64_t fixed,
		       unsigned depth, bool *ret_ids)
{
	bool ids = false;
	int64_t number;

	if (each && pass_constant_of(index, &number)) {
		fixed = pass_wrap_add(fixed, pass_wrap_mul(number, each));
		each = 0;
	}
	if (fixed && (!pass_base_put_constant(w, fixed, 64) ||
		      !pass_base_put_simple(w, PROBE_EXPR_ADD, 64, -1)))
		return false;
	if (!each)
		return true;
	if (!pass_base_bits(w, index) || !pass_base_walk(w, index, depth + 1, &ids) ||
	    (pass_base_bits(w, index) == 32 && !pass_base_put_simple(w, PROBE_EXPR_SEXT, 64, 0)) ||
	    !pass_base_put_constant(w, each, 64) ||
	    !pass_base_put_simple(w, PROBE_EXPR_MUL, 64, -1) ||
	    !pass_base_put_simple(w, PROBE_EXPR_ADD, 64, -1))
		return false;
	*ret_ids |= ids;
	return true;
}

static bool walk_gep(struct base_walk *w, LLVMValueRef value, unsigned depth, bool *ret_ids)
{
	LLVMTypeRef type = LLVMGetGEPSourceElementType(value);
	unsigned operands = (unsigned)LLVMGetNumOperands(value);

	/* Of those of 32 bits only the lower half counts, in the end. */
	if ((pass_base_bits(w, value) != 64 && !w->exact) ||
	    !pass_base_walk(w, LLVMGetOperand(value, 0), depth + 1, ret_ids))
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

static bool walk_extend(struct base_walk *w, LLVMValueRef value, int64_t right, unsigned depth,
			bool *ret_ids)
{
	LLVMValueRef from = LLVMGetOperand(LLVMGetOperand(value, 0), 0);
	bool sign = LLVMGetInstructionOpcode(value) == LLVMAShr;

	return pass_base_bits(w, value) == 64 && pass_base_walk(w, from, depth + 1, ret_ids) &&
	       pass_base_put_simple(w, PROBE_EXPR_TRUNC, 32, 0) &&
	       pass_base_put_simple(w, sign ? PROBE_EXPR_SEXT : PROBE_EXPR_ZEXT, 64, 0) &&
	       pass_base_put_constant(w, 32 - right, 64) &&
	       pass_base_put_simple(w, PROBE_EXPR_SHL, 64, -1);
}

static bool walk_any(struct base_walk *w, LLVMValueRef value, unsigned depth)
{
	bool ids;

	return pass_base_walk(w, value, depth, &ids);
}

static bool walk_instruction(struct base_walk *w, LLVMValueRef value, unsigned depth, bool *ret_ids)
{
	LLVMOpcode opcode = opcode_of(value);
	enum probe_expr_code code;
	int64_t right;
	bool ids;

	switch (opcode) {
	case LLVMSelect:
		*ret_ids = true;
		return w->exact && pass_base_walk_truth(w, LLVMGetOperand(value, 0), depth + 1) &&
		       pass_base_walk(w, LLVMGetOperand(value, 1), depth + 1, &ids) &&
		       pass_base_walk(w, LLVMGetOperand(value, 2), depth + 1, &ids) &&
		       pass_base_put_simple(w, PROBE_EXPR_SELECT, pass_base_bits(w, value), -2);
	case LLVMLShr:
	case LLVMAShr:
		if (is_extend(value, &right))
			return walk_extend(w, value, right, depth, ret_ids);
		break;
	case LLVMPHI:
		*ret_ids = true;
		return pass_base_walk_ways(w, value, walk_any, pass_base_bits(w, value), depth);
	case LLVMCall:
		return walk_call(w, value, depth, ret_ids);
	case LLVMLoad:
		return put_packet(w, value);
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
	code = pass_base_binary(opcode);
	return code != PROBE_EXPR_CODES && pass_base_bits(w, value) &&
	       walk_binary(w, value, code, depth, ret_ids);
}

/*
 * Of variables it is known only how they are aligned. In LDS it does not matter where one lies
 * (pass_plan_exact.c), if all lanes use the same.
 */
static bool may_be_zero(struct base_walk *w, LLVMValueRef variable)
{
	unsigned align = LLVMGetAlignment(variable);

	if (w->exact) {
		if (variable != w->variable)
			return false;
		/* Once: elsewhere it is a number. */
		w->variable = NULL;
		if (LLVMGetPointerAddressSpace(LLVMTypeOf(variable)) == PROBE_SPACE_LDS)
			return true;
	}
	return align && align % 128 == 0;
}

/* What is used by more than one, unless putting it again is as short. */
static bool walk_noted(struct base_walk *w, LLVMValueRef value, unsigned depth, bool *ret_ids)
{
	unsigned before = w->base->ops;
	LLVMUseRef use = LLVMGetFirstUse(value);
	struct probe_expr_op keep = {.code = PROBE_EXPR_KEEP, .bits = 64};

	if (!walk_instruction(w, value, depth, ret_ids))
		return false;
	if (!w->noting || w->base->ops < before + 3 || !use || !LLVMGetNextUse(use) ||
	    w->notes == PROBE_EXPR_NOTES ||
	    LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMIntegerTypeKind)
		return true;
	keep.index = (uint16_t)w->notes;
	w->note[w->notes++] = value;
	return pass_base_put(w, keep, 0);
}

bool pass_base_walk(struct base_walk *w, LLVMValueRef value, unsigned depth, bool *ret_ids)
{
	uint8_t bits = pass_base_bits(w, value);
	struct probe_expr_op op = {.code = PROBE_EXPR_ARGUMENT, .bits = bits};
	int64_t number;

	*ret_ids = false;
	if (depth > 32 || !bits)
		/* The packet's 16 bits are widened: see walk_cast(). */
		return false;
	if (pass_constant_of(value, &number))
		return pass_base_put_constant(w, number, bits);
	if (pass_argument_offset(w->prover, value, &op.offset))
		return op.offset + bits / 8u <= PROBE_ARGUMENTS_MAX && pass_base_put(w, op, 1);
	if (LLVMIsAGlobalVariable(value))
		return may_be_zero(w, value) && pass_base_put_constant(w, 0, bits);
	for (unsigned i = 0; i < w->notes; i++)
		if (w->note[i] == value) {
			*ret_ids = true;
			op.code = PROBE_EXPR_KEPT;
			op.index = (uint16_t)i;
			return pass_base_put(w, op, 1);
		}
	return opcode_of(value) && walk_noted(w, value, depth, ret_ids);
}

/* ---- Conditions ----------------------------------------------------------------------------- */

bool pass_base_of_branch(const struct pass_prover *prover, LLVMValueRef branch, bool other,
			 struct pass_base *ret)
{
	struct base_walk w = {.prover = prover, .base = ret, .exact = true};

	ret->ops = 0;
	return pass_base_walk_truth(&w, LLVMGetCondition(branch), 0) &&
	       (!other || (pass_base_put_constant(&w, 1, 32) &&
			   pass_base_put_simple(&w, PROBE_EXPR_XOR, 32, -1)));
}

/* v == number, or v != number and what is on the stack. */
static bool put_case(struct base_walk *w, LLVMValueRef value, LLVMValueRef number, bool other)
{
	enum probe_expr_code code = other ? PROBE_EXPR_NE : PROBE_EXPR_EQ;

	return walk_any(w, value, 0) && walk_any(w, number, 0) &&
	       pass_base_put_simple(w, code, pass_base_bits(w, value), -1) &&
	       (!other || pass_base_put_simple(w, PROBE_EXPR_AND, 32, -1));
}

bool pass_base_of_switch(const struct pass_prover *prover, LLVMValueRef inst,
			 LLVMBasicBlockRef successor, struct pass_base *ret)
{
	struct base_walk w = {.prover = prover, .base = ret, .exact = true};
	LLVMValueRef value = LLVMGetOperand(inst, 0);
	bool other = LLVMGetSuccessor(inst, 0) == successor;

	ret->ops = 0;
	if (other && !pass_base_put_constant(&w, 1, 32))
		return false;
	for (unsigned i = 1; i < LLVMGetNumSuccessors(inst); i++)
		if ((other || LLVMGetSuccessor(inst, i) == successor) &&
		    !put_case(&w, value, LLVMGetOperand(inst, 2 * i), other))
			return false;
	return true;
}

bool pass_base_of(const struct pass_prover *prover, LLVMValueRef pointer, struct pass_base *ret)
{
	struct base_walk w = {.prover = prover, .base = ret};
	bool ids;

	ret->ops = 0;
	return pass_base_bits(&w, pointer) == 64 && pass_base_walk(&w, pointer, 0, &ids);
}

/* Do nothing but constant steps, casts and indices lie between a pointer and a variable? */
static LLVMValueRef variable_of(LLVMValueRef pointer)
{
	while (opcode_of(pointer) == LLVMGetElementPtr || opcode_of(pointer) == LLVMBitCast)
		pointer = LLVMGetOperand(pointer, 0);
	return LLVMIsAGlobalVariable(pointer);
}

bool pass_base_of_lanes(const struct pass_prover *prover, LLVMValueRef pointer,
			struct pass_base *ret)
{
	struct base_walk w = {
		.prover = prover,
		.base = ret,
		.exact = true,
		.noting = true,
		.variable = variable_of(pointer),
	};

	ret->ops = 0;
	return walk_any(&w, pointer, 0);
}
