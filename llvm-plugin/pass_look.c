/* SPDX-License-Identifier: MIT */
#include "pass_look.h"

#include <string.h>

/* The id along an axis, as wide as `type`. */
static LLVMValueRef id_of(LLVMBuilderRef builder, LLVMModuleRef module, int axis, LLVMTypeRef type)
{
	char name[] = "llvm.amdgcn.workitem.id.x";
	LLVMValueRef function;

	name[sizeof(name) - 2] = (char)('x' + axis);
	function = LLVMGetIntrinsicDeclaration(
		module, LLVMLookupIntrinsicID(name, sizeof(name) - 1), NULL, 0);
	return LLVMBuildZExtOrBitCast(
		builder,
		LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, NULL, 0, ""),
		type, "");
}

LLVMValueRef pass_look_rest(LLVMBuilderRef builder, const struct pass_guess *guess)
{
	LLVMModuleRef module =
		LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(builder)));
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMTypeRef type = LLVMTypeOf(guess->value);
	LLVMValueRef rest = guess->value;

	if (LLVMGetTypeKind(type) == LLVMPointerTypeKind) {
		bool wide = LLVMPointerSizeForAS(LLVMGetModuleDataLayout(module),
						 LLVMGetPointerAddressSpace(type)) == 8;

		type = wide ? LLVMInt64TypeInContext(context) : LLVMInt32TypeInContext(context);
		rest = LLVMBuildPtrToInt(builder, rest, type, "");
	}
	for (int i = 0; i < 3; i++) {
		LLVMValueRef each = LLVMConstInt(type, (uint64_t)(int64_t)guess->each[i], 1);

		if (guess->each[i])
			rest = LLVMBuildSub(
				builder, rest,
				LLVMBuildMul(builder, id_of(builder, module, i, type), each, ""),
				"");
	}
	return rest;
}

void pass_look_put(struct pass_asm *code, LLVMValueRef rest)
{
	unsigned operand = pass_asm_operand(code, "v", rest);

	if (LLVMGetIntTypeWidth(LLVMTypeOf(rest)) == 64) {
		pass_asm_put(code, "v_lshlrev_b64 v[0:1], 0, $%u", operand);
		pass_asm_put(code, "v_readfirstlane_b32 s4, v0");
		pass_asm_put(code, "v_readfirstlane_b32 s5, v1");
		pass_asm_put(code, "v_cmp_ne_u64 vcc, s[4:5], $%u", operand);
	} else {
		pass_asm_put(code, "v_readfirstlane_b32 s4, $%u", operand);
		pass_asm_put(code, "v_cmp_ne_u32 vcc, s4, $%u", operand);
	}
	pass_asm_put(code, "s_cbranch_vccnz .Lprobe_long${:uid}");
}

static LLVMValueRef number(LLVMValueRef like, int64_t value)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(like));

	return LLVMConstInt(LLVMInt32TypeInContext(context), (uint64_t)value, 1);
}

static LLVMValueRef call_binary(LLVMBuilderRef builder, const char *name, LLVMValueRef a,
				LLVMValueRef b)
{
	LLVMTypeRef i32 = LLVMTypeOf(a);
	LLVMValueRef args[] = {a, b};
	LLVMValueRef function = LLVMGetIntrinsicDeclaration(
		LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInsertBlock(builder))),
		LLVMLookupIntrinsicID(name, strlen(name)), &i32, 1);

	return LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, args, 2, "");
}

/* How far `of` is from `with`, as far as it matters. */
static LLVMValueRef distance(LLVMBuilderRef builder, const struct pass_digit *digit)
{
	LLVMValueRef bias = number(digit->of, PROBE_DIGIT_BIAS), value;

	value = call_binary(builder, "llvm.ssub.sat", digit->with, digit->of);
	value = call_binary(builder, "llvm.smax", value, LLVMConstNeg(bias));
	value = call_binary(builder, "llvm.smin", value,
			    number(digit->of, PROBE_NUMBER_MAX - PROBE_DIGIT_BIAS));
	return LLVMBuildAdd(builder, value, bias, "");
}

/* N of MOD; *ret_rest = `of` modulo N; returned: is a lane across a multiple of N? */
static LLVMValueRef crosses(LLVMBuilderRef builder, const struct pass_digit *digit,
			    LLVMValueRef *ret_n, LLVMValueRef *ret_rest)
{
	LLVMValueRef n = digit->with, rest = digit->of, one = number(rest, 1);

	if (digit->quotient) {
		rest = LLVMBuildSub(builder, rest, LLVMBuildMul(builder, digit->quotient, n, ""),
				    "");
	} else {
		n = LLVMBuildShl(builder, one, n, "");
		rest = LLVMBuildAnd(builder, rest, LLVMBuildSub(builder, n, one, ""), "");
	}
	*ret_n = n;
	*ret_rest = rest;
	return LLVMBuildICmp(builder, LLVMIntULE, LLVMBuildSub(builder, n, rest, ""),
			     number(rest, pass_digit_span(digit)), "");
}

LLVMValueRef pass_look_far(LLVMBuilderRef builder, const struct plan_number *of)
{
	LLVMValueRef n, rest, cross = crosses(builder, &of->digit, &n, &rest);
	LLVMValueRef far = LLVMBuildICmp(builder, LLVMIntUGT, n, number(n, PROBE_NUMBER_MAX), "");

	return LLVMBuildSelect(builder, LLVMBuildAnd(builder, cross, far, ""), number(n, INT32_MIN),
			       number(n, 0), "");
}

LLVMValueRef pass_look_number(LLVMBuilderRef builder, const struct plan_number *of, unsigned shift)
{
	const struct pass_digit *digit = &of->digit;
	LLVMValueRef value, n, rest, cross;

	switch (digit->op) {
	case PROBE_DIGIT_MIN:
	case PROBE_DIGIT_MAX:
		value = distance(builder, digit);
		break;
	case PROBE_DIGIT_MOD:
		cross = crosses(builder, digit, &n, &rest);
		value = LLVMBuildOr(builder, n, LLVMBuildShl(builder, rest, number(rest, 10), ""),
				    "");
		value = LLVMBuildSelect(builder, cross, value, number(rest, 0), "");
		break;
	default:
		value = digit->op == PROBE_DIGIT_AND ? digit->with : digit->of;
		if (LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 32)
			value = LLVMBuildTrunc(builder, value, LLVMTypeOf(number(value, 0)), "");
		value = LLVMBuildAnd(builder, value, number(value, of->mask), "");
		break;
	}
	return LLVMBuildShl(builder, value, number(value, shift), "");
}

void pass_look_put_rising(struct pass_asm *code, LLVMValueRef value)
{
	unsigned operand = pass_asm_operand(code, "v", value);

	pass_asm_put(code, "v_readfirstlane_b32 s4, $%u", operand);
	pass_asm_put(code, "v_cmp_gt_u32 vcc, s4, $%u", operand);
	pass_asm_put(code, "s_cbranch_vccnz .Lprobe_long${:uid}");
}
