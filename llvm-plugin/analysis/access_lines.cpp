/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/analysis/access_lines.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>

using namespace llvm;

void AccessLines::add(StoreInst *store)
{
	const DebugLoc &line = store->getDebugLoc();

	pointers.push_back({store->getPointerOperand(), line});
	stores.push_back(store);
	if (!stored.insert({store->getValueOperand(), line}).second)
		stored[store->getValueOperand()] = DebugLoc();
}

AccessLines::AccessLines(Function &function)
{
	for (BasicBlock &block : function)
		for (Instruction &inst : block) {
			if (auto *store = dyn_cast<StoreInst>(&inst))
				add(store);
			if (isa<LoadInst>(inst))
				loads.push_back({&inst, inst.getDebugLoc()});
		}
}

void AccessLines::set_element(const Value *access, uint64_t index, const DebugLoc &line)
{
	auto &list = elements[access];

	if (list.size() <= index)
		list.resize(index + 1);
	list[index] = line;
}

void AccessLines::restore(StoreInst *store, const DenseMap<const Value *, DebugLoc> &lines)
{
	auto *type = dyn_cast<FixedVectorType>(store->getValueOperand()->getType());
	/* The first of the merged stores has the lowest address. */
	auto line = lines.find(store->getPointerOperand()->stripPointerCasts());

	if (line == lines.end())
		line = lines.find(store->getPointerOperand());
	if (line != lines.end())
		store->setDebugLoc(line->second);
	for (unsigned i = 0; type && i < type->getNumElements(); i++) {
		auto found = stored.find(findScalarElement(store->getValueOperand(), i));

		if (found != stored.end())
			set_element(store, i, found->second);
	}
}

void AccessLines::restore(Function &function)
{
	SmallPtrSet<const Value *, 32> kept;
	DenseMap<const Value *, DebugLoc> lines;

	for (WeakVH &store : stores)
		if (store)
			kept.insert(store);
	for (auto &pointer : pointers)
		if (pointer.first && pointer.second)
			lines.insert({pointer.first, pointer.second});
	for (BasicBlock &block : function)
		for (Instruction &inst : block) {
			auto *store = dyn_cast<StoreInst>(&inst);

			if (store && !kept.count(store))
				restore(store, lines);
		}
	/* Uses of a load that was merged became uses of an element. */
	for (auto &load : loads) {
		Value *now = load.first;

		while (auto *cast = dyn_cast_or_null<CastInst>(now))
			now = cast->getOperand(0);
		auto *element = dyn_cast_or_null<ExtractElementInst>(now);
		auto *index = element ? dyn_cast<ConstantInt>(element->getIndexOperand()) : nullptr;

		if (index && isa<LoadInst>(element->getVectorOperand()))
			set_element(element->getVectorOperand(), index->getZExtValue(),
				    load.second);
	}
}

DebugLoc AccessLines::of(const Instruction *access, unsigned element) const
{
	auto found = elements.find(access);

	return found != elements.end() && element < found->second.size() && found->second[element]
		       ? found->second[element]
		       : access->getDebugLoc();
}
