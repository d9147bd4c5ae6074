/* SPDX-License-Identifier: MIT */
/*
 * Builder of an asm block: lines, constraints and operands. Initialise it with {0}, and with the
 * wave form if the wave's size matters. In a line, "@n" is the number of lanes of a wave (64 or
 * 32), @exec and @vcc are its mask registers.
 */
#ifndef PROBE_LLVM_PLUGIN_EMIT_INLINE_ASM_H
#define PROBE_LLVM_PLUGIN_EMIT_INLINE_ASM_H

#include <stdbool.h>
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
	LLVMValueRef source[ASM_OPERANDS]; /* the value before it was made scalar; NULL for other
					      operands */
	unsigned operands;
	LLVMTypeRef result; /* NULL = none; otherwise its constraint is first */
	unsigned fields;    /* of a result that is a struct: a constraint each */
};

/* Add a line of text. */
void asm_line(struct asm_block *code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Add a constraint: a clobber, or the result's. */
void asm_constrain(struct asm_block *code, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Add an input, unless it exists already. Returns its number; results have the first numbers. */
unsigned asm_operand(struct asm_block *code, const char *constraint, LLVMValueRef value);
/* Two scalar registers that hold an address, by the names that asm has for them. */
struct sgpr_pair {
	const char *both, *low, *high;
};
extern const struct sgpr_pair asm_vcc, asm_s28;
/*
 * Compute the address of a function; changes scc. The operand that this adds keeps the function
 * alive. `skips_wait`: the address after the function's first instruction, an s_waitcnt
 * (measure_access.h).
 */
void asm_function_address(struct asm_block *code, LLVMValueRef function, const struct sgpr_pair *to,
			  bool skips_wait);
/* Call a shared function, with arguments in v0 and up. */
void asm_shared_call(struct asm_block *code, LLVMValueRef function);
/*
 * An input in scalar registers. All scalar operands must be added by this function.
 * LLVM 15 does not enforce "s" for a value that it keeps in vector registers (llvm-project#89971),
 * which may happen to uniform values, such as the quotient of two kernel arguments. A value that is
 * not scalar by construction therefore goes through llvm.amdgcn.readfirstlane, which the back end
 * folds if the value is scalar. The builder is at the position of the asm block.
 */
unsigned asm_scalar(struct asm_block *code, LLVMBuilderRef builder, LLVMValueRef value);
/* An integer of 32 or 64 bits in scalar registers. */
LLVMValueRef scalar_value(LLVMBuilderRef builder, LLVMValueRef value);
/* Build the asm call, with side effects, at the builder's position, and free the block's memory. */
LLVMValueRef asm_build(struct asm_block *code, LLVMBuilderRef builder, LLVMContextRef context);
/* The same for a block that depends on EXEC, so that it must not be moved across conditions. */
LLVMValueRef asm_build_convergent(struct asm_block *code, LLVMBuilderRef builder,
				  LLVMContextRef context);
/*
 * The same for a block that calls shared functions: it clobbers their registers (measure_access.h).
 * It depends on EXEC, so that it must not be moved into or out of conditional code.
 */
LLVMValueRef asm_build_call(struct asm_block *code, LLVMBuilderRef builder, LLVMContextRef context);
/*
 * The same for a block that calls nothing, and only adds to rows of counters (counter_rows.h): few
 * registers, because liveness analysis takes time for each clobbered one in each basic block.
 */
LLVMValueRef asm_build_adding(struct asm_block *code, LLVMBuilderRef builder,
			      LLVMContextRef context);
/* Keep compile time linear in the number of asm blocks. */
void asm_bound_regions(LLVMValueRef function);

#endif
