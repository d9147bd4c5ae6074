/* SPDX-License-Identifier: MIT */
/* Accesses that the back end removes, removed from a clone before they get probes. */
#ifndef PROBE_LLVM_PLUGIN_ANALYSIS_REPEATED_ACCESSES_H
#define PROBE_LLVM_PLUGIN_ANALYSIS_REPEATED_ACCESSES_H

#include <llvm/IR/PassManager.h>

/* The part of the back end that removes them. */
enum class RemovedBy { EarlyCSE, Selection };

/* Removes loads whose value is known and, for Selection, stores that are overwritten unread. */
void remove_repeated_accesses(llvm::Function &function, llvm::FunctionAnalysisManager &manager,
			      RemovedBy by);

#endif
