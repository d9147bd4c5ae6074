/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/analysis/machine_addresses.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/GVN.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/LoopStrengthReduce.h>
#include <llvm/Transforms/Scalar/NaryReassociate.h>
#include <llvm/Transforms/Scalar/SpeculativeExecution.h>
#include <llvm/Transforms/Scalar/StraightLineStrengthReduce.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "llvm-plugin/base/access_removed.h"

using namespace llvm;

/* The index without a constant that selection adds to the address: index + 4, index | 1. */
static const Value *without_addend(const Value *index, const DataLayout &layout, int64_t &addend)
{
	auto *sum = dyn_cast<BinaryOperator>(index);
	auto *constant = sum ? dyn_cast<ConstantInt>(sum->getOperand(1)) : nullptr;

	addend = 0;
	if (!constant ||
	    (sum->getOpcode() != Instruction::Add &&
	     (sum->getOpcode() != Instruction::Or ||
	      !MaskedValueIsZero(sum->getOperand(0), constant->getValue(), layout))))
		return index;
	addend = constant->getSExtValue();
	return sum->getOperand(0);
}

/* The one index of an address that is not constant, and its step in bytes; null = several. */
static const Value *only_index(const GetElementPtrInst *address, const DataLayout &layout,
			       uint64_t &step, int64_t &constant)
{
	const Value *index = nullptr;

	for (auto at = gep_type_begin(address); at != gep_type_end(address); ++at) {
		auto *number = dyn_cast<ConstantInt>(at.getOperand());
		StructType *members = at.getStructTypeOrNull();
		uint64_t size = members ? 0 : layout.getTypeAllocSize(at.getIndexedType());

		if (members)
			constant += (int64_t)layout.getStructLayout(members)->getElementOffset(
				(unsigned)number->getZExtValue());
		else if (number)
			constant += number->getSExtValue() * (int64_t)size;
		else if (index)
			return nullptr;
		else
			index = at.getOperand(), step = size;
	}
	return index;
}

/*
 * As instruction selection does, which looks at one block. It does not see through the extension of
 * an index. Addresses that are a pointer and a constant are computed again in the access's block.
 */
static MachineAddress select(Instruction *access, ScalarEvolution &evolution)
{
	const DataLayout &layout = access->getModule()->getDataLayout();
	Value *pointer = getLoadStorePointerOperand(access);
	APInt sum(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
	Value *base = pointer->stripAndAccumulateConstantOffsets(layout, sum, true);
	auto *address = dyn_cast<GetElementPtrInst>(base);
	uint64_t step = 0;
	int64_t addend, within = 0;
	const Value *index = address && address->getParent() == access->getParent()
				     ? only_index(address, layout, step, within)
				     : nullptr;

	if (!index)
		return {{evolution.getSCEV(base), nullptr, 0}, sum.getSExtValue()};
	index = without_addend(index, layout, addend);
	base = address->getPointerOperand();
	if (auto *outer = dyn_cast<Instruction>(base);
	    !outer || outer->getParent() == access->getParent())
		base = base->stripAndAccumulateConstantOffsets(layout, sum, true);
	return {{evolution.getSCEV(base), evolution.getSCEV(const_cast<Value *>(index)), step},
		sum.getSExtValue() + within + addend * (int64_t)step};
}

/* Is there a block in a loop with two accesses that might be merged? */
static bool has_candidates(Function &function, const LoopInfo &loops)
{
	for (BasicBlock &block : function) {
		unsigned count[2] = {0, 0};

		for (Instruction &inst : block)
			if (loops.getLoopFor(&block) && isa<LoadInst, StoreInst>(inst) &&
			    getLoadStoreAddressSpace(&inst) <= 1 && ++count[isa<StoreInst>(inst)] > 1)
				return true;
	}
	return false;
}

template <class Pass>
static void run(Pass pass, Function &function, FunctionAnalysisManager &manager)
{
	manager.invalidate(function, pass.run(function, manager));
}

/* Unites equal values. */
static void run_cse(Function &copy, FunctionAnalysisManager &manager, unsigned level)
{
	if (level > 2)
		run(GVNPass(), copy, manager);
	else if (level > 1)
		run(EarlyCSEPass(), copy, manager);
}

/* The passes between SeparateConstOffsetFromGEP and LoadStoreVectorizer, as far as they matter. */
static void run_passes(Function &copy, FunctionAnalysisManager &manager, unsigned level)
{
	if (level > 1) {
		run(SpeculativeExecutionPass(), copy, manager);
		run(StraightLineStrengthReducePass(), copy, manager);
		run_cse(copy, manager, level);
		run(NaryReassociatePass(), copy, manager);
		run(EarlyCSEPass(), copy, manager);
	}
	run(createFunctionToLoopPassAdaptor(LoopStrengthReducePass()), copy, manager);
	run_cse(copy, manager, level);
}

void MachineAddresses::find_addresses(Function &function, ValueToValueMapTy &map,
				      ScalarEvolution &evolution)
{
	DenseMap<decltype(MachineAddress::base), uint64_t> numbers; /* bases do not outlive the copy */

	for (BasicBlock &block : function)
		for (Instruction &inst : block) {
			auto *now = map.count(&inst) ? dyn_cast_or_null<Instruction>(map[&inst])
						     : nullptr;

			if (!isa<LoadInst, StoreInst>(inst) || !now ||
			    now->getOpcode() != inst.getOpcode())
				continue;
			MachineAddress address = select(now, evolution);
			uint64_t number =
				numbers.insert({address.base, numbers.size() + 1}).first->second;

			reduced.insert({{getLoadStorePointerOperand(&inst), &block},
					{{nullptr, nullptr, number}, address.constant}});
		}
}

/* Loads of a function and what they are in its copy. */
using Copies = SmallVector<std::pair<LoadInst *, Value *>, 32>;

static Copies loads_of(Function &function, ValueToValueMapTy &map)
{
	Copies loads;

	for (BasicBlock &block : function)
		for (Instruction &inst : block)
			if (auto *load = dyn_cast<LoadInst>(&inst))
				loads.push_back({load, map[load]});
	return loads;
}

/*
 * Those that are not in the copy any more, unless a pass put loads into their loop, which may be
 * them at another place.
 */
static SmallVector<LoadInst *, 8> find_removed(const Copies &loads, ValueToValueMapTy &map,
					       Function &copy, const LoopInfo &loops)
{
	SmallPtrSet<const Value *, 32> known;
	SmallVector<const LoadInst *, 8> added;
	SmallVector<LoadInst *, 8> ret;

	for (auto &load : loads)
		known.insert(load.second);
	for (Instruction &inst : instructions(copy))
		if (isa<LoadInst>(inst) && !known.count(&inst))
			added.push_back(cast<LoadInst>(&inst));
	for (auto &load : loads) {
		auto *block = cast_or_null<BasicBlock>((Value *)map[load.first->getParent()]);
		const Loop *loop = block ? loops.getLoopFor(block) : nullptr;

		if (!block || !load.first->isSimple() || map[load.first] == load.second)
			continue;
		if (none_of(added, [&](const LoadInst *other) {
			    return loop ? loop->contains(other) : !loops.getLoopFor(other->getParent());
		    }))
			ret.push_back(load.first);
	}
	return ret;
}

void MachineAddresses::reduce(Function &function, FunctionAnalysisManager &manager, unsigned level)
{
	ValueToValueMapTy map;
	Function *copy = CloneFunction(&function, map);
	const Copies loads = loads_of(function, map);

	copy->setLinkage(GlobalValue::InternalLinkage);
	run_passes(*copy, manager, level);
	find_addresses(function, map, manager.getResult<ScalarEvolutionAnalysis>(*copy));
	removed = find_removed(loads, map, *copy, manager.getResult<LoopAnalysis>(*copy));
	map.clear();
	manager.clear(*copy, copy->getName());
	copy->eraseFromParent();
}

void MachineAddresses::hold(bool keep)
{
	if (keep)
		removed.clear();
	for (LoadInst *load : removed)
		load->setVolatile(true);
}

void MachineAddresses::release()
{
	for (LoadInst *load : removed) {
		load->setVolatile(false);
		load->setMetadata(ACCESS_REMOVED, MDNode::get(load->getContext(), {}));
	}
}

MachineAddresses::MachineAddresses(Function &function, FunctionAnalysisManager &manager,
				   unsigned level)
{
	if (has_candidates(function, manager.getResult<LoopAnalysis>(function)))
		reduce(function, manager, level);
}

MachineAddress MachineAddresses::of(Instruction *access, ScalarEvolution &evolution) const
{
	const DataLayout &layout = access->getModule()->getDataLayout();
	Value *pointer = getLoadStorePointerOperand(access);
	APInt sum(layout.getIndexTypeSizeInBits(pointer->getType()), 0);
	auto found = reduced.find({pointer, access->getParent()});

	if (found == reduced.end())
		found = reduced.find({pointer->stripAndAccumulateConstantOffsets(layout, sum, true),
				      access->getParent()});
	if (found == reduced.end())
		return select(access, evolution);
	return {found->second.base, found->second.constant + sum.getSExtValue()};
}
