/* SPDX-License-Identifier: MIT */
#include "pass_look.h"

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
