/* SPDX-License-Identifier: MIT */
/*
 * The plugin's entry point and what LLVM-C lacks. No exceptions, no RTTI; all else but analysis/ is
 * C.
 */
#include "llvm-compat.h"
#include "pass_shim.h"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>
#include <llvm/Transforms/Utils/LowerMemIntrinsics.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>
#include <llvm/Transforms/Vectorize/LoadStoreVectorizer.h>

#if LLVM_VERSION_MAJOR < 16
/* Data, so not bound lazily. Weak, so that a later LLVM, which lacks it, gets to hear what is
 * wrong. */
namespace llvm::cl
{
extern __attribute__((weak)) ManagedStatic<SubCommand> TopLevelSubCommand;
}
#endif

using namespace llvm;

static FunctionAnalysisManager &function_analyses(Module &module, void *analyses)
{
	auto &manager = *static_cast<ModuleAnalysisManager *>(analyses);

	return manager.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
}

/*
 * SIPreEmitPeephole takes a branch over code that no lane runs for needless when the blocks between
 * it and its target are short, even if one of them leaves that stretch for a loop (seen in LLVM 15,
 * device printf). The loop then runs with EXEC = 0: harmless to vector code, but a probe's uniform
 * loops branch on `EXEC and condition` and would not end. With this threshold only empty stretches
 * lose their branch.
 */
void probe_shim_keep_skips(void)
{
	auto &options = cl::getRegisteredOptions();
	auto found = options.find("amdgpu-skip-threshold");

	/* "Multi": may be given on the command line as well. */
	if (found != options.end())
		found->second->addOccurrence(0, found->first(), "1", true);
}

void probe_shim_error(LLVMModuleRef module, const char *text)
{
	unwrap(module)->getContext().emitError(text);
}

LLVMValueRef probe_shim_clone(LLVMValueRef value, const char *name, LLVMTypeRef *extra,
			      unsigned count)
{
	auto *function = unwrap<Function>(value);
	FunctionType *type = function->getFunctionType();
	SmallVector<Type *, 16> params(type->param_begin(), type->param_end());
	SmallVector<ReturnInst *, 8> returns;
	ValueToValueMapTy map;

	for (unsigned i = 0; i < count; i++)
		params.push_back(unwrap(extra[i]));
	auto *clone = Function::Create(
		FunctionType::get(type->getReturnType(), params, type->isVarArg()),
		function->getLinkage(), function->getAddressSpace(), name, function->getParent());
	auto to = clone->arg_begin();
	for (Argument &from : function->args()) {
		to->setName(from.getName());
		map[&from] = &*to++;
	}
	clone->copyAttributesFrom(function);
	CloneFunctionInto(clone, function, map, CloneFunctionChangeType::GlobalChanges, returns);
	if (DISubprogram *subprogram = clone->getSubprogram())
		if (subprogram->isDistinct() && subprogram != function->getSubprogram())
			subprogram->replaceLinkageName(
				MDString::get(clone->getContext(), clone->getName()));
	return wrap(clone);
}

void probe_shim_delete(LLVMValueRef value, void *analyses)
{
	auto *function = unwrap<Function>(value);

	function_analyses(*function->getParent(), analyses).clear(*function, function->getName());
	function->eraseFromParent();
}

void probe_shim_shape_accesses(LLVMValueRef value, void *analyses)
{
	auto *function = unwrap<Function>(value);
	auto &manager = function_analyses(*function->getParent(), analyses);

	manager.invalidate(*function, InferAddressSpacesPass().run(*function, manager));
	manager.invalidate(*function, LoadStoreVectorizerPass().run(*function, manager));
}

void probe_shim_changed(LLVMValueRef value, void *analyses)
{
	auto *function = unwrap<Function>(value);

	function_analyses(*function->getParent(), analyses)
		.invalidate(*function, PreservedAnalyses::none());
}

static void loop_copy(MemIntrinsic &call, FunctionAnalysisManager &manager)
{
	auto &target = manager.getResult<TargetIRAnalysis>(*call.getFunction());

	if (auto *copy = dyn_cast<MemCpyInst>(&call))
		expandMemCpyAsLoop(copy, target);
	else if (auto *move = dyn_cast<MemMoveInst>(&call))
		PROBE_EXPAND_MEMMOVE(move, target);
	else
		expandMemSetAsLoop(cast<MemSetInst>(&call));
}

void probe_shim_loop_copy(LLVMValueRef value, void *analyses)
{
	auto *call = unwrap<MemIntrinsic>(value);
	Function *function = call->getFunction();
	DebugLoc location = call->getDebugLoc();
	SmallPtrSet<BasicBlock *, 32> before;

	for (BasicBlock &block : *function)
		before.insert(&block);
	loop_copy(*call, function_analyses(*function->getParent(), analyses));
	call->eraseFromParent();
	/* The loops have no location of their own. */
	for (BasicBlock &block : *function)
		for (Instruction &inst : block)
			if (!before.count(&block) && !inst.getDebugLoc())
				inst.setDebugLoc(location);
	probe_shim_changed(wrap(function), analyses);
}

LLVMValueRef probe_shim_if(LLVMValueRef condition, LLVMValueRef value)
{
	auto *inst = unwrap<Instruction>(value);

	return wrap(SplitBlockAndInsertIfThen(unwrap(condition), inst, false));
}

void probe_shim_cleanup(LLVMValueRef value, void *analyses)
{
	auto *function = unwrap<Function>(value);
	auto &manager = function_analyses(*function->getParent(), analyses);

	manager.invalidate(*function, PreservedAnalyses::none());
	manager.invalidate(*function, EarlyCSEPass().run(*function, manager));
	manager.invalidate(*function, SimplifyCFGPass().run(*function, manager));
}

bool probe_shim_inline(LLVMValueRef call)
{
	InlineFunctionInfo info;

	return InlineFunction(*unwrap<CallBase>(call), info).isSuccess();
}

LLVMValueRef probe_shim_recall(LLVMValueRef value, LLVMValueRef callee, LLVMValueRef *extra,
			       unsigned count)
{
	auto *call = unwrap<CallInst>(value);
	auto *function = unwrap<Function>(callee);
	SmallVector<Value *, 16> args(call->args());
	SmallVector<AttributeSet, 16> params;

	for (unsigned i = 0; i < call->arg_size(); i++)
		params.push_back(call->getAttributes().getParamAttrs(i));
	for (unsigned i = 0; i < count; i++) {
		args.push_back(unwrap(extra[i]));
		params.push_back(AttributeSet());
	}
	auto *fresh = CallInst::Create(function->getFunctionType(), function, args, "", call);
	/* Function attributes of the call site may promise what the probed callee breaks. */
	fresh->setAttributes(AttributeList::get(call->getContext(), AttributeSet(),
						call->getAttributes().getRetAttrs(), params));
	fresh->setCallingConv(call->getCallingConv());
	fresh->setDebugLoc(call->getDebugLoc());
	fresh->takeName(call);
	call->replaceAllUsesWith(fresh);
	call->eraseFromParent();
	return wrap(fresh);
}

void probe_shim_promote(LLVMValueRef *allocas, unsigned count)
{
	SmallVector<AllocaInst *, 8> variables;

	for (unsigned i = 0; i < count; i++)
		variables.push_back(unwrap<AllocaInst>(allocas[i]));
	DominatorTree dominators(*variables[0]->getFunction());
	PromoteMemToReg(variables, dominators);
}

void probe_shim_atomic_scope(LLVMValueRef value, const char *name)
{
	auto *function = unwrap<Function>(value);
	SyncScope::ID scope = function->getContext().getOrInsertSyncScopeID(name);

	auto give = [scope](auto *access) {
		if (!access->isVolatile())
			access->setSyncScopeID(scope);
	};

	for (Instruction &inst : instructions(function)) {
		if (auto *load = dyn_cast<LoadInst>(&inst); load && load->isAtomic())
			give(load);
		else if (auto *store = dyn_cast<StoreInst>(&inst); store && store->isAtomic())
			give(store);
		else if (auto *rmw = dyn_cast<AtomicRMWInst>(&inst))
			give(rmw);
		else if (auto *swap = dyn_cast<AtomicCmpXchgInst>(&inst))
			give(swap);
	}
}

void probe_shim_keep(LLVMModuleRef module, LLVMValueRef global)
{
	GlobalValue *list[] = {unwrap<GlobalValue>(global)};

	appendToUsed(*unwrap(module), list);
	appendToCompilerUsed(*unwrap(module), list);
}

LLVMMetadataRef probe_shim_scope_subprogram(LLVMMetadataRef scope)
{
	auto *local = dyn_cast_or_null<DILocalScope>(unwrap(scope));

	return wrap(local ? local->getSubprogram() : nullptr);
}

const char *probe_shim_subprogram_name(LLVMMetadataRef value, size_t *ret_size)
{
	auto *subprogram = unwrap<DISubprogram>(value);
	StringRef name = subprogram->getLinkageName();

	if (name.empty())
		name = subprogram->getName();
	*ret_size = name.size();
	return name.data();
}

const char *probe_shim_subprogram_source_name(LLVMMetadataRef value, size_t *ret_size)
{
	StringRef name = unwrap<DISubprogram>(value)->getName();

	*ret_size = name.size();
	return name.data();
}

bool probe_shim_has_bundles(LLVMValueRef call)
{
	return unwrap<CallBase>(call)->hasOperandBundles();
}

namespace
{
struct ProbePass : PassInfoMixin<ProbePass> {
	bool plain;

	explicit ProbePass(OptimizationLevel level) : plain(level == OptimizationLevel::O0)
	{
	}
	PreservedAnalyses run(Module &module, ModuleAnalysisManager &analyses)
	{
		return probe_pass_run(wrap(&module), &analyses, plain) ? PreservedAnalyses::none()
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
	/* Version 0 makes any loader refuse us; probe_version_check() has said why. */
	uint32_t api = probe_version_check() ? LLVM_PLUGIN_API_VERSION : 0;

	return {api, "probe", PROBE_VERSION, register_callbacks};
}
