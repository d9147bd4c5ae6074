/* SPDX-License-Identifier: MIT */
/*
 * The proof that an address is affine (analysis.h). It walks over the SCEV expression of the
 * address and computes the affine form of each operand: uniform operands are added to U, an id has
 * the coefficient 1, and bits of an id are a bit field. Sums, products with launch values,
 * extensions, loop recurrences and bit operations combine the forms of their operands. The proof
 * fails at any other operation on a divergent value.
 */
#include "llvm-plugin/analysis/affine_walk.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>

using namespace llvm;

bool Affine::fail(Value *value)
{
	if (!blocker)
		blocker = value;
	return false;
}

/* ---- Sums and products ---------------------------------------------------------------------- */

static bool opposed(int64_t a, int64_t b)
{
	return a && b && (a < 0) != (b < 0);
}

/* Could a and b be large, so that one of them wraps, but have a small sum? */
bool Affine::cancels(const SCEV *a, const SCEV *b)
{
	struct affine_stride one, other;

	return a && b &&
	       (!launch_factor(in, a, one) || !launch_factor(in, b, other) ||
		opposed(one.constant, other.constant) || opposed(one.factor, other.factor));
}

/* The same of bits that are multiplied by launch values. */
bool Affine::fields_cancel(const Form &a, const Form &b) const
{
	for (const Field &one : a.fields)
		for (const Field &other : b.fields)
			if ((one.by || other.by) &&
			    (one.by != other.by || opposed(one.scale, other.scale)))
				return true;
	return false;
}

bool Affine::add(Form &to, const Form &from)
{
	if ((!to.wraps.empty() || !from.wraps.empty()) && fields_cancel(to, from))
		return false;
	for (int i = 0; i < 3; i++) {
		const SCEV *&have = to.coefficient[i], *more = from.coefficient[i];

		if ((!to.wraps.empty() || !from.wraps.empty()) && cancels(have, more))
			return false;
		have = have && more ? evolution.getAddExpr(have, more) : have ? have : more;
		if (have && have->isZero())
			have = nullptr;
	}
	for (const Field &field : from.fields)
		add_field(to, field);
	for (Value *value : from.wraps)
		if (!is_contained(to.wraps, value))
			to.wraps.push_back(value);
	for (const affine_aligned &each : from.aligned)
		add_aligned(to, each);
	to.first_is_lowest |= from.first_is_lowest;
	to.rest = evolution.getAddExpr(to.rest, from.rest);
	return true;
}

bool Affine::sum(const SCEVAddExpr *expr, Form &ret)
{
	if (!take_apart(expr->getOperand(0), ret))
		return false;
	for (unsigned i = 1; i < expr->getNumOperands(); i++) {
		Form part;

		if (!take_apart(expr->getOperand(i), part) || !add(ret, part))
			return false;
	}
	return true;
}

void Affine::scale(Form &form, const SCEV *by)
{
	auto *constant = dyn_cast<SCEVConstant>(by);

	for (const SCEV *&coefficient : form.coefficient)
		if (coefficient)
			coefficient = evolution.getMulExpr(coefficient, by);
	for (Field &field : form.fields)
		if (constant)
			field.scale = (int64_t)((uint64_t)field.scale *
						(uint64_t)constant->getAPInt().getSExtValue());
		else
			field.by = field.by ? evolution.getMulExpr(field.by, by) : by;
	form.rest = evolution.getMulExpr(form.rest, by);
}

/* At most one factor may be divergent; the others are constants or launch values. */
bool Affine::product(const SCEVMulExpr *expr, Form &ret)
{
	const SCEV *varying = nullptr;
	SmallVector<const SCEV *, 4> others;
	struct affine_stride factor;

	for (const SCEV *operand : expr->operands()) {
		bool same = in.uniform(operand, block);

		if (!same && varying)
			return false;
		if (same)
			others.push_back(operand);
		else
			varying = operand;
	}
	const SCEV *by = evolution.getMulExpr(others);
	if ((!isa<SCEVConstant>(by) && !launch_factor(in, by, factor)) || !take_apart(varying, ret))
		return false;
	scale(ret, by);
	return true;
}

/* ---- Extensions ----------------------------------------------------------------------------- */

const SCEV *without_constant(ScalarEvolution &evolution, const SCEV *expr, int64_t &constant)
{
	auto *sum = dyn_cast<SCEVAddExpr>(expr);
	auto *first = dyn_cast<SCEVConstant>(sum ? sum->getOperand(0) : expr);

	if (auto *recurrence = dyn_cast<SCEVAddRecExpr>(expr)) {
		SmallVector<const SCEV *, 4> operands(recurrence->operands());

		operands[0] = without_constant(evolution, operands[0], constant);
		return evolution.getAddRecExpr(operands, recurrence->getLoop(), SCEV::FlagAnyWrap);
	}
	if (!first || first->getAPInt().getBitWidth() > 64)
		return expr;
	constant += first->getAPInt().getSExtValue();
	return evolution.getMinusSCEV(expr, first);
}

static void list_integers(const analysis &in)
{
	Type *type = Type::getInt32Ty(in.function.getContext());

	for (Instruction &inst : instructions(in.function)) {
		int64_t constant = 0;

		if (!inst.getType()->isIntegerTy(NARROW_BITS) && !inst.getType()->isIntegerTy(64))
			continue;
		const SCEV *expr = in.evolution.getSCEV(&inst);
		const SCEV *low = in.evolution.getTruncateOrNoop(expr, type);
		in.named.insert({expr, &inst});
		low = without_constant(in.evolution, low, constant);
		in.narrow[low].push_back({&inst, (int32_t)constant});
	}
}

/* Does the value at the access equal the one from which its address is computed? */
bool Affine::is_there(const Value *value) const
{
	auto *inst = dyn_cast<Instruction>(value);
	const Loop *loop = inst ? in.loops.getLoopFor(inst->getParent()) : nullptr;

	return inst && in.dominators.dominates(inst, access) && (!loop || loop->contains(access));
}

/*
 * Assume that the expression does not wrap, and record a value that tests this at run time: a value
 * in the function that equals the expression, or is slightly less.
 */
bool Affine::assume(const SCEV *expr, bool zeros, Form &form)
{
	int64_t constant = 0, best = CONSTANT_MAX;
	Value *found = nullptr;

	if (in.narrow.empty())
		list_integers(in);
	expr = without_constant(evolution, expr, constant);
	for (const analysis::Narrow &narrow : in.narrow.lookup(expr)) {
		int64_t less = (int32_t)constant - narrow.constant;

		if (less < 0 || less >= best || !is_there(narrow.inst))
			continue;
		best = less;
		found = narrow.inst;
	}
	if (!found)
		return false;
	if (!is_contained(form.wraps, found))
		form.wraps.push_back(found);
	form.first_is_lowest |= zeros;
	return true;
}

/*
 * Bounds of a value from those of its terms; bit fields subtract no more bits of an id than it has.
 */
bool Affine::form_bounds(const Form &form, int64_t &low, int64_t &high)
{
	/* The U of wave_bits() does not exist as a value in the function. */
	if (!form.aligned.empty())
		return false;
	bounds(in, form.rest, low, high);
	for (const Field &field : form.fields)
		if (field.by)
			return false;
	for (int axis = 0; axis < 3; axis++) {
		auto *constant = dyn_cast_or_null<SCEVConstant>(form.coefficient[axis]);
		int64_t least = constant ? constant->getAPInt().getSExtValue() : 0, most = least;

		if (form.coefficient[axis] && !constant)
			return false;
		for (const Field &field : form.fields)
			if (field.axis == axis)
				(field.scale < 0 ? least : most) += (int32_t)field.scale;
		low += std::min<int64_t>(least, 0) * ID_MAX;
		high += std::max<int64_t>(most, 0) * ID_MAX;
	}
	return low >= INT32_MIN && high <= INT32_MAX;
}

const SCEV *Affine::convert(const SCEV *expr, Type *type, bool extend)
{
	return extend ? evolution.getSignExtendExpr(expr, type)
		      : evolution.getTruncateExpr(expr, type);
}

bool Affine::extension(const SCEVIntegralCastExpr *expr, Form &ret)
{
	bool zeros = isa<SCEVZeroExtendExpr>(expr), extend = !isa<SCEVTruncateExpr>(expr);
	const SCEV *from = expr->getOperand();
	int64_t low, high, constant = 0;

	if (whole_field(expr, ret))
		return true;
	if (evolution.getTypeSizeInBits((extend ? from : expr)->getType()) != NARROW_BITS ||
	    !take_apart(from, ret))
		return false;
	/* If the range is less than half of all numbers, all lanes wrap or none does. */
	bounds(in, from, low, high);
	if (extend && (high - low > INT32_MAX || (zeros && low < 0)) &&
	    (!form_bounds(ret, low, high) || (zeros && low < 0)) && !assume(from, zeros, ret))
		return false;
	for (const SCEV *&coefficient : ret.coefficient)
		if (coefficient)
			coefficient = convert(coefficient, expr->getType(), extend);
	if (!ret.wraps.empty() && fields_cancel(ret, ret))
		return false;
	for (Field &field : ret.fields) {
		field.scale = (int32_t)field.scale;
		if (field.by)
			field.by = convert(field.by, expr->getType(), extend);
	}
	/* Split the constant off, so that adjacent accesses have the rest in common. */
	const SCEV *rest = without_constant(evolution, ret.rest, constant);
	ret.rest = evolution.getAddExpr(
		convert(rest, expr->getType(), extend),
		evolution.getConstant(expr->getType(), (uint64_t)(int32_t)constant, true));
	return true;
}

/* ---- Loops and leaves ----------------------------------------------------------------------- */

/*
 * All active lanes in a loop are in the same iteration. If each iteration adds a uniform value,
 * distances between lanes do not change.
 */
bool Affine::recurrence(const SCEVAddRecExpr *expr, Form &ret)
{
	SmallVector<const SCEV *, 4> operands(expr->operands());

	for (unsigned i = 1; i < operands.size(); i++)
		if (!in.uniform(operands[i], block))
			return false;
	if (!in.leaves_together(expr->getLoop(), block) || !take_apart(operands[0], ret))
		return false;
	operands[0] = ret.rest;
	ret.rest = evolution.getAddRecExpr(operands, expr->getLoop(), SCEV::FlagAnyWrap);
	return true;
}

/* The same for a uniform step that has no SCEV expression. */
bool Affine::loop_phi(PHINode *phi, Form &ret)
{
	const Loop *loop = in.loops.getLoopFor(phi->getParent());
	BasicBlock *latch =
		loop && loop->getHeader() == phi->getParent() ? loop->getLoopLatch() : nullptr;

	if (!latch || phi->getNumIncomingValues() != 2 || !in.leaves_together(loop, block) ||
	    phi->getBasicBlockIndex(latch) < 0)
		return false;
	unsigned back = (unsigned)phi->getBasicBlockIndex(latch);
	const SCEV *step = evolution.getMinusSCEV(evolution.getSCEV(phi->getIncomingValue(back)),
						  evolution.getSCEV(phi));
	if (!in.uniform(step, latch) ||
	    !take_apart(evolution.getSCEV(phi->getIncomingValue(1 - back)), ret))
		return false;
	/* An assumption about the start value cannot be tested later. */
	ret.rest = evolution.getUnknown(phi);
	return ret.wraps.empty();
}

bool Affine::leaf(Value *value, Form &ret)
{
	auto *inst = dyn_cast<Instruction>(value);

	if (whole_field(evolution.getSCEV(value), ret))
		return true;
	if (!inst)
		return fail(value);
	if (auto *freeze = dyn_cast<FreezeInst>(inst))
		return take_apart(evolution.getSCEV(freeze->getOperand(0)), ret);
	if (auto *phi = dyn_cast<PHINode>(inst))
		return loop_phi(phi, ret) || fail(value);
	if (inst->isBitwiseLogicOp() && logic(inst, ret))
		return true;
	if (inst->getOpcode() == Instruction::Or &&
	    PROBE_NO_COMMON_BITS(inst->getOperand(0), inst->getOperand(1), in.layout)) {
		Form other;

		return take_apart(evolution.getSCEV(inst->getOperand(0)), ret) &&
		       take_apart(evolution.getSCEV(inst->getOperand(1)), other) && add(ret, other);
	}
	return fail(value);
}

bool Affine::by_kind(const SCEV *expr, Form &ret)
{
	if (auto *unknown = dyn_cast<SCEVUnknown>(expr))
		return leaf(unknown->getValue(), ret);
	if (auto *parts = dyn_cast<SCEVAddExpr>(expr))
		return sum(parts, ret);
	if (auto *factors = dyn_cast<SCEVMulExpr>(expr))
		return product(factors, ret);
	if (auto *loop = dyn_cast<SCEVAddRecExpr>(expr))
		return recurrence(loop, ret);
	if (auto *cast = dyn_cast<SCEVIntegralCastExpr>(expr))
		return extension(cast, ret);
	return whole_field(expr, ret);
}

bool Affine::prove(const SCEV *expr, Form &ret)
{
	if (in.uniform(expr, block)) {
		ret.rest = expr;
		return true;
	}
	if (by_kind(expr, ret))
		return true;
	if (in.named.empty())
		list_integers(in);
	Instruction *inst = in.named.lookup(expr);
	Value *before = blocker;
	return (inst && extended_bits(inst, expr, ret)) || fail(before ? before : inst);
}

/*
 * A value may be computed from others that have more operations than its own expression: x % 32 as
 * x % 32 * 32 / 32. A proof that needs itself is none, so that each expression is visited once.
 */
bool Affine::take_apart(const SCEV *expr, Form &ret)
{
	auto [known, is_new] = forms.insert({expr, std::nullopt});

	ret = Form();
	if (is_new && prove(expr, ret))
		known->second = ret;
	if (known->second)
		ret = *known->second;
	return known->second.has_value();
}

/* ---- Results -------------------------------------------------------------------------------- */

static bool same_stride(const struct affine_stride &a, const struct affine_stride &b)
{
	return a.constant == b.constant && a.factor == b.factor &&
	       (!a.factor || (a.offset == b.offset && a.bits == b.bits));
}

/* A stride of no id, to multiply bits by. `used`: strides that are such. */
static bool find_multiplier(const struct affine_stride &factor, struct affine_address *ret,
			    unsigned &used, uint8_t &multiplier)
{
	for (unsigned i = 0; i < 3; i++) {
		bool taken = ret->stride[i].constant || ret->stride[i].factor;

		if (taken && (!(used >> i & 1) || !same_stride(ret->stride[i], factor)))
			continue;
		ret->stride[i] = factor;
		used |= 1u << i;
		multiplier = (uint8_t)(i + 1);
		return true;
	}
	return false;
}

static bool add_fields(const analysis &in, const Form &form, struct affine_address *ret)
{
	unsigned used = 0;

	for (const Field &field : form.fields) {
		struct affine_stride factor;
		affine_field &to = ret->field[ret->fields++];

		to = field;
		if (field.by && (!launch_factor(in, field.by, factor) ||
				 !find_multiplier(factor, ret, used, to.multiplier)))
			return false;
	}
	return true;
}

bool analysis_affine(const struct analysis *in, LLVMValueRef inst, LLVMValueRef pointer,
		     struct affine_address *ret, LLVMValueRef *ret_blocker)
{
	Affine affine(*in, unwrap<Instruction>(inst));
	Form form;

	*ret = {};
	*ret_blocker = nullptr;
	if (!affine.take_apart(address_expr(*in, unwrap(pointer)), form)) {
		*ret_blocker = wrap(affine.blocker);
		return false;
	}
	if (form.fields.size() > AFFINE_FIELDS || form.wraps.size() > AFFINE_WRAPS ||
	    form.aligned.size() > AFFINE_ALIGNED ||
	    (in->no_fields && (!form.fields.empty() || !form.aligned.empty())))
		return false;
	for (int i = 0; i < 3; i++)
		if (form.coefficient[i] && !launch_factor(*in, form.coefficient[i], ret->stride[i]))
			return false;
	if (!add_fields(*in, form, ret))
		return false;
	for (Value *value : form.wraps)
		ret->wraps[ret->wrap_count++] = wrap(value);
	for (const affine_aligned &each : form.aligned)
		ret->aligned[ret->aligned_count++] = each;
	ret->first_is_lowest = form.first_is_lowest;
	ret->rest = form.rest;
	return true;
}

bool affine_uniform(const struct affine_address *address)
{
	for (const struct affine_stride &stride : address->stride)
		if (stride.constant || stride.factor)
			return false;
	return !address->fields;
}

bool affine_same_strides(const struct affine_address *a, const struct affine_address *b)
{
	for (int i = 0; i < 3; i++)
		if (!same_stride(a->stride[i], b->stride[i]))
			return false;
	for (unsigned i = 0; i < a->fields; i++) {
		unsigned k = 0;

		while (k < b->fields && (a->field[i].scale != b->field[k].scale ||
					 a->field[i].multiplier != b->field[k].multiplier ||
					 !same_field(a->field[i], b->field[k])))
			k++;
		if (k == b->fields)
			return false;
	}
	return a->fields == b->fields;
}

bool affine_distance(const struct analysis *in, const struct affine_address *a,
		     const struct affine_address *b, int64_t *ret)
{
	auto *from = static_cast<const SCEV *>(a->rest), *to = static_cast<const SCEV *>(b->rest);
	const SCEVConstant *constant = nullptr;

	if (affine_same_strides(a, b) && from->getType() == to->getType())
		constant = dyn_cast<SCEVConstant>(in->evolution.getMinusSCEV(to, from));
	if (constant)
		*ret = constant->getAPInt().getSExtValue();
	return constant;
}
