/* SPDX-License-Identifier: MIT */
/* For the files of this folder: how to get at the analyses of a function. */
#ifndef PROBE_LLVM_PLUGIN_ANALYSIS_FUNCTION_ANALYSES_H
#define PROBE_LLVM_PLUGIN_ANALYSIS_FUNCTION_ANALYSES_H

#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

/* The analyses of a module's functions. `analyses`: see ir_edit.h. */
inline llvm::FunctionAnalysisManager &function_analyses(llvm::Module &module, void *analyses)
{
	auto &manager = *static_cast<llvm::ModuleAnalysisManager *>(analyses);

	return manager.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
}

#endif
