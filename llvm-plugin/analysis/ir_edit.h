/* SPDX-License-Identifier: MIT */
/*
 * What LLVM-C lacks, as C functions. `analyses` is an opaque ModuleAnalysisManager, valid during
 * probe_pass_run().
 */
#ifndef PROBE_LLVM_PLUGIN_ANALYSIS_IR_EDIT_H
#define PROBE_LLVM_PLUGIN_ANALYSIS_IR_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For the rest of this compilation, keep branches over code that no lane executes. */
void ir_keep_exec_branches(void);
/* Make the compiler report an error and fail. */
void ir_report_error(LLVMModuleRef module, const char *text);

/*
 * Copy of a function with `count` additional parameters at the end. Debug information is cloned,
 * with the new name as linkage name. The caller sets linkage, visibility and comdat.
 */
LLVMValueRef ir_clone(LLVMValueRef function, const char *name, LLVMTypeRef *extra, unsigned count);
/* A function and its subprogram. */
void ir_rename(LLVMValueRef function, const char *name);
/* Forget cached analyses of a function and delete it. It must have no uses. */
void ir_delete(LLVMValueRef function, void *analyses);
/*
 * Infer address spaces, merge adjacent accesses and, if `remove`, remove repeated ones, as the back
 * end will at -O1 to -O3 (`level`).
 */
void ir_merge_accesses(LLVMValueRef function, void *analyses, unsigned level, bool remove);
/* One scalar definition of each id, and of what addresses are made of (address_forms.cpp). */
void ir_unite_addresses(LLVMValueRef function, void *analyses);
/* Replace a memcpy, memmove or memset by the back end's loop, with its debug location. */
void ir_expand_copy(LLVMValueRef call, void *analyses);
/* Invalidate all analyses of a function. */
void ir_invalidate(LLVMValueRef function, void *analyses);
/* Insert a block before `inst` that executes if `condition` is true; returns its terminator. */
LLVMValueRef ir_branch_if(LLVMValueRef condition, LLVMValueRef inst);
/*
 * Compute addresses before short conditional blocks and not in them, as the back end does: blocks
 * with a probe are too long for that.
 */
void ir_hoist(LLVMValueRef function, void *analyses);
/* Fold code with constant probe arguments. */
void ir_cleanup(LLVMValueRef function, void *analyses);
/* Replace a direct call by the body of its callee. False: that is not possible. */
bool ir_inline(LLVMValueRef call);
/* Replace a direct call by one of `callee`, which takes `count` more arguments. */
LLVMValueRef ir_replace_call(LLVMValueRef call, LLVMValueRef callee, LLVMValueRef *extra,
			     unsigned count);
/* Promote these allocas, which are only loaded and stored, to SSA values. */
void ir_promote(LLVMValueRef *allocas, unsigned count);
/* Set the synchronisation scope of a function's non-volatile atomics. */
void ir_set_atomic_scope(LLVMValueRef function, const char *scope);
/*
 * Write the clobber lists of all asm blocks in the form that takes the back end least time. Not in
 * optnone functions, and for waves of 64 lanes only.
 */
void ir_shorten_clobbers(LLVMValueRef function);
/* Drop the debug information about variables; that about lines and inlined calls remains. */
void ir_drop_variables(LLVMValueRef function);
/* Keep a global although nothing refers to it. */
void ir_keep_global(LLVMModuleRef module, LLVMValueRef global);

/* Debug information. Strings live as long as the context; NULL = unknown. */
LLVMMetadataRef ir_scope_subprogram(LLVMMetadataRef scope);
const char *ir_subprogram_name(LLVMMetadataRef subprogram, size_t *ret_size);
/* Without scope, parameters and mangling. */
const char *ir_subprogram_source_name(LLVMMetadataRef subprogram, size_t *ret_size);
/* True if the call has operand bundles, which ir_replace_call() cannot carry over. */
bool ir_has_bundles(LLVMValueRef call);
/* The text of inline assembly; lives as long as the context. */
const char *ir_asm_text(LLVMValueRef code, size_t *ret_size);

#ifdef __cplusplus
}
#endif
#endif
