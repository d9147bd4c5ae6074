/* SPDX-License-Identifier: MIT */
/*
 * Addresses as sums of SCEV expressions. ScalarEvolution drops most `nsw` and `nuw` flags, because
 * an expression stands for a value wherever it is used. An address is different: if one of its
 * operations overflowed despite the flag, the access itself would be undefined. Sums are therefore
 * built here, up to where a value passes through a phi or a select.
 */
#include "llvm-plugin/analysis/address_expr.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GetElementPtrTypeIterator.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

enum { DISTRIBUTED_MAX = 16 };

/* Expands products of sums, because n * (i + 1) and n * i have a term in common. */
const SCEV *AddressExpr::product(const SCEV *a, const SCEV *b)
{
	auto *sum = dyn_cast<SCEVAddExpr>(a);
	auto *other = dyn_cast<SCEVAddExpr>(b);
	SmallVector<const SCEV *, 8> terms;

	if (!sum && other)
		return product(b, a);
	if (!sum || sum->getNumOperands() * (other ? other->getNumOperands() : 1) > DISTRIBUTED_MAX)
		return evolution.getMulExpr(a, b);
	for (const SCEV *part : sum->operands())
		terms.push_back(product(b, part));
	return evolution.getAddExpr(terms);
}

const SCEV *AddressExpr::leaf(Value *value)
{
	return form == ADDRESS_OPAQUE ? evolution.getUnknown(value) : evolution.getSCEV(value);
}

/* Can the extension be moved to the operands? */
bool AddressExpr::never_wraps(const Instruction *inst, unsigned extension)
{
	auto *op = dyn_cast<OverflowingBinaryOperator>(inst);

	return !extension || form == ADDRESS_ASSUMED ||
	       (op &&
		(extension == Instruction::SExt ? op->hasNoSignedWrap() : op->hasNoUnsignedWrap()));
}

/* NULL: it is a leaf. */
const SCEV *AddressExpr::operation(Instruction *inst, unsigned extension, Type *type)
{
	auto part = [&](unsigned i) { return integer(inst->getOperand(i), extension, type); };
	uint64_t by;

	switch (inst->getOpcode()) {
	case Instruction::Or:
		if (!PROBE_NO_COMMON_BITS(inst->getOperand(0), inst->getOperand(1), layout))
			return nullptr;
		return evolution.getAddExpr(part(0), part(1));
	case Instruction::Add:
		return never_wraps(inst, extension) ? evolution.getAddExpr(part(0), part(1))
						    : nullptr;
	case Instruction::Sub:
		return never_wraps(inst, extension) ? evolution.getMinusSCEV(part(0), part(1))
						    : nullptr;
	case Instruction::Mul:
		return never_wraps(inst, extension) ? product(part(0), part(1)) : nullptr;
	case Instruction::Shl:
		if (!never_wraps(inst, extension) ||
		    !match(inst->getOperand(1), m_ConstantInt(by)) || by > 62)
			return nullptr;
		return product(evolution.getConstant(type, (uint64_t)1 << by), part(0));
	case Instruction::SExt:
	case Instruction::ZExt:
		/*
		 * A value that was sign-extended and then zero-extended is not a sum of either
		 * kind.
		 */
		if (extension == Instruction::ZExt && inst->getOpcode() == Instruction::SExt)
			return nullptr;
		return integer(inst->getOperand(0), inst->getOpcode(), type);
	default:
		return nullptr;
	}
}

const SCEV *AddressExpr::integer(Value *value, unsigned extension, Type *type)
{
	auto key = std::make_pair(value, extension);
	auto *inst = dyn_cast<Instruction>(value);
	const SCEV *ret = nullptr;

	if (value->getType() == type)
		extension = key.second = 0;
	/* A zero extension of a non-negative value is a sign extension. */
	if (form == ADDRESS_ASSUMED && extension)
		extension = key.second = Instruction::SExt;
	else if (form == ADDRESS_PROVED && extension == Instruction::ZExt && inst &&
		 !never_wraps(inst, extension) && never_wraps(inst, Instruction::SExt) &&
		 evolution.isKnownNonNegative(evolution.getSCEV(value)))
		extension = key.second = Instruction::SExt;
	auto found = memo.find({key, type});
	if (found != memo.end())
		return found->second;
	if (inst)
		ret = operation(inst, extension, type);
	if (!ret) {
		ret = isa<ConstantInt>(value) ? evolution.getSCEV(value) : leaf(value);
		if (extension == Instruction::SExt)
			ret = evolution.getSignExtendExpr(ret, type);
		else if (extension)
			ret = evolution.getZeroExtendExpr(ret, type);
	}
	memo[{key, type}] = ret;
	return ret;
}

const SCEV *AddressExpr::pointer(Value *value)
{
	auto *gep = dyn_cast<GEPOperator>(value);
	Type *type = layout.getIndexType(value->getType());

	if (!gep || gep->getType()->isVectorTy())
		return form == ADDRESS_OPAQUE ? evolution.getPtrToIntExpr(leaf(value), type)
					      : leaf(value);
	SmallVector<const SCEV *, 8> terms{pointer(gep->getPointerOperand())};
	for (auto it = gep_type_begin(gep), end = gep_type_end(gep); it != end; ++it) {
		Value *index = it.getOperand();

		if (StructType *structure = it.getStructTypeOrNull()) {
			unsigned field = (unsigned)cast<ConstantInt>(index)->getZExtValue();

			terms.push_back(evolution.getConstant(
				type, layout.getStructLayout(structure)->getElementOffset(field)));
			continue;
		}
		const SCEV *size = evolution.getConstant(
			type, layout.getTypeAllocSize(it.getIndexedType()).getFixedValue());
		unsigned width = index->getType()->getIntegerBitWidth();

		/* A wider index is truncated to the width of an address. */
		terms.push_back(product(size, width > type->getIntegerBitWidth()
						      ? evolution.getTruncateExpr(leaf(index), type)
						      : integer(index, Instruction::SExt, type)));
	}
	return evolution.getAddExpr(terms);
}

const SCEV *address_expr(const analysis &in, Value *pointer)
{
	return AddressExpr(in, ADDRESS_PROVED).pointer(pointer);
}

static bool step_of(const analysis &in, const SCEV *expr, const Loop *loop, int64_t &ret)
{
	int64_t part;

	ret = 0;
	if (in.evolution.isLoopInvariant(expr, loop))
		return true;
	if (auto *cast = dyn_cast<SCEVCastExpr>(expr))
		return step_of(in, cast->getOperand(), loop, ret);
	if (auto *sum = dyn_cast<SCEVAddExpr>(expr)) {
		for (const SCEV *operand : sum->operands()) {
			if (!step_of(in, operand, loop, part) ||
			    __builtin_add_overflow(ret, part, &ret))
				return false;
		}
		return true;
	}
	if (auto *product = dyn_cast<SCEVMulExpr>(expr)) {
		auto *factor = dyn_cast<SCEVConstant>(product->getOperand(0));

		return factor && product->getNumOperands() == 2 &&
		       step_of(in, product->getOperand(1), loop, part) &&
		       !__builtin_mul_overflow(part, factor->getAPInt().getSExtValue(), &ret);
	}
	auto *recurrence = dyn_cast<SCEVAddRecExpr>(expr);
	auto *step = recurrence && recurrence->getLoop() == loop
			     ? dyn_cast<SCEVConstant>(recurrence->getStepRecurrence(in.evolution))
			     : nullptr;
	if (step)
		ret = step->getAPInt().getSExtValue();
	return step;
}

bool analysis_loop_step(const struct analysis *in, LLVMBasicBlockRef block, LLVMValueRef pointer,
			int64_t *ret)
{
	const Loop *loop = in->loops.getLoopFor(unwrap(block));

	return loop && step_of(*in, address_expr(*in, unwrap(pointer)), loop, *ret);
}
