/* SPDX-License-Identifier: MIT */
/*
 * The plugin's entry point and what LLVM-C lacks. No exceptions, no RTTI; everything else is C.
 */
#include "llvm-compat.h"
#include "pass_shim.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Analysis/ValueTracking.h>
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
#include <llvm/Support/KnownBits.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/InferAddressSpaces.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>
#include <llvm/Transforms/Utils/LowerMemIntrinsics.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>
#include <llvm/Transforms/Vectorize/LoadStoreVectorizer.h>
#include PROBE_DIVERGENCE_HEADER

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

namespace
{
/* base + sum of scale * (value, extended) + constant, modulo 2^64. */
struct Address {
	struct Part {
		const Value *value;
		unsigned extension; /* 0, or the cast's opcode */
		uint64_t scale;
		bool operator<(const Part &other) const
		{
			return std::tie(value, extension, scale) <
			       std::tie(other.value, other.extension, other.scale);
		}
		bool operator==(const Part &other) const
		{
			return value == other.value && extension == other.extension &&
			       scale == other.scale;
		}
	};
	const DataLayout &layout;
	const Value *base;
	uint64_t constant = 0;
	SmallVector<Part, 8> parts;

	Address(const Value *pointer, const DataLayout &of) : layout(of), base(pointer)
	{
		while (auto *gep = dyn_cast<GEPOperator>(base)) {
			unsigned bits = layout.getIndexTypeSizeInBits(gep->getType());
			MapVector<Value *, APInt> variable;
			APInt fixed(bits, 0);

			if (bits > 64 || !gep->collectOffset(layout, bits, variable, fixed))
				break;
			constant += (uint64_t)fixed.getSExtValue();
			for (auto &entry : variable)
				add(entry.first, (uint64_t)entry.second.getSExtValue(), bits);
			base = gep->getPointerOperand();
		}
		llvm::sort(parts);
	}

	/* A constant added under an extension that cannot overflow comes out of it. */
	void add(const Value *value, uint64_t scale, unsigned bits)
	{
		unsigned extension = 0;

		for (;;) {
			auto *op = dyn_cast<Operator>(value);
			auto *by = op && op->getNumOperands() == 2
					   ? dyn_cast<ConstantInt>(op->getOperand(1))
					   : nullptr;
			auto *whole = dyn_cast<OverflowingBinaryOperator>(value);
			bool exact = value->getType()->getIntegerBitWidth() >= bits && !extension;

			/* An or that adds, as unrolled loops have. */
			if (by && op->getOpcode() == Instruction::Or && by->getBitWidth() <= 64 &&
			    !by->isNegative() &&
			    MaskedValueIsZero(op->getOperand(0), by->getValue(), layout)) {
				constant += scale * by->getZExtValue();
				value = op->getOperand(0);
			} else if (whole && by && whole->getOpcode() == Instruction::Add &&
				   by->getBitWidth() <= 64) {
				bool up = extension == Instruction::ZExt;

				if (!exact &&
				    (up ? !whole->hasNoUnsignedWrap() : !whole->hasNoSignedWrap()))
					break;
				constant += scale * (up ? by->getZExtValue()
							: (uint64_t)by->getSExtValue());
				value = op->getOperand(0);
			} else if (!extension && (isa<SExtInst>(value) || isa<ZExtInst>(value))) {
				extension = cast<Instruction>(value)->getOpcode();
				value = op->getOperand(0);
			} else if (exact && whole && by && whole->getOpcode() == Instruction::Shl &&
				   by->getZExtValue() < 64) {
				scale <<= by->getZExtValue();
				value = op->getOperand(0);
			} else if (exact && whole && by && whole->getOpcode() == Instruction::Mul &&
				   by->getBitWidth() <= 64) {
				scale *= (uint64_t)by->getSExtValue();
				value = op->getOperand(0);
			} else {
				break;
			}
		}
		for (Part &part : parts)
			if (part.value == value && part.extension == extension) {
				part.scale += scale;
				return;
			}
		parts.push_back({value, extension, scale});
	}
};
} // namespace

bool probe_shim_distance(LLVMValueRef a, LLVMValueRef b, int64_t *ret)
{
	const Value *from = unwrap(a), *to = unwrap(b);

	if (from == to) {
		*ret = 0;
		return true;
	}
	auto *inst = dyn_cast<Instruction>(from);
	if (!inst)
		inst = dyn_cast<Instruction>(to);
	if (!inst || from->getType() != to->getType())
		return false;
	const DataLayout &layout = inst->getModule()->getDataLayout();
	Address first(from, layout), second(to, layout);

	if (first.base != second.base || first.parts != second.parts)
		return false;
	*ret = (int64_t)(second.constant - first.constant);
	return true;
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

struct probe_shim_flow {
	DominatorTree &dominators;
	PostDominatorTree &postdominators;
	LoopInfo &loops;
	PROBE_DIVERGENCE_INFO divergence;
};

struct probe_shim_flow *probe_shim_flow_create(LLVMValueRef value, void *analyses)
{
	auto *function = unwrap<Function>(value);
	auto &manager = function_analyses(*function->getParent(), analyses);

	/* Callers have changed the function since it was last analysed. */
	manager.invalidate(*function, PreservedAnalyses::none());
	return new probe_shim_flow{
		manager.getResult<DominatorTreeAnalysis>(*function),
		manager.getResult<PostDominatorTreeAnalysis>(*function),
		manager.getResult<LoopAnalysis>(*function),
		PROBE_DIVERGENCE_ANALYSIS().run(*function, manager),
	};
}

void probe_shim_flow_destroy(struct probe_shim_flow *flow)
{
	delete flow;
}

bool probe_shim_flow_same_loop(const struct probe_shim_flow *flow, LLVMValueRef value,
			       LLVMBasicBlockRef block)
{
	auto *inst = dyn_cast<Instruction>(unwrap(value));
	Loop *loop = inst ? flow->loops.getLoopFor(inst->getParent()) : nullptr;

	return !loop || loop->contains(unwrap(block));
}

bool probe_shim_flow_differs(const struct probe_shim_flow *flow, LLVMValueRef user,
			     unsigned operand)
{
	auto *inst = unwrap<Instruction>(user);
	const Use &use = inst->getOperandUse(operand);

	if (isa<Constant>(use.get()))
		return false;
#if LLVM_VERSION_MAJOR >= 16
	/* Lanes may have left a loop with different values of it. */
	return PROBE_IS_DIVERGENT(flow->divergence, use.get()) ||
	       !probe_shim_flow_same_loop(flow, wrap(use.get()), wrap(inst->getParent()));
#else
	return flow->divergence.isDivergentUse(use);
#endif
}

bool probe_shim_flow_is_header(const struct probe_shim_flow *flow, LLVMBasicBlockRef value,
			       LLVMBasicBlockRef *ret_latch)
{
	BasicBlock *block = unwrap(value);
	Loop *loop = flow->loops.getLoopFor(block);
	BasicBlock *latch = loop && loop->getHeader() == block ? loop->getLoopLatch() : nullptr;

	*ret_latch = wrap(latch);
	return latch != nullptr;
}

unsigned probe_shim_flow_depth(const struct probe_shim_flow *flow, LLVMBasicBlockRef block)
{
	return flow->loops.getLoopDepth(unwrap(block));
}

LLVMBasicBlockRef probe_shim_flow_idom(const struct probe_shim_flow *flow, LLVMBasicBlockRef block)
{
	auto *node = flow->dominators.getNode(unwrap(block));

	return node && node->getIDom() ? wrap(node->getIDom()->getBlock()) : nullptr;
}

bool probe_shim_flow_postdominates(const struct probe_shim_flow *flow, LLVMBasicBlockRef a,
				   LLVMBasicBlockRef b)
{
	return flow->postdominators.dominates(unwrap(a), unwrap(b));
}

bool probe_shim_flow_varies(const struct probe_shim_flow *flow, LLVMValueRef value,
			    LLVMBasicBlockRef block)
{
	return PROBE_IS_DIVERGENT(flow->divergence, unwrap(value)) ||
	       !probe_shim_flow_same_loop(flow, value, block);
}

bool probe_shim_never_wraps(LLVMValueRef value, bool with_sign)
{
	auto *op = dyn_cast<OverflowingBinaryOperator>(unwrap(value));

	return op && (with_sign ? op->hasNoSignedWrap() : op->hasNoUnsignedWrap());
}

bool probe_shim_gep_offset(LLVMValueRef value, int64_t *ret)
{
	auto *gep = cast<GEPOperator>(unwrap(value));
	const DataLayout &layout = unwrap<Instruction>(value)->getModule()->getDataLayout();
	APInt offset(layout.getIndexTypeSizeInBits(gep->getType()), 0);

	if (!gep->accumulateConstantOffset(layout, offset))
		return false;
	*ret = offset.getSExtValue();
	return true;
}

unsigned probe_shim_leading_zeros(LLVMValueRef value)
{
	auto *inst = dyn_cast<Instruction>(unwrap(value));

	if (!inst)
		return 0;
	return computeKnownBits(inst, inst->getModule()->getDataLayout()).countMinLeadingZeros();
}

bool probe_shim_or_is_add(LLVMValueRef value)
{
	auto *inst = unwrap<Instruction>(value);

	return PROBE_NO_COMMON_BITS(inst->getOperand(0), inst->getOperand(1),
				    inst->getModule()->getDataLayout());
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
