/* SPDX-License-Identifier: MIT */
/*
 * What LLVM-C lacks, as C functions. Implemented in pass_shim.cpp, the only C++ of the tree.
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

/*
 * How many bytes b is behind a in every execution, two pointers of one address space: false = not
 * known. Both are sums of the same values and differ by a constant.
 */
bool probe_shim_distance(LLVMValueRef a, LLVMValueRef b, int64_t *ret);

/* Debug information. Strings live as long as the context; NULL = unknown. */
LLVMMetadataRef probe_shim_scope_subprogram(LLVMMetadataRef scope);
const char *probe_shim_subprogram_name(LLVMMetadataRef subprogram, size_t *ret_size);
/* Without scope, parameters and mangling. */
const char *probe_shim_subprogram_source_name(LLVMMetadataRef subprogram, size_t *ret_size);
/* True if the call has operand bundles, which probe_shim_recall() cannot carry over. */
bool probe_shim_has_bundles(LLVMValueRef call);

/*
 * What is the same in all lanes of a wave, and how blocks lie to each other, for one function as it
 * is: any change of the function makes an answer stale.
 */
struct probe_shim_flow;
struct probe_shim_flow *probe_shim_flow_create(LLVMValueRef function, void *analyses);
void probe_shim_flow_destroy(struct probe_shim_flow *flow);
/* True if active lanes of one wave may see different values in that operand. */
bool probe_shim_flow_differs(const struct probe_shim_flow *flow, LLVMValueRef user,
			     unsigned operand);
/* True if the block is in every loop that the value is made in. */
bool probe_shim_flow_same_loop(const struct probe_shim_flow *flow, LLVMValueRef value,
			       LLVMBasicBlockRef block);
/* True if the block heads a natural loop; *ret_latch is its only way back. */
bool probe_shim_flow_is_header(const struct probe_shim_flow *flow, LLVMBasicBlockRef block,
			       LLVMBasicBlockRef *ret_latch);
unsigned probe_shim_flow_depth(const struct probe_shim_flow *flow, LLVMBasicBlockRef block);
/* The nearest block that every way to this one goes through; NULL for the entry. */
LLVMBasicBlockRef probe_shim_flow_idom(const struct probe_shim_flow *flow, LLVMBasicBlockRef block);
bool probe_shim_flow_postdominates(const struct probe_shim_flow *flow, LLVMBasicBlockRef a,
				   LLVMBasicBlockRef b);
/* May active lanes of one wave hold different values of it where they are in that block? */
bool probe_shim_flow_varies(const struct probe_shim_flow *flow, LLVMValueRef value,
			    LLVMBasicBlockRef block);
/* Is an addition, subtraction, product or shift that overflows undefined, signed or not? */
bool probe_shim_never_wraps(LLVMValueRef inst, bool with_sign);
/* Bytes that a getelementptr with constant indices adds. */
bool probe_shim_gep_offset(LLVMValueRef gep, int64_t *ret);
/* Bits at the top of an integer that are known to be 0. */
unsigned probe_shim_leading_zeros(LLVMValueRef value);
/* Is an `or` the same as an addition? */
bool probe_shim_or_is_add(LLVMValueRef inst);

#ifdef __cplusplus
}
#endif
#endif
