/* SPDX-License-Identifier: MIT */
/* Bit fields of ids in affine forms (pass_prove.h): what and, or, xor and shifts make of an id. */
#include <string.h>

#include "pass_prove_parts.h"

enum { ID_MAX = 1023 };

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
		ret->axis = (uint8_t)i;
	}
	if (form->digits == 1)
		*ret = form->digit[0];
	return form->digits <= 1 && !ret->with && ret->times > 0 &&
	       !(ret->times & (ret->times - 1));
}

/* *form & constant, as a bit field. */
static bool mask_of(const struct pass_pattern *form, uint64_t constant, struct pass_digit *ret)
{
	if (!as_bits(form, ret))
		return false;
	constant >>= __builtin_ctzll((uint64_t)ret->times);
	ret->mask &= (uint32_t)constant;
	return true;
}

/* *form & what is the same in all lanes: butterflies, and exchanges with a partner. */
static bool mask_by(const struct pass_pattern *form, LLVMValueRef with, struct pass_digit *ret)
{
	if (!as_bits(form, ret) || ret->times != 1)
		return false;
	ret->with = with;
	return true;
}

/* a & b; a | b = a + b - (a & b); a ^ b = a + b - 2 * (a & b). */
static bool logic(struct pass_prover *prover, LLVMValueRef inst, unsigned depth,
		  struct pass_pattern *ret)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(inst);
	struct pass_pattern a, b;
	struct pass_digit both;
	unsigned uniform = 1;
	bool known;

	if (!pass_form_of_operand(prover, inst, 0, depth, &a) ||
	    !pass_form_of_operand(prover, inst, 1, depth, &b))
		return false;
	if (pass_pattern_uniform(&a)) {
		struct pass_pattern swap = a;

		a = b;
		b = swap;
		uniform = 0;
	}
	if (!pass_pattern_uniform(&b))
		return false;
	known = b.leaves_known && !b.leaves;
	if (op == LLVMXor && known && b.constant == -1) {
		pass_pattern_scale(&a, -1);
		*ret = a;
		return pass_pattern_add(ret, &b);
	}
	if (known ? !mask_of(&a, (uint64_t)b.constant, &both)
		  : !mask_by(&a, LLVMGetOperand(inst, uniform), &both))
		return false;
	if (op == LLVMAnd) {
		*ret = (struct pass_pattern){.leaves_known = true};
		return pass_pattern_add_digit(ret, &both) && pass_pattern_add_tests(ret, &a) &&
		       pass_pattern_add_tests(ret, &b);
	}
	both.times = pass_wrap_mul(both.times, op == LLVMOr ? -1 : -2);
	*ret = a;
	return pass_pattern_add(ret, &b) && pass_pattern_add_digit(ret, &both);
}

/* By a constant number of bits, of what has no sign. */
static bool shift_right(struct pass_prover *prover, LLVMValueRef inst, unsigned depth,
			struct pass_pattern *ret)
{
	struct pass_pattern form;
	struct pass_digit digit;
	int64_t by, down;

	if (!pass_constant_of(LLVMGetOperand(inst, 1), &by) || by < 0 || by > 31 ||
	    !pass_form_of_operand(prover, inst, 0, depth, &form) || pass_pattern_uniform(&form) ||
	    !as_bits(&form, &digit))
		return false;
	*ret = (struct pass_pattern){.leaves_known = true};
	down = by - __builtin_ctzll((uint64_t)digit.times);
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

bool pass_form_of_bits(struct pass_prover *prover, LLVMValueRef inst, unsigned depth,
		       struct pass_pattern *ret)
{
	if (!pass_enabled(prover->options, PASS_BIT_FIELDS))
		return false;
	return LLVMGetInstructionOpcode(inst) == LLVMLShr ? shift_right(prover, inst, depth, ret)
							  : logic(prover, inst, depth, ret);
}
