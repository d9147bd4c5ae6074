/* SPDX-License-Identifier: MIT */
/* Digits of forms (pass_prove.h): what and, or, xor, shifts, minima and maxima make of ids. */
#include <string.h>

#include "pass_prove_parts.h"
#include "pass_shim.h"

enum { NUMBER_BITS = 10, ID_MAX = 1023 };
_Static_assert(PROBE_NUMBER_MAX == (1 << NUMBER_BITS) - 1, "bits of a number");

static unsigned top_bit(uint64_t value)
{
	return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

/* A form as a digit's v: constant, small strides and no digits. */
static bool as_inner(const struct pass_pattern *form, struct pass_digit *ret)
{
	*ret = (struct pass_digit){.times = 1, .mask = UINT32_MAX};
	if (form->digits)
		return false;
	for (int i = 0; i < 3; i++) {
		int64_t each = form->stride[i].constant;

		if (form->stride[i].factor || each != (int16_t)each)
			return false;
		ret->inner[i] = (int16_t)each;
	}
	return true;
}

/* 2^n times some bits of one id, and nothing else? Then *ret is that, `times` being 2^n. */
static bool as_bits(const struct pass_pattern *form, struct pass_digit *ret)
{
	if (!form->leaves_known || form->leaves || form->constant || form->wrap_count)
		return false;
	*ret = (struct pass_digit){.mask = ID_MAX};
	for (int i = 0; i < 3; i++) {
		int64_t each = form->stride[i].constant;

		if (form->stride[i].factor || (each && (ret->times || form->digits)))
			return false;
		if (!each)
			continue;
		ret->times = each;
		ret->inner[i] = 1;
	}
	if (form->digits == 1)
		*ret = form->digit[0];
	return form->digits <= 1 && ret->op == PROBE_DIGIT_BITS && ret->times > 0 &&
	       !(ret->times & (ret->times - 1));
}

/* *form & constant, as a digit; `of` is the value that has the form. */
static bool mask_of(const struct pass_pattern *form, LLVMValueRef of, uint64_t constant,
		    struct pass_digit *ret)
{
	unsigned low;

	if (as_bits(form, ret)) {
		constant >>= __builtin_ctzll((uint64_t)ret->times);
		ret->mask &= (uint32_t)constant;
		return true;
	}
	if (!constant || top_bit(constant) > NUMBER_BITS || !as_inner(form, ret))
		return false;
	low = (unsigned)__builtin_ctzll(constant);
	ret->op = PROBE_DIGIT_ADD;
	ret->of = of;
	ret->shift = (uint8_t)low;
	ret->mask = (uint32_t)(constant >> low);
	ret->times = 1ll << low;
	return true;
}

/* a & b, the first one a form, the second the same in all lanes and not constant. */
static bool mask_by(const struct pass_pattern *form, LLVMValueRef with, struct pass_digit *ret)
{
	if (!as_bits(form, ret) || ret->times != 1)
		return false;
	ret->op = PROBE_DIGIT_AND;
	ret->with = with;
	return true;
}

static bool add_times(struct pass_pattern *form, struct pass_digit *digit, int64_t times)
{
	digit->times = pass_wrap_mul(digit->times, times);
	return pass_pattern_add_digit(form, digit);
}

/* Steps of small size that only rise, as a digit modulo something. */
static bool as_rest(const struct pass_pattern *form, LLVMValueRef of, LLVMValueRef with,
		    struct pass_digit *ret)
{
	if (!as_inner(form, ret) || pass_digit_span(ret) > PROBE_NUMBER_MAX)
		return false;
	for (int i = 0; i < 3; i++)
		if (ret->inner[i] < 0)
			return false;
	ret->op = PROBE_DIGIT_MOD;
	ret->of = of;
	ret->with = with;
	return LLVMGetIntTypeWidth(LLVMTypeOf(of)) == 32;
}

static bool is_op(LLVMValueRef value, LLVMOpcode op)
{
	return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == op;
}

/* value = *ret * n, or *ret << n */
static bool times_of(LLVMValueRef value, LLVMValueRef n, bool shifted, int64_t *ret)
{
	*ret = 1;
	if (shifted)
		return is_op(value, LLVMShl) && LLVMGetOperand(value, 1) == n &&
		       pass_constant_of(LLVMGetOperand(value, 0), ret);
	if (value == n)
		return true;
	if (is_op(value, LLVMMul))
		return LLVMGetOperand(value, 0) == n &&
		       pass_constant_of(LLVMGetOperand(value, 1), ret);
	if (!is_op(value, LLVMShl) || LLVMGetOperand(value, 0) != n ||
	    !pass_constant_of(LLVMGetOperand(value, 1), ret) || *ret < 0 || *ret > 30)
		return false;
	*ret = 1ll << *ret;
	return true;
}

bool pass_form_of_multiple(struct pass_prover *prover, LLVMValueRef inst, unsigned depth,
			   struct pass_pattern *ret)
{
	bool shift = LLVMGetInstructionOpcode(inst) == LLVMShl;

	if (!pass_enabled(prover->options, PASS_BIT_FIELDS) ||
	    !pass_enabled(prover->options, PASS_OBSERVED_VALUES))
		return false;
	for (unsigned i = 0; i < (shift ? 1 : 2); i++) {
		LLVMValueRef part = LLVMGetOperand(inst, i), by = LLVMGetOperand(inst, 1 - i), n;
		bool shifted = is_op(part, LLVMLShr);
		struct pass_pattern form;
		struct pass_digit rest;
		int64_t times = 1;

		if (!shifted && !is_op(part, LLVMUDiv))
			continue;
		n = LLVMGetOperand(part, 1);
		if (probe_shim_flow_differs(prover->flow, part, 1) || LLVMIsAConstant(n) ||
		    !probe_shim_flow_same_loop(prover->flow, part,
					       LLVMGetInstructionParent(inst)) ||
		    (shift ? !shifted || by != n : !times_of(by, n, shifted, &times)) ||
		    !pass_form_of_operand(prover, part, 0, depth, &form) ||
		    !as_rest(&form, LLVMGetOperand(part, 0), n, &rest))
			continue;
		rest.quotient = shifted ? NULL : part;
		*ret = form;
		pass_pattern_scale(ret, times);
		pass_pattern_set_leaf(ret, inst);
		return add_times(ret, &rest, -times);
	}
	return false;
}

/* (1 << n) - 1, or ~(-1 << n) */
static bool is_mask(LLVMValueRef value, LLVMValueRef *ret)
{
	int64_t minus, one;
	bool add = is_op(value, LLVMAdd);

	if ((!add && !is_op(value, LLVMXor)) ||
	    !pass_constant_of(LLVMGetOperand(value, 1), &minus) || minus != -1)
		return false;
	value = LLVMGetOperand(value, 0);
	if (!is_op(value, LLVMShl) || !pass_constant_of(LLVMGetOperand(value, 0), &one) ||
	    one != (add ? 1 : -1))
		return false;
	*ret = LLVMGetOperand(value, 1);
	return true;
}

/* x & (1 << n) - 1, where x is more than bits of one id. */
static bool as_masked(const struct pass_pattern *form, LLVMValueRef of, LLVMValueRef mask,
		      struct pass_digit *ret)
{
	LLVMValueRef n;

	return is_mask(mask, &n) && as_rest(form, of, n, ret);
}

/* a & b; a | b = a + b - (a & b); a ^ b = a + b - 2 * (a & b). */
static bool logic(struct pass_prover *prover, LLVMValueRef inst, unsigned depth,
		  struct pass_pattern *ret)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(inst);
	struct pass_pattern a, b;
	struct pass_digit both;
	unsigned second = 1;
	bool known;

	if (!pass_form_of_operand(prover, inst, 0, depth, &a) ||
	    !pass_form_of_operand(prover, inst, 1, depth, &b))
		return false;
	if (pass_pattern_uniform(&a)) {
		struct pass_pattern swap = a;

		a = b;
		b = swap;
		second = 0;
	}
	if (!pass_pattern_uniform(&b))
		return false;
	known = b.leaves_known && !b.leaves;
	if (op == LLVMXor && known && b.constant == -1) {
		pass_pattern_scale(&a, -1);
		*ret = a;
		return pass_pattern_add(ret, &b);
	}
	/* x & -8 = x - (x & 7) */
	if (op == LLVMAnd && known && b.constant < 0 && !as_bits(&a, &both)) {
		*ret = a;
		return mask_of(&a, LLVMGetOperand(inst, 1 - second), ~(uint64_t)b.constant,
			       &both) &&
		       add_times(ret, &both, -1);
	}
	if (known ? !mask_of(&a, LLVMGetOperand(inst, 1 - second), (uint64_t)b.constant, &both)
		  : !mask_by(&a, LLVMGetOperand(inst, second), &both) &&
			    !as_masked(&a, LLVMGetOperand(inst, 1 - second),
				       LLVMGetOperand(inst, second), &both))
		return false;
	if (op == LLVMAnd) {
		*ret = (struct pass_pattern){.leaves_known = true};
		/* From the first lane's on. */
		if (both.op == PROBE_DIGIT_MOD)
			pass_pattern_set_leaf(ret, inst);
		return pass_pattern_add_digit(ret, &both) && pass_pattern_add_tests(ret, &a) &&
		       pass_pattern_add_tests(ret, &b);
	}
	*ret = a;
	if (!pass_pattern_add(ret, &b) || !add_times(ret, &both, op == LLVMOr ? -1 : -2))
		return false;
	if (both.op == PROBE_DIGIT_MOD)
		pass_pattern_set_leaf(ret, inst);
	return true;
}

/* By a constant number of bits, of what has no sign. */
static bool shift_right(struct pass_prover *prover, LLVMValueRef inst, unsigned depth,
			struct pass_pattern *ret)
{
	struct pass_pattern form;
	struct pass_digit digit;
	int64_t by;

	if (!pass_constant_of(LLVMGetOperand(inst, 1), &by) || by < 0 || by > 31 ||
	    !pass_form_of_operand(prover, inst, 0, depth, &form) || pass_pattern_uniform(&form))
		return false;
	*ret = (struct pass_pattern){.leaves_known = true};
	if (as_bits(&form, &digit)) {
		int64_t down = by - __builtin_ctzll((uint64_t)digit.times);

		if (down < 0) {
			digit.times >>= by;
			return pass_pattern_add_digit(ret, &digit);
		}
		digit.times = 1;
		if (digit.shift + down > 31)
			return true;
		digit.shift = (uint8_t)(digit.shift + down);
		digit.mask >>= down;
		return pass_pattern_add_digit(ret, &digit);
	}
	if (by > NUMBER_BITS || !as_inner(&form, &digit) || !pass_is_small(prover, &form, true))
		return false;
	digit.op = PROBE_DIGIT_ADD;
	digit.of = LLVMGetOperand(inst, 0);
	digit.shift = (uint8_t)by;
	return pass_pattern_add_digit(ret, &digit) && pass_pattern_add_tests(ret, &form);
}

/* Of a form and what is the same in all lanes. Signed, and what varies is near the first lane's. */
static bool extreme(struct pass_prover *prover, LLVMValueRef inst, unsigned depth,
		    enum probe_digit_op op, struct pass_pattern *ret)
{
	struct pass_pattern a, b;
	struct pass_digit digit;
	unsigned second = 1;

	if (!pass_form_of_operand(prover, inst, 0, depth, &a) ||
	    !pass_form_of_operand(prover, inst, 1, depth, &b))
		return false;
	if (pass_pattern_uniform(&a)) {
		struct pass_pattern swap = a;

		a = b;
		b = swap;
		second = 0;
	} else if (!pass_pattern_uniform(&b)) {
		return false;
	}
	if (!as_inner(&a, &digit) || !pass_is_small(prover, &a, false) ||
	    LLVMGetIntTypeWidth(LLVMTypeOf(inst)) != 32)
		return false;
	if (pass_digit_span(&digit) >= PROBE_DIGIT_BIAS)
		return false;
	digit.op = (uint8_t)op;
	digit.of = LLVMGetOperand(inst, 1 - second);
	digit.with = LLVMGetOperand(inst, second);
	*ret = (struct pass_pattern){.leaves_known = true};
	return pass_pattern_add_digit(ret, &digit) && pass_pattern_add_tests(ret, &a) &&
	       pass_pattern_add_tests(ret, &b);
}

bool pass_form_of_bits(struct pass_prover *prover, LLVMValueRef inst, unsigned depth,
		       struct pass_pattern *ret)
{
	if (!pass_enabled(prover->options, PASS_BIT_FIELDS))
		return false;
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMAnd:
	case LLVMOr:
	case LLVMXor:
		return logic(prover, inst, depth, ret);
	case LLVMLShr:
		return shift_right(prover, inst, depth, ret);
	case LLVMCall:
		if (pass_is_intrinsic(inst, "llvm.smin."))
			return extreme(prover, inst, depth, PROBE_DIGIT_MIN, ret);
		if (pass_is_intrinsic(inst, "llvm.smax."))
			return extreme(prover, inst, depth, PROBE_DIGIT_MAX, ret);
		return false;
	default:
		return false;
	}
}
