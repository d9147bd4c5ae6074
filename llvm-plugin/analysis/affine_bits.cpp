/* SPDX-License-Identifier: MIT */
/*
 * Bits of ids in affine addresses (analysis.h): remainders, quotients and bitwise operations, of an
 * id itself, whose bits are known, and of a global id, where it has to be assumed.
 */
#include "llvm-plugin/analysis/affine_walk.h"
#include "llvm-plugin/analysis/bit_field.h"

#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

void Affine::add_field(Form &form, const Field &field)
{
	for (Field &old : form.fields)
		if (same_field(old, field) && old.by == field.by) {
			old.scale = (int64_t)((uint64_t)old.scale + (uint64_t)field.scale);
			if (!old.scale)
				form.fields.erase(&old);
			return;
		}
	if (field.scale && field.mask)
		form.fields.push_back(field);
}

void Affine::add_aligned(Form &form, const affine_aligned &added)
{
	for (const affine_aligned &old : form.aligned)
		if (old.value == added.value)
			return;
	form.aligned.push_back(added);
}

/* ---- Bit fields ----------------------------------------------------------------------------- */

bool Affine::bits_of(Value *value, affine_field &ret)
{
	const APInt *number;
	Value *operand;
	int axis = item_axis(value);

	if (axis >= 0) {
		ret = {1, ID_MAX, (uint8_t)axis, 0, 0, nullptr};
		return true;
	}
	if (!value->getType()->isIntegerTy())
		return false;
	if (match(value, m_And(m_Value(operand), m_APInt(number))))
		return bits(evolution.getSCEV(operand), ret) && bit_field_mask(ret, *number);
	if (match(value, m_LShr(m_Value(operand), m_APInt(number))))
		return number->ult(32) && bits(evolution.getSCEV(operand), ret) &&
		       bit_field_shift_right(ret, number->getZExtValue());
	return false;
}

/* Is the expression a power of two times some bits of one id? */
bool Affine::bits(const SCEV *expr, affine_field &ret)
{
	uint64_t width = evolution.getTypeSizeInBits(expr->getType());

	if (auto *unknown = dyn_cast<SCEVUnknown>(expr))
		return bits_of(unknown->getValue(), ret);
	if (auto *cast = dyn_cast<SCEVIntegralCastExpr>(expr)) {
		const SCEV *from = cast->getOperand();

		if (isa<SCEVSignExtendExpr>(cast))
			width = evolution.getTypeSizeInBits(from->getType()) - 1;
		/* The result of a sign extension of the highest bit is not a bit field. */
		uint32_t before = bits(from, ret) ? ret.mask : 0;
		return before && bit_field_clip(ret, width) &&
		       (ret.mask == before || isa<SCEVTruncateExpr>(cast));
	}
	if (auto *quotient = dyn_cast<SCEVUDivExpr>(expr)) {
		auto *by = dyn_cast<SCEVConstant>(quotient->getRHS());

		return by && by->getAPInt().isPowerOf2() && bits(quotient->getLHS(), ret) &&
		       bit_field_shift_right(ret, by->getAPInt().logBase2());
	}
	auto *product = dyn_cast<SCEVMulExpr>(expr);
	auto *by = product ? dyn_cast<SCEVConstant>(product->getOperand(0)) : nullptr;
	if (!by || product->getNumOperands() != 2 || !by->getAPInt().isPowerOf2() ||
	    by->getAPInt().logBase2() > 30 || !bits(product->getOperand(1), ret) ||
	    ret.scale > 1 << 30)
		return false;
	ret.scale <<= by->getAPInt().logBase2();
	return bit_field_clip(ret, width);
}

/* In a regular wave ids are a multiple of 64, or of a wave's rows, plus less than 64. */
bool Affine::shared(const affine_field &field) const
{
	return in.bounded && field.shift >= LANE_BITS;
}

bool Affine::whole_field(const SCEV *expr, Form &ret)
{
	affine_field field;

	if (!bits(expr, field))
		return false;
	ret.rest = shared(field) ? expr : evolution.getZero(expr->getType());
	if (shared(field))
		return true;
	/* A field with all bits of an id is the id. */
	if (!field.shift && field.mask == ID_MAX)
		ret.coefficient[field.axis] =
			evolution.getConstant(expr->getType(), (uint64_t)field.scale);
	else
		add_field(ret, {field, nullptr});
	return true;
}

/*
 * x & y, x | y = x + y - (x & y), x ^ y = x + y - 2 * (x & y), where x is some bits of an id and y
 * is uniform: a constant, or what butterflies and exchanges with a partner have.
 */
bool Affine::logic(Instruction *inst, Form &ret)
{
	bool masks = inst->getOpcode() == Instruction::And;
	unsigned second = in.varies(inst->getOperand(1), block) ? 0 : 1;
	Value *with = inst->getOperand(second);
	const SCEV *varying = evolution.getSCEV(inst->getOperand(1 - second));
	auto *constant = dyn_cast<ConstantInt>(with);
	affine_field both;

	if (in.varies(with, block) || !bits(varying, both) || !take_apart(varying, ret))
		return false;
	if (constant)
		bit_field_mask(both, constant->getValue());
	else if (both.scale == 1)
		both.with = wrap(with);
	else
		return false;
	if (masks)
		ret = Form();
	else
		both.scale *= inst->getOpcode() == Instruction::Or ? -1 : -2;
	add_field(ret, {both, nullptr});
	ret.rest = masks ? evolution.getZero(inst->getType())
			 : evolution.getAddExpr(ret.rest, evolution.getSCEV(with));
	return true;
}

/* ---- Bits of global ids --------------------------------------------------------------------- */

/* A value U + id; `bits` receives all bits of the id. Assumes that U is a multiple of 64. */
bool Affine::global_id(Value *value, Form &ret, affine_field &bits)
{
	int64_t constant = 0;
	int axis = -1;

	if (!value->getType()->isIntegerTy() || !is_there(value) ||
	    !take_apart(evolution.getSCEV(value), ret) || !ret.fields.empty())
		return false;
	for (int i = 0; i < 3; i++) {
		if (ret.coefficient[i] && (axis >= 0 || !ret.coefficient[i]->isOne()))
			return false;
		axis = ret.coefficient[i] ? i : axis;
	}
	without_constant(evolution, ret.rest, constant);
	if (axis < 0 || constant % 64)
		return false;
	add_aligned(ret, {wrap(value), (uint8_t)axis});
	bits = {1, ID_MAX, (uint8_t)axis, 0, 0, nullptr};
	return true;
}

/*
 * Quotients and remainders by powers of two, and bitwise operations with a uniform number, of
 * v = U + x with x an id and U a multiple of 64: the lowest six bits of v, which alone differ in a
 * wave, are those of x. So v >> n is something uniform plus x >> n, and v & m plus x & m.
 */
bool Affine::wave_bits(Instruction *inst, Form &ret)
{
	unsigned op = inst->getOpcode();
	bool logic = inst->isBitwiseLogicOp(),
	     moves = inst->isLogicalShift() || inst->isArithmeticShift();
	bool signs = op == Instruction::SDiv || op == Instruction::SRem;
	const APInt *number = nullptr;
	affine_field bits;

	if (!logic && (!(moves || inst->isIntDivRem()) || op == Instruction::Shl))
		return false;
	bool turned = logic && in.varies(inst->getOperand(1), block);
	Value *value = inst->getOperand(turned), *with = inst->getOperand(!turned);
	bool constant = match(with, m_APInt(number));
	if (in.varies(with, block) || (!logic && !constant) ||
	    (!logic && !moves && !number->isPowerOf2()) || !global_id(value, ret, bits))
		return false;
	if (logic && !constant)
		bits.with = wrap(with);
	else if (logic || op == Instruction::URem || op == Instruction::SRem)
		bits.mask &=
			(uint32_t)(logic ? *number : *number - 1).zextOrTrunc(64).getZExtValue();
	else if (!bit_field_shift_right(bits,
					moves ? number->getLimitedValue(32) : number->logBase2()))
		bits.mask = 0;
	/* Rounding down and rounding towards 0 agree for values that are not negative. */
	if (signs && !is_contained(ret.wraps, value))
		ret.wraps.push_back(value);
	if (!logic || op == Instruction::And)
		ret.coefficient = {};
	else
		bits.scale = op == Instruction::Or ? -1 : -2;
	if (!shared(bits))
		add_field(ret, {bits, nullptr});
	/* Represents the uniform part: equal for equal expressions. */
	ret.rest = evolution.getSCEV(inst);
	return true;
}

/* The same for a zero extension of a value with fewer bits. */
bool Affine::extended_bits(Instruction *inst, const SCEV *expr, Form &ret)
{
	auto *cast = dyn_cast<SCEVZeroExtendExpr>(expr);
	auto *from = isa<ZExtInst>(inst) ? dyn_cast<Instruction>(inst->getOperand(0)) : nullptr;

	if (!isa<ZExtInst>(inst))
		return wave_bits(inst, ret);
	if (!cast || evolution.getTypeSizeInBits(cast->getOperand()->getType()) >= NARROW_BITS ||
	    !from || !wave_bits(from, ret) || ret.coefficient[0] || ret.coefficient[1] ||
	    ret.coefficient[2])
		return false;
	ret.rest = expr;
	return true;
}
