/* SPDX-License-Identifier: MIT */
/* memcpy, memmove and memset as the loads and stores that the back end makes of them. */
#ifndef PROBE_LLVM_PLUGIN_CLONE_LOWER_COPIES_H
#define PROBE_LLVM_PLUGIN_CLONE_LOWER_COPIES_H

#include <llvm-c/Core.h>

/* Replaces the call of the intrinsic by loads and stores with its debug location. */
void lower_copy(LLVMValueRef call, void *analyses);

#endif
