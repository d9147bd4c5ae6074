/* SPDX-License-Identifier: MIT */
/* Launch values: arguments, fields of the dispatch packet, and bounds of ids. */
#include "llvm-plugin/analysis/function.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>
#include <llvm/IR/Module.h>

#include <algorithm>

using namespace llvm;

static int axis_of(const Value *value, Intrinsic::ID x, Intrinsic::ID y, Intrinsic::ID z)
{
	auto *call = dyn_cast<IntrinsicInst>(value);
	Intrinsic::ID id = call ? call->getIntrinsicID() : Intrinsic::not_intrinsic;

	return !call ? -1 : id == x ? 0 : id == y ? 1 : id == z ? 2 : -1;
}

int item_axis(const Value *value)
{
	return axis_of(value, Intrinsic::amdgcn_workitem_id_x, Intrinsic::amdgcn_workitem_id_y,
		       Intrinsic::amdgcn_workitem_id_z);
}

int group_axis(const Value *value)
{
	return axis_of(value, Intrinsic::amdgcn_workgroup_id_x, Intrinsic::amdgcn_workgroup_id_y,
		       Intrinsic::amdgcn_workgroup_id_z);
}

/*
 * Offset of an explicit argument: each follows the last one at its own alignment, structs as
 * structs.
 */
static uint64_t offset_of(const analysis &in, const Argument *wanted)
{
	uint64_t offset = 0;

	for (const Argument &argument : in.function.args()) {
		Type *structure = argument.getParamByRefType();
		Type *type = structure ? structure : argument.getType();
		MaybeAlign given = structure ? argument.getParamAlign() : MaybeAlign();

		offset = alignTo(offset, given.value_or(in.layout.getABITypeAlign(type)));
		if (&argument == wanted)
			break;
		offset += in.layout.getTypeAllocSize(type);
	}
	return offset;
}

const Value *loaded_from(const analysis &in, const Value *value, int64_t &offset)
{
	auto *extract = dyn_cast<ExtractElementInst>(value);
	auto *element = extract ? dyn_cast<ConstantInt>(extract->getIndexOperand()) : nullptr;
	auto *load = dyn_cast<LoadInst>(extract ? extract->getVectorOperand() : value);

	if (!load || (extract && !element))
		return nullptr;
	const Value *base =
		GetPointerBaseWithConstantOffset(load->getPointerOperand(), offset, in.layout);
	if (element)
		offset += (int64_t)(element->getZExtValue() *
				    in.layout.getTypeStoreSize(value->getType()));
	return base;
}

static bool packet_field(uint64_t offset, uint32_t bits)
{
	return bits == 16 ? offset == 4 || offset == 6 || offset == 8
			  : bits == 32 && (offset == 12 || offset == 16 || offset == 20);
}

/*
 * Hidden arguments from version 5 of the code object on (AMDGPU ABI, "Code Object V5 Metadata"):
 * the number of complete workgroups along each axis, and the sizes of workgroups that the dispatch
 * packet has as well.
 */
enum { HIDDEN_GROUPS = 0, HIDDEN_SIZES = 12 };

/* LLVM 15 and 16 tell the version by the number of bytes only. */
static bool has_hidden_sizes(const Function &function)
{
	const char *const flags[] = {"amdhsa_code_object_version", "amdgpu_code_object_version"};
	uint64_t bytes = 0;

	for (const char *flag : flags)
		if (auto *version = mdconst::extract_or_null<ConstantInt>(
			    function.getParent()->getModuleFlag(flag)))
			return version->getZExtValue() >= 500;
	return !function.getFnAttribute("amdgpu-implicitarg-num-bytes")
			.getValueAsString()
			.getAsInteger(10, bytes) &&
	       bytes >= 256;
}

static bool is_hidden(const analysis &in, const Value *base)
{
	auto *call = dyn_cast_or_null<IntrinsicInst>(base);

	return call && call->getIntrinsicID() == Intrinsic::amdgcn_implicitarg_ptr &&
	       has_hidden_sizes(in.function);
}

int groups_axis(const analysis &in, const Value *value)
{
	int64_t offset = 0;

	if (!value->getType()->isIntegerTy(32) || !is_hidden(in, loaded_from(in, value, offset)))
		return -1;
	offset -= HIDDEN_GROUPS;
	return offset == 0 || offset == 4 || offset == 8 ? (int)offset / 4 : -1;
}

bool launch_value(const analysis &in, const Value *value, LaunchValue &ret)
{
	int64_t offset = 0;
	Type *type = value->getType();

	if (!type->isIntegerTy() && !type->isPointerTy())
		return false;
	ret.packet = false;
	ret.bits = (uint32_t)in.layout.getTypeSizeInBits(type);
	if (auto *argument = dyn_cast<Argument>(value)) {
		ret.offset = (uint32_t)offset_of(in, argument);
		return in.kernel;
	}
	const Value *base = loaded_from(in, value, offset);
	if (!base || offset < 0 || offset > UINT32_MAX)
		return false;
	if (auto *argument = dyn_cast<Argument>(base)) {
		ret.offset = (uint32_t)(offset_of(in, argument) + (uint64_t)offset);
		return in.kernel && argument->hasByRefAttr() &&
		       argument->getType()->getPointerAddressSpace() == PROBE_SPACE_CONSTANT;
	}
	auto *call = dyn_cast<IntrinsicInst>(base);
	ret.packet = true;
	ret.offset = (uint32_t)offset;
	if (is_hidden(in, base)) {
		ret.offset -= HIDDEN_SIZES - PACKET_GROUP_SIZES;
		return ret.bits == 16 && packet_field(ret.offset, ret.bits);
	}
	return call && call->getIntrinsicID() == Intrinsic::amdgcn_dispatch_ptr &&
	       type->isIntegerTy() && packet_field(ret.offset, ret.bits);
}

/* ---- Factors -------------------------------------------------------------------------------- */

namespace
{
struct Linear {
	const analysis &in;
	struct affine_stride &ret;

	/* Adds scale * the value; `zeros`: it was zero-extended. */
	bool add(const SCEV *expr, int64_t scale, bool zeros);
	bool add_leaf(const Value *value, int64_t scale, bool zeros);
};
} // namespace

bool Linear::add_leaf(const Value *value, int64_t scale, bool zeros)
{
	LaunchValue leaf;

	if (auto *freeze = dyn_cast<FreezeInst>(value))
		return add(in.evolution.getSCEV(freeze->getOperand(0)), scale, zeros);
	if (!value->getType()->isIntegerTy() || !launch_value(in, value, leaf) ||
	    (!leaf.packet && leaf.bits != 32 && leaf.bits != 64))
		return false;
	leaf.bits |= leaf.packet ? PROBE_STRIDE_LAUNCH : 0;
	leaf.bits |= zeros ? PROBE_STRIDE_UNSIGNED : 0;
	if (ret.factor && (ret.offset != leaf.offset || ret.bits != leaf.bits))
		return false;
	if (__builtin_add_overflow(ret.factor, scale, &ret.factor))
		return false;
	ret.offset = leaf.offset;
	ret.bits = leaf.bits;
	ret.value = wrap(value);
	return true;
}

/*
 * HIP's blockDim is the minimum of the workgroup's size and the rest of the grid. They differ in
 * launches with partial workgroups only, for which no counters are derived from proofs.
 */
static const SCEV *workgroup_size(const analysis &in, const SCEV *minimum)
{
	auto *both = dyn_cast<SCEVUMinExpr>(minimum);

	if (!both || both->getNumOperands() != 2)
		return nullptr;
	for (unsigned i = 0; i < 2; i++) {
		auto *left = dyn_cast<SCEVAddExpr>(both->getOperand(1 - i));

		if (left && SCEVExprContains(left, [&](const SCEV *part) {
			    auto *unknown = dyn_cast<SCEVUnknown>(part);
			    LaunchValue grid;

			    return unknown && launch_value(in, unknown->getValue(), grid) &&
				   grid.packet && grid.bits == 32;
		    }))
			return both->getOperand(i);
	}
	return nullptr;
}

bool Linear::add(const SCEV *expr, int64_t scale, bool zeros)
{
	if (auto *constant = dyn_cast<SCEVConstant>(expr)) {
		const APInt &number = constant->getAPInt();

		int64_t product;

		return number.getBitWidth() <= 64 &&
		       !__builtin_mul_overflow(scale,
					       zeros ? (int64_t)number.getZExtValue()
						     : number.getSExtValue(),
					       &product) &&
		       !__builtin_add_overflow(ret.constant, product, &ret.constant);
	}
	if (auto *unknown = dyn_cast<SCEVUnknown>(expr))
		return add_leaf(unknown->getValue(), scale, zeros);
	/* Truncation is harmless: users reject values that do not fit into 32 bits. */
	if (isa<SCEVTruncateExpr>(expr) && in.evolution.getTypeSizeInBits(expr->getType()) < 32)
		return false;
	if (auto *cast = dyn_cast<SCEVIntegralCastExpr>(expr))
		return add(cast->getOperand(), scale, isa<SCEVZeroExtendExpr>(cast) || zeros);
	if (const SCEV *size = workgroup_size(in, expr))
		return add(size, scale, zeros);
	/* Below a zero extension the sum may have wrapped. */
	if (zeros)
		return false;
	if (auto *sum = dyn_cast<SCEVAddExpr>(expr)) {
		for (const SCEV *part : sum->operands())
			if (!add(part, scale, false))
				return false;
		return true;
	}
	auto *product = dyn_cast<SCEVMulExpr>(expr);
	auto *constant = product ? dyn_cast<SCEVConstant>(product->getOperand(0)) : nullptr;
	return constant && product->getNumOperands() == 2 &&
	       !__builtin_mul_overflow(scale, constant->getAPInt().getSExtValue(), &scale) &&
	       add(product->getOperand(1), scale, false);
}

bool launch_factor(const analysis &in, const SCEV *expr, struct affine_stride &ret)
{
	ret = {};
	return Linear{in, ret}.add(expr, 1, false);
}

bool launch_size(const analysis &in, const SCEV *expr, struct affine_stride &ret)
{
	return expr->getType()->isIntegerTy() && launch_factor(in, expr, ret) && ret.factor == 1 &&
	       !ret.constant && ret.bits & PROBE_STRIDE_LAUNCH;
}

/* ---- Bounds --------------------------------------------------------------------------------- */

/* A workgroup's id times its size along the axis is less than the grid. */
static bool group_start(const analysis &in, const SCEVMulExpr *product, unsigned &id,
			unsigned &size)
{
	struct affine_stride factor;

	for (id = 0; id < product->getNumOperands(); id++) {
		auto *unknown = dyn_cast<SCEVUnknown>(product->getOperand(id));
		int axis = unknown ? group_axis(unknown->getValue()) : -1;

		for (size = 0; axis >= 0 && size < product->getNumOperands(); size++)
			if (size != id && launch_factor(in, product->getOperand(size), factor) &&
			    (factor.bits & ~PROBE_STRIDE_UNSIGNED) == (PROBE_STRIDE_LAUNCH | 16) &&
			    factor.factor == 1 && !factor.constant &&
			    factor.offset == PACKET_GROUP_SIZES + 2 * (uint32_t)axis)
				return true;
	}
	return false;
}

static bool product_bounds(const analysis &in, const SCEVMulExpr *product, int64_t &low,
			   int64_t &high)
{
	unsigned id = ~0u, size = ~0u;
	bool start = in.bounded && group_start(in, product, id, size);

	low = start ? 0 : 1;
	high = start ? (int64_t)PROBE_REGULAR_GRID - 1 : 1;
	for (unsigned i = 0; i < product->getNumOperands(); i++) {
		int64_t first, last, corner[4];

		if (start && (i == id || i == size))
			continue;
		bounds(in, product->getOperand(i), first, last);
		if (__builtin_mul_overflow(low, first, &corner[0]) ||
		    __builtin_mul_overflow(low, last, &corner[1]) ||
		    __builtin_mul_overflow(high, first, &corner[2]) ||
		    __builtin_mul_overflow(high, last, &corner[3]))
			return false;
		low = *std::min_element(corner, corner + 4);
		high = *std::max_element(corner, corner + 4);
	}
	return true;
}

static bool sum_bounds(const analysis &in, const SCEVAddExpr *sum, int64_t &low, int64_t &high)
{
	low = high = 0;
	for (const SCEV *part : sum->operands()) {
		int64_t first, last;

		bounds(in, part, first, last);
		if (__builtin_add_overflow(low, first, &low) ||
		    __builtin_add_overflow(high, last, &high))
			return false;
	}
	return true;
}

/* Bounds from those of the operands; false: it may overflow, or is not an operation. */
static bool bounds_of_parts(const analysis &in, const SCEV *expr, int64_t &low, int64_t &high)
{
	auto *unknown = dyn_cast<SCEVUnknown>(expr);

	if (auto *sum = dyn_cast<SCEVAddExpr>(expr))
		return sum_bounds(in, sum, low, high);
	if (auto *product = dyn_cast<SCEVMulExpr>(expr))
		return product_bounds(in, product, low, high);
	if (auto *extension = dyn_cast<SCEVIntegralCastExpr>(expr)) {
		bounds(in, extension->getOperand(), low, high);
		return isa<SCEVSignExtendExpr>(expr) || (isa<SCEVZeroExtendExpr>(expr) && low >= 0);
	}
	low = 0;
	high = PROBE_REGULAR_GROUPS - 1;
	return unknown && in.bounded && group_axis(unknown->getValue()) >= 0;
}

void bounds(const analysis &in, const SCEV *expr, int64_t &low, int64_t &high)
{
	uint64_t bits = in.evolution.getTypeSizeInBits(expr->getType());
	int64_t least = bits < 64 ? -((int64_t)1 << (bits - 1)) : INT64_MIN;

	if (bounds_of_parts(in, expr, low, high) && low >= least && high < ~least)
		return;
	low = in.evolution.getSignedRangeMin(expr).getSExtValue();
	high = in.evolution.getSignedRangeMax(expr).getSExtValue();
}
