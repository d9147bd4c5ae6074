/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/analysis/private_slot.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

using namespace llvm;

enum { USERS_MAX = 128, DEPTH_MAX = 12 }; /* limits, so that time is linear */

bool is_slot(const Instruction *inst)
{
	auto *load = dyn_cast<LoadInst>(inst);
	const Value *pointer = load ? load->getPointerOperand() : nullptr;

	if (!load || !isa<AllocaInst>(getUnderlyingObject(pointer)))
		return false;
	for (unsigned i = 0; i < DEPTH_MAX; i++) {
		auto *gep = dyn_cast<GEPOperator>(pointer = pointer->stripPointerCasts());

		if (!gep)
			return true;
		if (!gep->hasAllConstantIndices())
			return false;
		pointer = gep->getPointerOperand();
	}
	return false;
}

/* A use that neither stores to the variable nor gives its address away. */
static bool is_harmless(const User *user)
{
	auto *intrinsic = dyn_cast<IntrinsicInst>(user);

	return intrinsic && intrinsic->isLifetimeStartOrEnd();
}

bool slot_values(const LoadInst *load, SmallVectorImpl<Value *> &ret)
{
	auto *slot = dyn_cast<AllocaInst>(load->getPointerOperand()->stripPointerCasts());
	SmallVector<const Value *, 4> work{slot};
	unsigned users = 0;

	while (slot && !work.empty()) {
		const Value *address = work.pop_back_val();

		for (const Use &use : address->uses()) {
			auto *read = dyn_cast<LoadInst>(use.getUser());
			auto *store = dyn_cast<StoreInst>(use.getUser());

			if (users++ == USERS_MAX)
				return false;
			if (isa<BitCastInst>(use.getUser()) ||
			    isa<AddrSpaceCastInst>(use.getUser()))
				work.push_back(use.getUser());
			else if (store && store->getPointerOperand() == address &&
				 store->getValueOperand() != address &&
				 store->getValueOperand()->getType() == load->getType())
				ret.push_back(store->getValueOperand());
			else if (!(read && read->getType() == load->getType()) &&
				 !is_harmless(use.getUser()))
				return false;
		}
	}
	return slot;
}

Value *slot_value(Value *value)
{
	for (unsigned i = 0; i < DEPTH_MAX; i++) {
		auto *load = dyn_cast<LoadInst>(value);
		SmallVector<Value *, 4> values;

		if (!load || !is_slot(load) || !slot_values(load, values) || values.size() != 1)
			break;
		value = values[0];
	}
	return value;
}
