/* SPDX-License-Identifier: MIT */
/*
 * What LLVM-C lacks, as C functions. Implemented in pass_shim.cpp, with analysis/ the only C++.
 *
 * `analyses` is an opaque ModuleAnalysisManager, valid during probe_pass_run().
 */
#ifndef PROBE_LLVM_PLUGIN_PASS_SHIM_H
#define PROBE_LLVM_PLUGIN_PASS_SHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Implemented in C: instrument the module; true if it was changed. `plain`: compiled with -O0. */
bool probe_pass_run(LLVMModuleRef module, void *analyses, bool plain);
/* Implemented in C: true if this process's LLVM is the one the plugin was built for; else says so.
 */
bool probe_version_check(void);

/* For the rest of this compilation, code that no lane runs is branched over, however short. */
void probe_shim_keep_skips(void);
/* Make the compiler report an error and fail. */
void probe_shim_error(LLVMModuleRef module, const char *text);

/*
 * Copy of a function with `count` more parameters behind its own. Debug information is cloned, with
 * the new name as linkage name. Linkage, visibility and comdat are the caller's to set.
 */
LLVMValueRef probe_shim_clone(LLVMValueRef function, const char *name, LLVMTypeRef *extra,
			      unsigned count);
/* Forget cached analyses of a function and delete it. It must have no uses. */
void probe_shim_delete(LLVMValueRef function, void *analyses);
/* Merge neighbouring accesses, and find out where generic pointers lead, as the back end will. */
void probe_shim_shape_accesses(LLVMValueRef function, void *analyses);
/* Replace a memcpy, memmove or memset by a loop as the back end's, with its debug location. */
void probe_shim_loop_copy(LLVMValueRef call, void *analyses);
/* Forget what was known of a function. */
void probe_shim_changed(LLVMValueRef function, void *analyses);
/* Before `inst`, a block that runs where `condition` holds; its last instruction. */
LLVMValueRef probe_shim_if(LLVMValueRef condition, LLVMValueRef inst);
/* Fold what constant probe arguments leave behind. */
void probe_shim_cleanup(LLVMValueRef function, void *analyses);
/* Replace a direct call by the body of its callee. */
bool probe_shim_inline(LLVMValueRef call);
/* Replace a direct call by one of `callee`, which takes `count` more arguments. */
LLVMValueRef probe_shim_recall(LLVMValueRef call, LLVMValueRef callee, LLVMValueRef *extra,
			       unsigned count);
/* Make values of what is kept in these variables, which are loaded and stored only. */
void probe_shim_promote(LLVMValueRef *allocas, unsigned count);
/* Give the atomics of a function a synchronisation scope, volatile ones excepted. */
void probe_shim_atomic_scope(LLVMValueRef function, const char *scope);
/* Keep a global although nothing refers to it. */
void probe_shim_keep(LLVMModuleRef module, LLVMValueRef global);

/* Debug information. Strings live as long as the context; NULL = unknown. */
LLVMMetadataRef probe_shim_scope_subprogram(LLVMMetadataRef scope);
const char *probe_shim_subprogram_name(LLVMMetadataRef subprogram, size_t *ret_size);
/* Without scope, parameters and mangling. */
const char *probe_shim_subprogram_source_name(LLVMMetadataRef subprogram, size_t *ret_size);
/* True if the call has operand bundles, which probe_shim_recall() cannot carry over. */
bool probe_shim_has_bundles(LLVMValueRef call);

#ifdef __cplusplus
}
#endif
#endif
