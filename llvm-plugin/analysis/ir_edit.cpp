/* SPDX-License-Identifier: MIT */
/* Edits and queries of IR that LLVM's C interface lacks; see ir_edit.h. No exceptions, no RTTI. */
#include "llvm-plugin/analysis/ir_edit.h"

#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Scalar/SpeculativeExecution.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/LowerMemIntrinsics.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "llvm-plugin/analysis/function_analyses.h"
#include "llvm-plugin/analysis/separate_offsets.h"
#include "llvm-plugin/base/llvm-compat.h"

#if LLVM_VERSION_MAJOR < 16
/*
 * Data is not bound lazily. Weak, so that a later LLVM without it loads the plugin and gets an
 * error message.
 */
namespace llvm::cl
{
extern __attribute__((weak)) ManagedStatic<SubCommand> TopLevelSubCommand;
}
#endif

using namespace llvm;

/*
 * SIPreEmitPeephole removes an execz branch if the blocks that it skips are short, even if one of
 * them branches to a loop (seen in LLVM 15, device printf). The loop then runs with EXEC = 0. This
 * is harmless for vector code, but a probe's uniform loops branch on `EXEC and condition` and would
 * not terminate. With this threshold, only branches over empty code are removed.
 */
void ir_keep_exec_branches(void)
{
	auto &options = cl::getRegisteredOptions();
	auto found = options.find("amdgpu-skip-threshold");

	if (found == options.end())
		return;
	/* The option may also be on the command line, so that it must allow several occurrences. */
	found->second->addOccurrence(0, found->second->ArgStr, "1", true);
}

void ir_report_error(LLVMModuleRef module, const char *text)
{
	unwrap(module)->getContext().emitError(text);
}

/* A clone's own subprogram gets the clone's name. */
static void name_subprogram(Function &clone)
{
	DISubprogram *subprogram = clone.getSubprogram();

	if (subprogram && subprogram->isDistinct())
		subprogram->replaceLinkageName(MDString::get(clone.getContext(), clone.getName()));
}

LLVMValueRef ir_clone(LLVMValueRef value, const char *name, LLVMTypeRef *extra, unsigned count)
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
	if (clone->getSubprogram() != function->getSubprogram())
		name_subprogram(*clone);
	return wrap(clone);
}

void ir_drop_variables(LLVMValueRef value)
{
	auto *function = unwrap<Function>(value);
	DISubprogram *subprogram = function->getSubprogram();

	for (Instruction &inst : make_early_inc_range(instructions(function))) {
		PROBE_DROP_DEBUG_RECORDS(inst);
		if (isa<DbgInfoIntrinsic>(inst))
			inst.eraseFromParent();
	}
	if (!subprogram || !subprogram->isDistinct() || !subprogram->getRawRetainedNodes())
		return;
	for (unsigned i = 0; i < subprogram->getNumOperands(); i++)
		if (subprogram->getOperand(i) == subprogram->getRawRetainedNodes())
			subprogram->replaceOperandWith(i, nullptr);
}

void ir_rename(LLVMValueRef value, const char *name)
{
	auto *function = unwrap<Function>(value);

	function->setName(name);
	name_subprogram(*function);
}

void ir_delete(LLVMValueRef value, void *analyses)
{
	auto *function = unwrap<Function>(value);

	function_analyses(*function->getParent(), analyses).clear(*function, function->getName());
	function->eraseFromParent();
}

void ir_invalidate(LLVMValueRef value, void *analyses)
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

void ir_expand_copy(LLVMValueRef value, void *analyses)
{
	auto *call = unwrap<MemIntrinsic>(value);
	Function *function = call->getFunction();
	DebugLoc location = call->getDebugLoc();
	SmallPtrSet<BasicBlock *, 32> before;

	for (BasicBlock &block : *function)
		before.insert(&block);
	loop_copy(*call, function_analyses(*function->getParent(), analyses));
	call->eraseFromParent();
	/* The new loops have no debug locations. */
	for (BasicBlock &block : *function)
		for (Instruction &inst : block)
			if (!before.count(&block) && !inst.getDebugLoc())
				inst.setDebugLoc(location);
	ir_invalidate(wrap(function), analyses);
}

LLVMValueRef ir_branch_if(LLVMValueRef condition, LLVMValueRef value)
{
	auto *inst = unwrap<Instruction>(value);

	return wrap(SplitBlockAndInsertIfThen(unwrap(condition), inst, false));
}

void ir_cleanup(LLVMValueRef value, void *analyses)
{
	auto *function = unwrap<Function>(value);
	auto &manager = function_analyses(*function->getParent(), analyses);

	manager.invalidate(*function, PreservedAnalyses::none());
	manager.invalidate(*function, EarlyCSEPass().run(*function, manager));
	manager.invalidate(*function, SimplifyCFGPass().run(*function, manager));
}

void ir_hoist(LLVMValueRef value, void *analyses)
{
	auto *function = unwrap<Function>(value);
	auto &manager = function_analyses(*function->getParent(), analyses);

	manager.invalidate(*function, PreservedAnalyses::none());
	separate_offsets(*function, manager);
	manager.invalidate(*function, SpeculativeExecutionPass().run(*function, manager));
}

bool ir_inline(LLVMValueRef call)
{
	InlineFunctionInfo info;

	return InlineFunction(*unwrap<CallBase>(call), info).isSuccess();
}

LLVMValueRef ir_replace_call(LLVMValueRef value, LLVMValueRef callee, LLVMValueRef *extra,
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
	/* The call site's function attributes may be wrong for the instrumented callee. */
	fresh->setAttributes(AttributeList::get(call->getContext(), AttributeSet(),
						call->getAttributes().getRetAttrs(), params));
	fresh->setCallingConv(call->getCallingConv());
	fresh->setDebugLoc(call->getDebugLoc());
	fresh->takeName(call);
	call->replaceAllUsesWith(fresh);
	call->eraseFromParent();
	return wrap(fresh);
}

void ir_promote(LLVMValueRef *allocas, unsigned count)
{
	SmallVector<AllocaInst *, 8> variables;

	for (unsigned i = 0; i < count; i++)
		variables.push_back(unwrap<AllocaInst>(allocas[i]));
	DominatorTree dominators(*variables[0]->getFunction());
	PromoteMemToReg(variables, dominators);
}

void ir_set_atomic_scope(LLVMValueRef value, const char *name)
{
	auto *function = unwrap<Function>(value);
	SyncScope::ID scope = function->getContext().getOrInsertSyncScopeID(name);

	auto set_scope = [scope](auto *access) {
		if (!access->isVolatile())
			access->setSyncScopeID(scope);
	};

	for (Instruction &inst : instructions(function)) {
		if (auto *load = dyn_cast<LoadInst>(&inst); load && load->isAtomic())
			set_scope(load);
		else if (auto *store = dyn_cast<StoreInst>(&inst); store && store->isAtomic())
			set_scope(store);
		else if (auto *rmw = dyn_cast<AtomicRMWInst>(&inst))
			set_scope(rmw);
		else if (auto *swap = dyn_cast<AtomicCmpXchgInst>(&inst))
			set_scope(swap);
	}
}

void ir_keep_global(LLVMModuleRef module, LLVMValueRef global)
{
	GlobalValue *list[] = {unwrap<GlobalValue>(global)};

	appendToUsed(*unwrap(module), list);
	appendToCompilerUsed(*unwrap(module), list);
}

LLVMMetadataRef ir_scope_subprogram(LLVMMetadataRef scope)
{
	auto *local = dyn_cast_or_null<DILocalScope>(unwrap(scope));

	return wrap(local ? local->getSubprogram() : nullptr);
}

const char *ir_subprogram_name(LLVMMetadataRef value, size_t *ret_size)
{
	auto *subprogram = unwrap<DISubprogram>(value);
	StringRef name = subprogram->getLinkageName();

	if (name.empty())
		name = subprogram->getName();
	*ret_size = name.size();
	return name.data();
}

const char *ir_subprogram_source_name(LLVMMetadataRef value, size_t *ret_size)
{
	StringRef name = unwrap<DISubprogram>(value)->getName();

	*ret_size = name.size();
	return name.data();
}

bool ir_has_bundles(LLVMValueRef call)
{
	return unwrap<CallBase>(call)->hasOperandBundles();
}

const char *ir_asm_text(LLVMValueRef code, size_t *ret_size)
{
	StringRef text = cast<InlineAsm>(unwrap(code))->getAsmString();

	*ret_size = text.size();
	return text.data();
}
