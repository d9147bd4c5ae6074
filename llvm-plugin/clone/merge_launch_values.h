/* SPDX-License-Identifier: MIT */
#ifndef PROBE_LLVM_PLUGIN_CLONE_MERGE_LAUNCH_VALUES_H
#define PROBE_LLVM_PLUGIN_CLONE_MERGE_LAUNCH_VALUES_H

#include <llvm-c/Core.h>

/*
 * Make one value of all calls that return the same launch value, such as the id of the workgroup,
 * and of phis whose operands result from the same operations on such values.
 *
 * Compilers sink these calls and computations into each branch that needs them, and join them with
 * a phi. After a divergent branch LLVM's uniformity analysis takes that phi for divergent, as its
 * operands are different instructions: a loop that follows `if (threadIdx.x < n)` and steps by
 * blockDim.x would then appear to use loaded indices.
 */
void merge_launch_values(LLVMValueRef function);

#endif
