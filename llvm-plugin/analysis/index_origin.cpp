/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/analysis/index_origin.h"
#include "llvm-plugin/analysis/address_text.h"
#include "llvm-plugin/analysis/index_load.h"
#include "llvm-plugin/analysis/private_slot.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IntrinsicInst.h>

using namespace llvm;

enum { VALUES_MAX = 256 }; /* limit of values visited per access, so that time is linear */

namespace
{
enum { WHOLE = -1 };

/* A value, or one element of a vector: the optimiser packs unrelated scalars into vectors. */
using Element = std::pair<const Value *, int>;

class Flow
{
	const analysis &in;
	const BasicBlock *block;
	DenseSet<Element> seen;

	void operands(const Instruction *inst, int element, SmallVectorImpl<Element> &work) const;
	static bool variable(const LoadInst *load, SmallVectorImpl<Element> &work);
	LaneDependence dependence(const Instruction *inst) const;

      public:
	Flow(const analysis &of, const BasicBlock *at) : in(of), block(at)
	{
	}
	Origin trace(const Value *from, const Instruction *target, bool through_loads);
};
} // namespace

/* The element of a shuffle's operand; false if the result's element is undefined. */
static bool shuffled(const ShuffleVectorInst *shuffle, int element, Element &ret)
{
	auto *type = dyn_cast<FixedVectorType>(shuffle->getOperand(0)->getType());

	if (!type)
		return false;
	int from = shuffle->getMaskValue((unsigned)element), count = (int)type->getNumElements();

	if (from < 0)
		return false;
	ret = {shuffle->getOperand(from >= count), from % count};
	return true;
}

/* Does each element of the result depend on the same element of each vector operand only? */
static bool by_element(const Instruction *inst)
{
	auto *call = dyn_cast<IntrinsicInst>(inst);

	if (call)
		return isTriviallyVectorizable(call->getIntrinsicID());
	if (isa<BitCastInst>(inst))
		return false;
	return isa<BinaryOperator>(inst) || isa<UnaryOperator>(inst) || isa<CastInst>(inst) ||
	       isa<SelectInst>(inst) || isa<PHINode>(inst) || isa<FreezeInst>(inst);
}

void Flow::operands(const Instruction *inst, int element, SmallVectorImpl<Element> &work) const
{
	auto *extract = dyn_cast<ExtractElementInst>(inst);
	auto *insert = dyn_cast<InsertElementInst>(inst);
	auto *shuffle = dyn_cast<ShuffleVectorInst>(inst);
	auto *index = dyn_cast_or_null<ConstantInt>(extract  ? extract->getIndexOperand()
						    : insert ? insert->getOperand(2)
							     : nullptr);
	Element from;

	/* What is compared chooses an index, but is none. */
	if (isa<CmpInst>(inst))
		return;
	if (auto *load = dyn_cast<LoadInst>(inst)) {
		work.push_back({load->getPointerOperand(), WHOLE});
		return;
	}
	if (extract && index) {
		work.push_back({extract->getVectorOperand(), (int)index->getZExtValue()});
		return;
	}
	if (insert && index && element != WHOLE) {
		bool own = index->getZExtValue() == (uint64_t)element;

		work.push_back({insert->getOperand(own), own ? WHOLE : element});
		return;
	}
	if (shuffle && element != WHOLE) {
		if (shuffled(shuffle, element, from))
			work.push_back(from);
		return;
	}
	for (const Value *operand : inst->operands())
		if (isa<Instruction>(operand) || isa<Argument>(operand))
			work.push_back(
				{operand, operand->getType()->isVectorTy() && by_element(inst)
						  ? element
						  : WHOLE});
}

static bool has_line(const Instruction *inst)
{
	return inst->getDebugLoc() && inst->getDebugLoc().getLine();
}

static bool wraps_index(const Instruction *inst)
{
	auto *call = dyn_cast<IntrinsicInst>(inst);

	if (isa<SelectInst>(inst))
		return true;
	switch (call ? call->getIntrinsicID() : Intrinsic::not_intrinsic) {
	case Intrinsic::umin:
	case Intrinsic::umax:
	case Intrinsic::smin:
	case Intrinsic::smax:
		return true;
	default:
		return inst->getOpcode() == Instruction::URem ||
		       inst->getOpcode() == Instruction::SRem ||
		       inst->getOpcode() == Instruction::And;
	}
}

/*
 * Is a value rounded down to a multiple of a power of two, as by a quotient? Compilers do so with
 * the number of a loop's iterations, which has a maximum or a choice in it, so that none of what is
 * rounded is one of the index.
 */
static bool is_rounding(const Instruction *inst)
{
	auto *mask = inst->getOpcode() == Instruction::And
			     ? dyn_cast<ConstantInt>(inst->getOperand(1))
			     : nullptr;

	return mask && mask->getValue().isNegatedPowerOf2();
}

/* False: its values are not known. */
bool Flow::variable(const LoadInst *load, SmallVectorImpl<Element> &work)
{
	SmallVector<Value *, 4> values;
	bool known = slot_values(load, values);

	for (Value *value : values)
		work.push_back({value, WHOLE});
	return known;
}

/* Of a loaded value. A chase is one wherever it starts. */
LaneDependence Flow::dependence(const Instruction *inst) const
{
	auto *load = dyn_cast<LoadInst>(inst);

	/* Lanes may have left a loop in different iterations, with different values. */
	if (!load || !in.leaves_together(in.loops.getLoopFor(load->getParent()), block))
		return LaneDependence::VARIES;
	auto found = in.loaded.find(load);

	if (found != in.loaded.end())
		return found->second;
	LaneDependence ret = load_dependence(in, load);

	if (ret != LaneDependence::VARIES &&
	    index_origin(in, load->getParent(), load->getPointerOperand(), load, true).itself)
		ret = LaneDependence::VARIES;
	in.loaded[load] = ret;
	return ret;
}

static void add_load(const Instruction *load, Origin &ret)
{
	ret.several |= ret.load && place_of(load, true) != place_of(ret.load, true);
	if (!ret.load || !has_line(ret.load))
		ret.load = load;
}

Origin Flow::trace(const Value *from, const Instruction *target, bool through_loads)
{
	SmallVector<Element, 16> work{{from, WHOLE}}, rounded;
	bool within = false; /* a value that is rounded */
	Origin ret;

	while ((!work.empty() || !rounded.empty()) && seen.size() < VALUES_MAX) {
		if (work.empty()) {
			work.swap(rounded);
			within = true;
		}
		Element next = work.pop_back_val();
		auto *inst = dyn_cast<Instruction>(next.first);

		if (inst && inst == target)
			ret.itself = true;
		/* What the caller of a function hands over. */
		if (isa<Argument>(next.first))
			ret.unknown |= in.varies(next.first, block);
		if (!inst || !seen.insert(next).second || !in.varies(inst, block))
			continue;
		if (is_slot(inst)) {
			ret.unknown |= !variable(cast<LoadInst>(inst), work);
			continue;
		}
		if (isa<LoadInst>(inst) || isa<AtomicRMWInst>(inst) ||
		    isa<AtomicCmpXchgInst>(inst)) {
			LaneDependence lanes =
				through_loads ? LaneDependence::VARIES : dependence(inst);

			ret.unknown |= lanes == LaneDependence::UNKNOWN;
			if (lanes == LaneDependence::VARIES)
				add_load(inst, ret);
			if (!through_loads)
				continue;
		}
		ret.wraps |= !within && !is_rounding(inst) && wraps_index(inst);
		operands(inst, next.second, is_rounding(inst) ? rounded : work);
	}
	/* What was not looked at may be a load. */
	ret.unknown |= !work.empty() || !rounded.empty();
	return ret;
}

Origin index_origin(const analysis &in, const BasicBlock *block, const Value *from,
		    const Instruction *target, bool through_loads)
{
	return Flow(in, block).trace(from, target, through_loads);
}
