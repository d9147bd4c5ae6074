/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/emit/inline_asm.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <llvm-c/Core.h>

#include <probe/wire.h>

#include "llvm-plugin/emit/devlib_link.h"
#include "llvm-plugin/base/gpu_target.h"
#include "llvm-plugin/base/ir_helpers.h"

static void append(char **text, size_t *size, const char *format, va_list args)
{
	va_list again;
	int more;

	va_copy(again, args);
	more = vsnprintf(NULL, 0, format, again);
	va_end(again);
	*text = pass_alloc(*text, *size + (size_t)more + 1);
	vsnprintf(*text + *size, (size_t)more + 1, format, args);
	*size += (size_t)more;
}

static void append_bytes(char **text, size_t *size, const char *bytes, size_t count)
{
	*text = pass_alloc(*text, *size + count + 1);
	memcpy(*text + *size, bytes, count);
	*size += count;
	(*text)[*size] = 0;
}

static void append_text(struct asm_block *code, const char *bytes, size_t count)
{
	append_bytes(&code->text, &code->size, bytes, count);
}

/* Append a line; @exec, @vcc and @n stand for what depends on the wave's size. */
static void append_line(struct asm_block *code, const char *line)
{
	static const struct wave_form usual = {.lanes = 64, .exec = "exec", .vcc = "vcc"};
	const struct wave_form *wave = code->wave ? code->wave : &usual;
	const struct {
		const char *name, *text;
	} names[] = {
		{"@n", wave->lanes == 64 ? "64" : "32"},
		{"@exec", wave->exec},
		{"@vcc", wave->vcc},
	};

	for (;;) {
		size_t i = 0, count = sizeof(names) / sizeof(names[0]), plain = strcspn(line, "@");

		append_text(code, line, plain);
		line += plain;
		if (!*line)
			break;
		while (i < count && strncmp(line, names[i].name, strlen(names[i].name)))
			i++;
		if (i < count) {
			append_text(code, names[i].text, strlen(names[i].text));
			line += strlen(names[i].name);
		} else {
			append_text(code, line++, 1);
		}
	}
	append_text(code, "\n", 1);
}

void asm_line(struct asm_block *code, const char *format, ...)
{
	va_list args;
	char *line = NULL;
	size_t size = 0;

	va_start(args, format);
	append(&line, &size, format, args);
	va_end(args);
	append_line(code, line);
	free(line);
}

void asm_constrain(struct asm_block *code, const char *format, ...)
{
	va_list args;

	if (code->constraint_size)
		append_bytes(&code->constraints, &code->constraint_size, ",", 1);
	va_start(args, format);
	append(&code->constraints, &code->constraint_size, format, args);
	va_end(args);
}

unsigned asm_operand(struct asm_block *code, const char *constraint, LLVMValueRef value)
{
	unsigned results = code->fields ? code->fields : code->result != NULL;

	for (unsigned i = 0; i < code->operands; i++)
		if (code->operand[i] == value)
			return i + results;
	asm_constrain(code, "%s", constraint);
	code->operand[code->operands] = value;
	code->type[code->operands] = LLVMTypeOf(value);
	return code->operands++ + results;
}

const struct sgpr_pair asm_vcc = {"vcc", "vcc_lo", "vcc_hi"};
const struct sgpr_pair asm_s28 = {"s[28:29]", "s28", "s29"};

/*
 * As an integer, so that all asm blocks share one user of the function. For each kernel, LLVM 15
 * looks at all users of all functions (AMDGPUPropagateAttributes).
 */
static void keep_function(struct asm_block *code, LLVMValueRef function)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(function)));

	asm_operand(code, "i", LLVMConstPtrToInt(function, i64));
}

/* s_getpc_b64 gives the address of the next instruction: 4 and 12 bytes before the literals. */
void asm_function_address(struct asm_block *code, LLVMValueRef function, const struct sgpr_pair *to,
			  bool skips_wait)
{
	const char *more = skips_wait ? "+4" : "";
	size_t size;
	const char *name = LLVMGetValueName2(function, &size);

	keep_function(code, function);
	asm_line(code, "s_getpc_b64 %s", to->both);
	asm_line(code, "s_add_u32 %s, %s, %.*s@rel32@lo+4%s", to->low, to->low, (int)size, name,
		 more);
	asm_line(code, "s_addc_u32 %s, %s, %.*s@rel32@hi+12%s", to->high, to->high, (int)size, name,
		 more);
}

void asm_shared_call(struct asm_block *code, LLVMValueRef function)
{
	asm_function_address(code, function, &asm_s28, false);
	asm_line(code, "s_swappc_b64 s[30:31], s[28:29]");
}

/* ---- Scalar operands ------------------------------------------------------------------------ */

static bool has_prefix(LLVMValueRef function, const char *prefix)
{
	size_t size;

	return !strncmp(LLVMGetValueName2(function, &size), prefix, strlen(prefix));
}

/* Results of the device library and of asm are scalar if the pass uses them as operands. */
static bool is_scalar_call(LLVMValueRef call)
{
	LLVMValueRef called = LLVMGetCalledValue(call);

	return LLVMIsAInlineAsm(called) || has_prefix(called, "__probe_dev_") ||
	       has_prefix(called, "llvm.amdgcn.readfirstlane") ||
	       has_prefix(called, "llvm.amdgcn.ballot");
}

/* Is the value in scalar registers by construction? */
static bool is_scalar(LLVMValueRef value, unsigned depth)
{
	if (LLVMIsAConstant(value))
		return true;
	if (LLVMIsAArgument(value))
		return LLVMGetFunctionCallConv(LLVMGetParamParent(value)) == PASS_CC_KERNEL;
	if (!LLVMIsAInstruction(value) || depth > 8)
		return false;
	switch (LLVMGetInstructionOpcode(value)) {
	case LLVMCall:
		return is_scalar_call(value);
	case LLVMLoad: /* by a scalar load */
		return LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(value, 0))) ==
			       PROBE_SPACE_CONSTANT &&
		       is_scalar(LLVMGetOperand(value, 0), depth + 1);
	case LLVMGetElementPtr:
	case LLVMOr:
	case LLVMShl:
	case LLVMExtractElement:
		return is_scalar(LLVMGetOperand(value, 0), depth + 1) &&
		       is_scalar(LLVMGetOperand(value, 1), depth + 1);
	case LLVMZExt:
	case LLVMTrunc:
	case LLVMPtrToInt:
	case LLVMIntToPtr:
	case LLVMExtractValue:
		return is_scalar(LLVMGetOperand(value, 0), depth + 1);
	default:
		return false;
	}
}

static LLVMValueRef first_lane(LLVMBuilderRef builder, LLVMValueRef value)
{
	return pass_call_intrinsic(builder, "llvm.amdgcn.readfirstlane", LLVMTypeOf(value), &value,
				   1);
}

LLVMValueRef scalar_value(LLVMBuilderRef builder, LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value), i32;
	LLVMValueRef low, high, by;

	if (is_scalar(value, 0))
		return value;
	if (LLVMGetIntTypeWidth(type) == 32)
		return first_lane(builder, value);
	i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
	by = LLVMConstInt(type, 32, 0);
	low = first_lane(builder, LLVMBuildTrunc(builder, value, i32, ""));
	high = LLVMBuildTrunc(builder, LLVMBuildLShr(builder, value, by, ""), i32, "");
	high = LLVMBuildZExt(builder, first_lane(builder, high), type, "");
	return LLVMBuildOr(builder, LLVMBuildShl(builder, high, by, ""),
			   LLVMBuildZExt(builder, low, type, ""), "");
}

unsigned asm_scalar(struct asm_block *code, LLVMBuilderRef builder, LLVMValueRef value)
{
	unsigned results = code->fields ? code->fields : code->result != NULL, number;

	for (unsigned i = 0; i < code->operands; i++)
		if (code->source[i] == value)
			return i + results;
	number = asm_operand(code, "s", scalar_value(builder, value));
	code->source[number - results] = value;
	return number;
}

LLVMValueRef asm_build(struct asm_block *code, LLVMBuilderRef builder, LLVMContextRef context)
{
	LLVMTypeRef result = code->result ? code->result : LLVMVoidTypeInContext(context);
	LLVMTypeRef type = LLVMFunctionType(result, code->type, code->operands, 0);
	LLVMValueRef assembly =
		LLVMGetInlineAsm(type, code->text, code->size, code->constraints,
				 code->constraint_size, 1, 0, LLVMInlineAsmDialectATT, 0);
	LLVMValueRef call =
		LLVMBuildCall2(builder, type, assembly, code->operand, code->operands, "");

	free(code->text);
	free(code->constraints);
	return call;
}

LLVMValueRef asm_build_convergent(struct asm_block *code, LLVMBuilderRef builder,
				  LLVMContextRef context)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("convergent", 10);
	LLVMValueRef call = asm_build(code, builder, context);

	LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex,
				 LLVMCreateEnumAttribute(context, kind, 0));
	return call;
}

LLVMValueRef asm_build_call(struct asm_block *code, LLVMBuilderRef builder, LLVMContextRef context)
{
	for (int i = 0; i < PASS_SHARED_VGPRS; i++)
		asm_constrain(code, "~{v%d}", i);
	for (int i = 4; i < 32; i++)
		asm_constrain(code, "~{s%d}", i);
	asm_constrain(code, "~{vcc},~{scc}");
	return asm_build_convergent(code, builder, context);
}

LLVMValueRef asm_build_adding(struct asm_block *code, LLVMBuilderRef builder,
			      LLVMContextRef context)
{
	for (int i = 0; i < 4; i++)
		asm_constrain(code, "~{v%d}", i);
	for (int i = 4; i < 14; i++)
		asm_constrain(code, "~{s%d}", i);
	asm_constrain(code, "~{vcc},~{scc}");
	return asm_build_convergent(code, builder, context);
}

/*
 * LLVM's scheduler compares each clobber with those of all earlier asm blocks in the region:
 * quadratic in their number, times the number of registers. A scheduling barrier, which emits no
 * instruction, ends a region.
 */
enum { ASM_OF_REGION = 16 };

static void end_region(LLVMBuilderRef builder, LLVMValueRef before)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(before));
	LLVMValueRef nothing_crosses = LLVMConstInt(LLVMInt32TypeInContext(context), 0, 0);

	LLVMPositionBuilderBefore(builder, before);
	pass_call_intrinsic(builder, "llvm.amdgcn.sched.barrier", NULL, &nothing_crosses, 1);
}

void asm_bound_regions(LLVMValueRef function)
{
	LLVMBuilderRef builder =
		LLVMCreateBuilderInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)));

	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block)) {
		unsigned count = 0;

		for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst;
		     inst = LLVMGetNextInstruction(inst))
			if (LLVMIsACallInst(inst) && LLVMIsAInlineAsm(LLVMGetCalledValue(inst)) &&
			    ++count % ASM_OF_REGION == 0)
				end_region(builder, inst);
	}
	LLVMDisposeBuilder(builder);
}
