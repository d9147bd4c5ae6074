/* SPDX-License-Identifier: MIT */
/*
 * The difference of two addresses: terms that differ between lanes are equal in both, and cancel.
 * Leaves are values in the function, so that the difference can be computed at run time and remains
 * valid after instructions are added.
 */
#include "llvm-plugin/analysis/address_expr.h"

using namespace llvm;

static const SCEV *difference_of(const analysis &in, LLVMValueRef a, LLVMValueRef b)
{
	AddressExpr address(in, ADDRESS_OPAQUE);
	Type *type = unwrap(a)->getType();

	if (unwrap(b)->getType() != type || in.layout.isNonIntegralPointerType(type))
		return in.evolution.getCouldNotCompute();
	return in.evolution.getMinusSCEV(address.pointer(unwrap(b)), address.pointer(unwrap(a)));
}

bool analysis_distance(const struct analysis *in, LLVMValueRef a, LLVMValueRef b, int64_t *ret)
{
	auto *constant = dyn_cast<SCEVConstant>(difference_of(*in, a, b));

	if (constant)
		*ret = constant->getAPInt().getSExtValue();
	return constant;
}

static bool add_factor(const SCEV *expr, struct analysis_term &term)
{
	auto *cast = dyn_cast<SCEVCastExpr>(expr);
	auto *leaf = dyn_cast<SCEVUnknown>(cast ? cast->getOperand() : expr);
	auto *constant = dyn_cast<SCEVConstant>(expr);

	if (constant) {
		term.scale *= (uint64_t)constant->getAPInt().getSExtValue();
		return true;
	}
	if (!leaf || term.factors == ANALYSIS_FACTORS)
		return false;
	term.factor[term.factors++] = {wrap(leaf->getValue()), isa<SCEVSignExtendExpr>(expr)};
	return true;
}

static bool add_term(const SCEV *expr, struct analysis_difference &ret)
{
	auto *product = dyn_cast<SCEVMulExpr>(expr);
	struct analysis_term term = {};

	term.scale = 1;
	if (!product && !add_factor(expr, term))
		return false;
	for (unsigned i = 0; product && i < product->getNumOperands(); i++)
		if (!add_factor(product->getOperand(i), term))
			return false;
	if (!term.factors)
		ret.constant += term.scale;
	else if (ret.terms == ANALYSIS_TERMS)
		return false;
	else
		ret.term[ret.terms++] = term;
	return true;
}

bool analysis_difference(const struct analysis *in, LLVMValueRef a, LLVMValueRef b,
			 LLVMBasicBlockRef block, struct analysis_difference *ret)
{
	const SCEV *expr = difference_of(*in, a, b);
	auto *sum = dyn_cast<SCEVAddExpr>(expr);

	*ret = {};
	if (!in->uniform(expr, unwrap(block)) || (!sum && !add_term(expr, *ret)))
		return false;
	for (unsigned i = 0; sum && i < sum->getNumOperands(); i++)
		if (!add_term(sum->getOperand(i), *ret))
			return false;
	uint32_t zeros = PROBE_TRAILING_ZEROS(in->evolution, expr);
	ret->multiple = zeros < 64 ? (uint64_t)1 << zeros : 0;
	return true;
}
