/* SPDX-License-Identifier: MIT */
/*
 * Helpers that several parts of the pass use. Running out of memory ends the compiler, as
 * everywhere in LLVM.
 */
#ifndef PROBE_LLVM_PLUGIN_BASE_IR_HELPERS_H
#define PROBE_LLVM_PLUGIN_BASE_IR_HELPERS_H

#include <stdbool.h>
#include <stddef.h>
#include <llvm-c/Core.h>

struct pass_options;

enum {
	PASS_CC_KERNEL = 91, /* CallingConv::AMDGPU_KERNEL */
	PASS_PATH_MAX = 4096,
};

/*
 * LLVM 15's module LDS lowering misses a constant LDS address that was folded into a vector: the
 * clone would get the variable twice. An opaque zero keeps it from folding.
 */
LLVMValueRef pass_opaque_lds(LLVMBuilderRef builder, LLVMValueRef pointer);

/*
 * Call an intrinsic at the builder's position. `overload`: the type at the end of its full name,
 * used only if this LLVM overloads it.
 */
LLVMValueRef pass_call_intrinsic(LLVMBuilderRef builder, const char *name, LLVMTypeRef overload,
				 LLVMValueRef *args, unsigned count);

/*
 * The active lanes, of `lanes` in a wave, in which the condition is true. Not the comparison
 * itself: LLVM 15 cannot select "is a number" of two halves for a mask.
 */
LLVMValueRef pass_ballot(LLVMBuilderRef builder, LLVMValueRef condition, unsigned lanes);

/* Join the `ret void`s of a kernel into one and return it; NULL if the kernel never returns. */
LLVMValueRef pass_single_return(LLVMValueRef kernel);
/* First instruction of a function behind its allocas, all of which come before it afterwards. */
LLVMValueRef pass_entry_point(LLVMValueRef function);
/*
 * Visit all instructions of a function, block by block. The next one must be read before an
 * instruction is removed.
 */
LLVMValueRef pass_first_inst(LLVMValueRef function);
LLVMValueRef pass_next_inst(LLVMValueRef inst);
/* Name of the function that is called directly; "" if there is none. */
const char *pass_called_name(LLVMValueRef inst);
/* Does this call end the wave? */
bool pass_ends_wave(LLVMValueRef inst);
/*
 * May a wave end before the function returns? Then it has executed only a part of the blocks. True
 * for all functions of a module that uses the intrinsic, because callees may do so.
 */
bool pass_may_end_early(LLVMValueRef function);
/* Is the function, or all code, compiled without optimisation? */
bool pass_is_optnone(LLVMValueRef function, const struct pass_options *options);

void *pass_alloc(void *old, size_t size);
char *pass_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
