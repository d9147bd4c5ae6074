/* SPDX-License-Identifier: MIT */
/*
 * Guesses (pass_prove.h): of operations that keep to no form, what they are in most waves. A guess
 * costs a comparison where it runs, so there must be a reason for it in the code: a minimum, a
 * selection or a remainder is as what it is made of, a quotient or what is left of a number without
 * its lower bits is the same in all lanes, an index from a table advances as the index into it
 * does.
 */
#include "pass_prove_parts.h"
#include "pass_shim.h"

enum { LANE_BITS = 6 };

static bool is_plain(const struct pass_pattern *form)
{
	for (int i = 0; i < 3; i++)
		if (form->stride[i].factor ||
		    form->stride[i].constant != (int32_t)form->stride[i].constant)
			return false;
	return !form->digits;
}

static int64_t sum_of(const struct pass_pattern *form)
{
	return form->stride[0].constant + form->stride[1].constant + form->stride[2].constant;
}

static void set_guess(LLVMValueRef inst, const struct pass_pattern *as, struct pass_pattern *ret)
{
	*ret = (struct pass_pattern){.guesses = 1, .guess[0].value = inst};
	pass_pattern_set_leaf(ret, inst);
	for (int i = 0; i < 3; i++) {
		ret->stride[i].constant = as->stride[i].constant;
		ret->guess[0].each[i] = (int32_t)as->stride[i].constant;
	}
}

/* As one of some operands: one that varies, and rather rises than falls. */
static bool as_operand(struct pass_prover *prover, LLVMValueRef inst, unsigned first,
		       unsigned count, unsigned depth, struct pass_pattern *ret)
{
	struct pass_pattern best;
	bool found = false;

	for (unsigned i = first; i < first + count; i++) {
		struct pass_pattern form;

		if (!pass_form_of_operand(prover, inst, i, depth, &form) || !is_plain(&form))
			continue;
		if (!found || pass_pattern_uniform(&best) ||
		    (!pass_pattern_uniform(&form) && sum_of(&form) > sum_of(&best)))
			best = form;
		found = true;
	}
	if (found)
		set_guess(inst, &best, ret);
	return found;
}

static bool as_uniform(struct pass_prover *prover, LLVMValueRef inst, unsigned depth,
		       struct pass_pattern *ret)
{
	const struct pass_pattern none = {0};
	struct pass_pattern form;

	if (!pass_form_of_operand(prover, inst, 0, depth, &form))
		return false;
	set_guess(inst, &none, ret);
	return true;
}

/* A condition as a number: a correction at some edge. */
static bool as_condition(LLVMValueRef inst, struct pass_pattern *ret)
{
	const struct pass_pattern none = {0};
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(inst, 0));

	if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) != 1)
		return false;
	set_guess(inst, &none, ret);
	return true;
}

/* What lies above the bits that lanes make, or may do so. */
static bool as_bits(struct pass_prover *prover, LLVMValueRef inst, unsigned depth,
		    struct pass_pattern *ret)
{
	int64_t number;
	bool constant = pass_constant_of(LLVMGetOperand(inst, 1), &number);

	if (LLVMGetInstructionOpcode(inst) != LLVMAnd)
		return (constant ? number >= LANE_BITS
				 : !probe_shim_flow_differs(prover->flow, inst, 1)) &&
		       as_uniform(prover, inst, depth, ret);
	if (constant && !(number & ((1 << LANE_BITS) - 1)))
		return as_uniform(prover, inst, depth, ret);
	return as_operand(prover, inst, 0, constant ? 1 : 2, depth, ret);
}

/* From a table: all lanes from one place, or from one element after the other. */
static bool as_loaded(struct pass_prover *prover, LLVMValueRef inst, unsigned depth,
		      struct pass_pattern *ret)
{
	int64_t size = LLVMGetIntTypeWidth(LLVMTypeOf(inst)) / 8;
	struct pass_pattern form;

	if (!pass_form_of_operand(prover, inst, 0, depth, &form) || !is_plain(&form))
		return false;
	for (int i = 0; i < 3; i++) {
		if (form.stride[i].constant % size)
			return false;
		form.stride[i].constant /= size;
		if (form.stride[i].constant < -1 || form.stride[i].constant > 1)
			return false;
	}
	set_guess(inst, &form, ret);
	ret->guess[0].loaded = true;
	return true;
}

static bool as_call(struct pass_prover *prover, LLVMValueRef inst, unsigned depth,
		    struct pass_pattern *ret)
{
	static const char *const extremes[] = {"llvm.smin.", "llvm.smax.", "llvm.umin.",
					       "llvm.umax."};

	for (size_t i = 0; i < sizeof(extremes) / sizeof(extremes[0]); i++)
		if (pass_is_intrinsic(inst, extremes[i]))
			return as_operand(prover, inst, 0, 2, depth, ret);
	return pass_is_intrinsic(inst, "llvm.abs.") && as_operand(prover, inst, 0, 1, depth, ret);
}

bool pass_form_by_guess(struct pass_prover *prover, LLVMValueRef inst, unsigned depth,
			struct pass_pattern *ret)
{
	LLVMTypeRef type = LLVMTypeOf(inst);
	bool integer = LLVMGetTypeKind(type) == LLVMIntegerTypeKind;
	LLVMBasicBlockRef latch;

	/* What is made in a later round, or was in an earlier one, cannot be looked at. */
	if (!prover->may_guess || prover->counters ||
	    !pass_enabled(prover->options, PASS_SPECULATION))
		return false;
	if (integer && LLVMGetIntTypeWidth(type) != 32 && LLVMGetIntTypeWidth(type) != 64)
		return false;
	if (!integer && LLVMGetTypeKind(type) != LLVMPointerTypeKind)
		return false;
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMSelect:
		return as_operand(prover, inst, 1, 2, depth, ret);
	case LLVMPHI:
		return !probe_shim_flow_is_header(prover->flow, LLVMGetInstructionParent(inst),
						  &latch) &&
		       as_operand(prover, inst, 0, LLVMCountIncoming(inst), depth, ret);
	case LLVMURem:
	case LLVMSRem:
		return as_operand(prover, inst, 0, 1, depth, ret);
	case LLVMUDiv:
	case LLVMSDiv:
		return as_uniform(prover, inst, depth, ret);
	case LLVMAnd:
	case LLVMLShr:
	case LLVMAShr:
		return as_bits(prover, inst, depth, ret);
	case LLVMSExt:
	case LLVMZExt:
		return as_condition(inst, ret);
	case LLVMLoad:
		return integer && as_loaded(prover, inst, depth, ret);
	case LLVMCall:
		return as_call(prover, inst, depth, ret);
	default:
		return false;
	}
}
