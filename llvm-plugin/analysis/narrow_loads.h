/* SPDX-License-Identifier: MIT */
/* Loads of 8 bytes of which a kernel uses 4, which instruction selection makes narrower. */
#ifndef PROBE_LLVM_PLUGIN_ANALYSIS_NARROW_LOADS_H
#define PROBE_LLVM_PLUGIN_ANALYSIS_NARROW_LOADS_H

#include <llvm/IR/Function.h>

/* True if it changed one. */
bool narrow_loads(llvm::Function &function);

#endif
