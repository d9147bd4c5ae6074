/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/analysis/index_load.h"
#include "llvm-plugin/analysis/private_slot.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/PointerIntPair.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <algorithm>

using namespace llvm;

enum { VALUES_MAX = 256, USERS_MAX = 128 }; /* limits, so that time is linear */

namespace
{
/* A value, and whether it was stored in private memory. */
using Stored = PointerIntPair<const Value *, 1, bool>;

class Dependence
{
	const analysis &in;
	const BasicBlock *block; /* that uses values of the analysed function */
	SmallVector<Stored, 16> work;
	DenseSet<Stored> seen;
	LaneDependence ret = LaneDependence::SAME;

	void raise(LaneDependence to, bool stored);
	void operands(const Instruction *inst, bool stored);
	void argument(const Argument *argument, bool stored);
	bool user(const Use &use, SmallVectorImpl<const Value *> &addresses);
	void variable(const AllocaInst *variable);
	void call(const CallBase *call, bool stored);
	void load(const LoadInst *load, bool stored);
	void instruction(const Instruction *inst, bool stored);

      public:
	Dependence(const analysis &of, const BasicBlock *at) : in(of), block(at)
	{
	}
	LaneDependence of(const Value *value);
};
} // namespace

/* Which part of a variable is loaded is not known. */
void Dependence::raise(LaneDependence to, bool stored)
{
	ret = std::max(ret, stored ? std::min(to, LaneDependence::UNKNOWN) : to);
}

void Dependence::operands(const Instruction *inst, bool stored)
{
	for (const Value *operand : inst->operands())
		if (isa<Instruction>(operand) || isa<Argument>(operand))
			work.push_back({operand, stored});
}

/* What calls pass for it. */
void Dependence::argument(const Argument *argument, bool stored)
{
	bool own = argument->getParent() == &in.function;
	const Function *function = own ? in.original : argument->getParent();
	unsigned number = argument->getArgNo();
	bool known = function->hasLocalLinkage();

	if (function->getCallingConv() == CallingConv::AMDGPU_KERNEL || (own && in.kernel))
		return;
	for (const Use &use : function->uses()) {
		auto *call = dyn_cast<CallBase>(use.getUser());

		if (!call || !call->isCallee(&use) || number >= call->arg_size())
			known = false;
		else
			work.push_back({call->getArgOperand(number), stored});
	}
	if (!known)
		raise(argument->getType()->isPointerTy() ? LaneDependence::UNKNOWN
							 : LaneDependence::VARIES,
		      stored);
}

/* A use of an address in a variable. False: it may store anything there. */
bool Dependence::user(const Use &use, SmallVectorImpl<const Value *> &addresses)
{
	const User *user = use.getUser();
	auto *call = dyn_cast<CallBase>(user);

	if (isa<GEPOperator>(user) || isa<CastInst>(user)) {
		addresses.push_back(user);
		return user->getType()->isPointerTy();
	}
	if (isa<LoadInst>(user) || isa<CmpInst>(user))
		return true;
	if (auto *store = dyn_cast<StoreInst>(user)) {
		work.push_back({store->getValueOperand(), true});
		return use.getOperandNo() == StoreInst::getPointerOperandIndex();
	}
	if (auto *copy = dyn_cast<MemTransferInst>(user)) {
		if (&use == &copy->getRawDestUse())
			work.push_back({copy->getRawSource(), true});
		return true;
	}
	auto *intrinsic = dyn_cast<IntrinsicInst>(user);

	if (intrinsic && (intrinsic->isLifetimeStartOrEnd() || isa<MemSetInst>(intrinsic)))
		return true;
	unsigned number = call && call->isArgOperand(&use) ? call->getArgOperandNo(&use) : 0;

	return call && call->isArgOperand(&use) && call->onlyReadsMemory(number) &&
	       call->doesNotCapture(number);
}

/* What is stored in it, in any part. */
void Dependence::variable(const AllocaInst *variable)
{
	SmallVector<const Value *, 8> addresses{variable};
	unsigned users = 0;

	while (!addresses.empty())
		for (const Use &use : addresses.pop_back_val()->uses())
			if (users++ == USERS_MAX || !user(use, addresses)) {
				raise(LaneDependence::UNKNOWN, true);
				return;
			}
}

void Dependence::call(const CallBase *call, bool stored)
{
	const Function *callee = call->getCalledFunction();
	StringRef name = callee ? callee->getName() : "";

	if (callee && !callee->isDeclaration()) {
		for (const Instruction &inst : instructions(callee))
			if (isa<ReturnInst>(inst))
				operands(&inst, stored);
		return;
	}
	if (name.find("llvm.amdgcn.mbcnt") == 0)
		raise(LaneDependence::VARIES, stored);
	if (name.find("llvm.amdgcn.readfirstlane") == 0 ||
	    (name.find("llvm.amdgcn.") == 0 && call->arg_empty()))
		return;
	if (!isa<IntrinsicInst>(call) || name.find("llvm.amdgcn.") == 0)
		raise(LaneDependence::UNKNOWN, stored);
	operands(call, stored);
}

void Dependence::load(const LoadInst *load, bool stored)
{
	SmallVector<Value *, 4> values;

	if (is_slot(load) && slot_values(load, values))
		for (const Value *value : values)
			work.push_back({value, stored});
	else
		work.push_back({load->getPointerOperand(), stored});
}

/* Lanes came to a phi from different blocks. */
static bool joins_lanes(const analysis &in, const Instruction *inst, const BasicBlock *block)
{
	auto *phi = dyn_cast<PHINode>(inst);

	return phi && none_of(phi->incoming_values(),
			      [&](const Use &value) { return in.varies(value, block); });
}

void Dependence::instruction(const Instruction *inst, bool stored)
{
	bool own = inst->getFunction() == &in.function;
	auto *pointer = dyn_cast<PointerType>(inst->getType());
	/* Equal addresses of private memory are places of different lanes. */
	bool may_be_private = pointer && (pointer->getAddressSpace() == PROBE_SPACE_FLAT ||
					  pointer->getAddressSpace() == PROBE_SPACE_SCRATCH);
	bool varies = !own || in.varies(inst, block);

	if (group_axis(inst) >= 0 || (!varies && !may_be_private))
		return;
	if (item_axis(inst) >= 0 || isa<AtomicRMWInst>(inst) || isa<AtomicCmpXchgInst>(inst) ||
	    (own && varies && joins_lanes(in, inst, block)))
		raise(LaneDependence::VARIES, stored);
	else if (auto *slot = dyn_cast<AllocaInst>(inst))
		variable(slot);
	else if (auto *from = dyn_cast<LoadInst>(inst))
		load(from, stored);
	else if (auto *callee = dyn_cast<CallBase>(inst))
		call(callee, stored);
	else
		operands(inst, stored);
}

LaneDependence Dependence::of(const Value *value)
{
	work.push_back({value, false});
	while (!work.empty() && ret != LaneDependence::VARIES) {
		Stored next = work.pop_back_val();

		if (!seen.insert(next).second)
			continue;
		if (seen.size() > VALUES_MAX) {
			raise(LaneDependence::UNKNOWN, false);
			break;
		}
		if (auto *inst = dyn_cast<Instruction>(next.getPointer()))
			instruction(inst, next.getInt());
		else if (auto *from = dyn_cast<Argument>(next.getPointer()))
			argument(from, next.getInt());
	}
	return ret;
}

static bool is_private(const LoadInst *load)
{
	const Value *pointer = load->getPointerOperand();

	return load->getPointerAddressSpace() == PROBE_SPACE_SCRATCH ||
	       isa<AllocaInst>(getUnderlyingObject(pointer));
}

LaneDependence load_dependence(const analysis &in, const LoadInst *load)
{
	return is_private(load) ? LaneDependence::VARIES
				: Dependence(in, load->getParent()).of(load->getPointerOperand());
}
