/* SPDX-License-Identifier: MIT */
/*
 * An asm block being written: its lines, constraints and operands. Start with {0},
 * and with the wave where its width matters. In a line "@n" is 64 or 32, as many as the wave has
 * lanes, @exec its mask and @vcc the other one.
 */
#ifndef PROBE_LLVM_PLUGIN_EMIT_INLINE_ASM_H
#define PROBE_LLVM_PLUGIN_EMIT_INLINE_ASM_H

#include <stddef.h>
#include <llvm-c/Core.h>

struct wave_form;

enum { ASM_OPERANDS = 93 };

struct asm_block {
	const struct wave_form *wave;
	char *text, *constraints;
	size_t size, constraint_size;
	LLVMValueRef operand[ASM_OPERANDS];
	LLVMTypeRef type[ASM_OPERANDS];
	LLVMValueRef source[ASM_OPERANDS]; /* what a scalar operand was made of; else NULL */
	unsigned operands;
	LLVMTypeRef result; /* NULL = none; else its constraint comes first */
	unsigned fields;    /* of a result that is a struct: a constraint each */
};

/* A line of the text. */
void asm_line(struct asm_block *code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* One more constraint: a clobber, or the result's. */
void asm_constrain(struct asm_block *code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* An input, added once. Returns its number; results have the first numbers. */
unsigned asm_operand(struct asm_block *code, const char *constraint, LLVMValueRef value);
/*
 * The same for an operand in scalar registers: the only place that may ask for one. LLVM 15 does
 * not keep "s" for a value that it holds in vector registers (llvm-project#89971), and a value may
 * be there although all lanes agree about it, such as the quotient of two kernel arguments. So
 * whatever is not scalar by construction goes through llvm.amdgcn.readfirstlane, which the back end
 * folds where the value is scalar already. The builder is where the block will be.
 */
unsigned asm_scalar(struct asm_block *code, LLVMBuilderRef builder, LLVMValueRef value);
/* The value, an integer of 32 or 64 bits, in scalar registers. */
LLVMValueRef scalar_value(LLVMBuilderRef builder, LLVMValueRef value);
/* The call, with side effects, where the builder stands. Frees what the block is made of. */
LLVMValueRef asm_build(struct asm_block *code, LLVMBuilderRef builder, LLVMContextRef context);
/*
 * The same for a block that calls shared functions: it clobbers what they may use
 * (measure_access.h), and depends on EXEC, so it is not to be moved into or out of conditions.
 */
LLVMValueRef asm_build_call(struct asm_block *code, LLVMBuilderRef builder, LLVMContextRef context);
/* Keep the time to compile the function proportional to the asm in its blocks. */
void asm_bound_regions(LLVMValueRef function);

#endif
