/* SPDX-License-Identifier: MIT */
/*
 * Accesses that the back end removes: loads whose value is known, and stores that are overwritten.
 * At -O2 EarlyCSE runs in it on IR, and instruction selection removes accesses of one block. The
 * former is not run on a clone, because it takes flags off arithmetic that it unites, after which
 * less can be proved of addresses; the latter works on another representation. What they remove is
 * found here as nearly as a walk over the blocks can.
 */
#include "llvm-plugin/analysis/repeated_accesses.h"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/MemoryLocation.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

using namespace llvm;

enum {
	KNOWN_MAX = 64, /* limit of places, so that time is linear */
	/* Writes that instruction selection passes: fitted to the counters of five programs. */
	CHAIN = 3,
};

namespace
{
/* What is in memory at a place. */
struct Known {
	const SCEV *pointer;
	Value *value;
	Instruction *access;
	bool read;	 /* by anything, since */
	unsigned writes; /* to other places, since */
};

using KnownList = SmallVector<Known, 16>;

class Remover
{
	ScalarEvolution &evolution;
	AAResults &alias;
	const RemovedBy by;
	SmallVector<Instruction *, 16> dead;

	static Known *find(KnownList &list, const SCEV *pointer, const Type *type);
	void load(KnownList &list, LoadInst *inst);
	void store(KnownList &list, StoreInst *inst);
	void write(KnownList &list, Instruction *inst);
	void visit(KnownList &list, Instruction *inst);

      public:
	Remover(Function &function, FunctionAnalysisManager &manager, RemovedBy what)
	    : evolution(manager.getResult<ScalarEvolutionAnalysis>(function)),
	      alias(manager.getResult<AAManager>(function)), by(what)
	{
	}
	bool run(DominatorTree &tree);
};
} // namespace

Known *Remover::find(KnownList &list, const SCEV *pointer, const Type *type)
{
	for (Known &known : reverse(list))
		if (known.pointer == pointer && known.value->getType() == type)
			return &known;
	return nullptr;
}

void Remover::load(KnownList &list, LoadInst *inst)
{
	const SCEV *pointer = evolution.getSCEV(inst->getPointerOperand());

	if (Known *known = find(list, pointer, inst->getType())) {
		inst->replaceAllUsesWith(known->value);
		dead.push_back(inst);
		return;
	}
	for (Known &known : list)
		if (by == RemovedBy::Selection && !known.read)
			known.read = isRefSet(
				alias.getModRefInfo(inst, MemoryLocation::get(known.access)));
	list.push_back({pointer, inst, inst, true, 0});
}

void Remover::write(KnownList &list, Instruction *inst)
{
	const unsigned most = by == RemovedBy::Selection ? CHAIN : 0;

	erase_if(list, [&](Known &known) {
		ModRefInfo info = alias.getModRefInfo(inst, MemoryLocation::get(known.access));

		known.read = known.read || isRefSet(info);
		return isModSet(info) || ++known.writes > most;
	});
}

void Remover::store(KnownList &list, StoreInst *inst)
{
	const SCEV *pointer = evolution.getSCEV(inst->getPointerOperand());
	Known *known = find(list, pointer, inst->getValueOperand()->getType());

	if (known && by == RemovedBy::Selection && isa<StoreInst>(known->access) && !known->read)
		dead.push_back(known->access);
	write(list, inst);
	list.push_back({pointer, inst->getValueOperand(), inst, false, 0});
}

void Remover::visit(KnownList &list, Instruction *inst)
{
	auto *of_load = dyn_cast<LoadInst>(inst);
	auto *of_store = dyn_cast<StoreInst>(inst);

	if (list.size() > KNOWN_MAX)
		list.erase(list.begin());
	if (of_load && of_load->isSimple())
		load(list, of_load);
	else if (of_store && of_store->isSimple())
		store(list, of_store);
	else if (inst->mayReadOrWriteMemory())
		write(list, inst);
}

bool Remover::run(DominatorTree &tree)
{
	DenseMap<BasicBlock *, KnownList> at_end;

	for (auto *node : depth_first(tree.getRootNode())) {
		BasicBlock *block = node->getBlock(), *before = block->getSinglePredecessor();
		KnownList list;

		if (before && by != RemovedBy::Selection)
			list = at_end[before];
		for (Instruction &inst : *block)
			visit(list, &inst);
		at_end[block] = std::move(list);
	}
	for (Instruction *inst : dead)
		inst->eraseFromParent();
	return !dead.empty();
}

void remove_repeated_accesses(Function &function, FunctionAnalysisManager &manager, RemovedBy by)
{
	if (Remover(function, manager, by).run(manager.getResult<DominatorTreeAnalysis>(function)))
		manager.invalidate(function, PreservedAnalyses::none());
}
