/* SPDX-License-Identifier: MIT */
/* The plugin's entry point: where in LLVM's pipelines the pass runs. No exceptions, no RTTI. */
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#if __has_include(<llvm/Plugins/PassPlugin.h>) /* LLVM 22 */
#include <llvm/Plugins/PassPlugin.h>
#else
#include <llvm/Passes/PassPlugin.h>
#endif

#include "llvm-plugin/module/instrument.h"
#include "llvm-plugin/base/llvm-compat.h"

using namespace llvm;

namespace
{
struct ProbePass : PassInfoMixin<ProbePass> {
	unsigned level; /* -O0 to -O3 */

	explicit ProbePass(OptimizationLevel of) : level(of.getSpeedupLevel())
	{
	}
	PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses)
	{
		return probe_pass_run(wrap(&module), &analyses, level) ? PreservedAnalyses::none()
								       : PreservedAnalyses::all();
	}
	/* Also at -O0 and on optnone functions. */
	static bool isRequired()
	{
		return true;
	}
};
} // namespace

static void register_callbacks(PassBuilder &builder)
{
	builder.registerOptimizerLastEPCallback(
		[](PROBE_OPTIMIZER_LAST_ARGS) { manager.addPass(ProbePass(level)); });
	/* The device link of -fgpu-rdc: lld --load-pass-plugin. */
	builder.registerFullLinkTimeOptimizationLastEPCallback(
		[](ModulePassManager &manager, OptimizationLevel level) {
			manager.addPass(ProbePass(level));
		});
	builder.registerPipelineParsingCallback([](StringRef name, ModulePassManager &manager,
						   ArrayRef<PassBuilder::PipelineElement>) {
		if (name != "probe")
			return false;
		manager.addPass(ProbePass(OptimizationLevel::O2));
		return true;
	});
}

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo llvmGetPassPluginInfo()
{
	/*
	 * With version 0 every loader rejects the plugin; probe_version_check() has printed the
	 * reason.
	 */
	uint32_t api = probe_version_check() ? LLVM_PLUGIN_API_VERSION : 0;

	return {api, "probe", PROBE_VERSION, register_callbacks};
}
