/* SPDX-License-Identifier: MIT */
/* Constants split off from indices, as the back end does. */
#ifndef PROBE_LLVM_PLUGIN_ANALYSIS_SEPARATE_OFFSETS_H
#define PROBE_LLVM_PLUGIN_ANALYSIS_SEPARATE_OFFSETS_H

#include <llvm/IR/PassManager.h>

/*
 * Runs SeparateConstOffsetFromGEP, except on functions that make flat addresses of 32-bit ones. It
 * divides &s[63 - t] into (s - t) + 63; InferAddressSpaces, which the back end runs before that
 * pass and after this one, then takes the inner part for an address in LDS, which wraps at 32 bits
 * below its beginning.
 */
void separate_offsets(llvm::Function &function, llvm::FunctionAnalysisManager &manager);

#endif
