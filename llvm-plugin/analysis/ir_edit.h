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

/* For the rest of this compilation, code that no lane runs is branched over, however short. */
void ir_keep_exec_branches(void);
/* Make the compiler report an error and fail. */
void ir_report_error(LLVMModuleRef module, const char *text);

/*
 * Copy of a function with `count` more parameters behind its own. Debug information is cloned, with
 * the new name as linkage name. Linkage, visibility and comdat are the caller's to set.
 */
LLVMValueRef ir_clone(LLVMValueRef function, const char *name, LLVMTypeRef *extra, unsigned count);
/* Forget cached analyses of a function and delete it. It must have no uses. */
/* A function and its subprogram. */
void ir_rename(LLVMValueRef function, const char *name);
void ir_delete(LLVMValueRef function, void *analyses);
/* Merge neighbouring accesses, and find out where generic pointers lead, as the back end will. */
void ir_merge_accesses(LLVMValueRef function, void *analyses);
/* Replace a memcpy, memmove or memset by a loop as the back end's, with its debug location. */
void ir_expand_copy(LLVMValueRef call, void *analyses);
/* Forget what was known of a function. */
void ir_invalidate(LLVMValueRef function, void *analyses);
/* Before `inst`, a block that runs where `condition` holds; its last instruction. */
LLVMValueRef ir_branch_if(LLVMValueRef condition, LLVMValueRef inst);
/* Fold what constant probe arguments leave behind. */
void ir_cleanup(LLVMValueRef function, void *analyses);
/* Replace a direct call by the body of its callee. */
bool ir_inline(LLVMValueRef call);
/* Replace a direct call by one of `callee`, which takes `count` more arguments. */
LLVMValueRef ir_replace_call(LLVMValueRef call, LLVMValueRef callee, LLVMValueRef *extra,
			     unsigned count);
/* Make values of what is kept in these variables, which are loaded and stored only. */
void ir_promote(LLVMValueRef *allocas, unsigned count);
/* Give the atomics of a function a synchronisation scope, volatile ones excepted. */
void ir_set_atomic_scope(LLVMValueRef function, const char *scope);
/* Keep a global although nothing refers to it. */
void ir_keep_global(LLVMModuleRef module, LLVMValueRef global);

/* Debug information. Strings live as long as the context; NULL = unknown. */
LLVMMetadataRef ir_scope_subprogram(LLVMMetadataRef scope);
const char *ir_subprogram_name(LLVMMetadataRef subprogram, size_t *ret_size);
/* Without scope, parameters and mangling. */
const char *ir_subprogram_source_name(LLVMMetadataRef subprogram, size_t *ret_size);
/* True if the call has operand bundles, which ir_replace_call() cannot carry over. */
bool ir_has_bundles(LLVMValueRef call);

#ifdef __cplusplus
}
#endif
#endif
