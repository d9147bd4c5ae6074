/* SPDX-License-Identifier: MIT */
/* Intrinsics that access memory, lowered or marked with their addresses. */
#ifndef PROBE_LLVM_PLUGIN_CLONE_LOWER_INTRINSICS_H
#define PROBE_LLVM_PLUGIN_CLONE_LOWER_INTRINSICS_H

#include <stdbool.h>
#include <llvm-c/Core.h>

struct pass_options;

/*
 * In a base clone: first lower copies, which need basic blocks, then insert markers for other
 * accesses (intrinsic_forms.h).
 */
void lower_copies(LLVMValueRef function, const struct pass_options *options, void *analyses);
void markers_insert(LLVMValueRef function, const struct pass_options *options, void *analyses);
/* Remove all markers from a module. */
void markers_remove(LLVMModuleRef module);

#endif
