/* SPDX-License-Identifier: MIT */
/*
 * Linear forms of addresses in the work-item's id; see pass_prove.h. A walk down the operands: what
 * is uniform is a leaf, ids are what we are looking for, and additions, subtractions,
 * multiplications by constants and kernel arguments, widenings, address computations and loop
 * counters carry forms on. Anything else proves nothing.
 */
#include "pass_prove.h"

#include <stdlib.h>
#include <string.h>

#include "pass_pattern.h"
#include "pass_prove_parts.h"
#include "pass_shim.h"

/* Shared operands are walked once per user: a bound on it all. */
enum { DEPTH_MAX = 48, STEPS_MAX = 2000 };

struct pass_prover *pass_prover_create(LLVMValueRef function, bool kernel,
				       const struct pass_options *options, void *analyses)
{
	struct pass_prover *prover = pass_alloc(NULL, sizeof(*prover));

	*prover = (struct pass_prover){
		.options = options,
		.flow = probe_shim_flow_create(function, analyses),
		.layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(function)),
		.function = function,
		.kernel = kernel,
	};
	return prover;
}

void pass_prover_trust_launch(struct pass_prover *prover)
{
	prover->bounded = true;
}

void pass_prover_destroy(struct pass_prover *prover)
{
	if (!prover)
		return;
	probe_shim_flow_destroy(prover->flow);
	free(prover);
}

const struct pass_options *pass_prover_options(const struct pass_prover *prover)
{
	return prover->options;
}

struct probe_shim_flow *pass_prover_flow(const struct pass_prover *prover)
{
	return prover->flow;
}

/* ---- Values --------------------------------------------------------------------------------- */

static bool form_of(struct pass_prover *prover, LLVMValueRef value, unsigned depth,
		    struct pass_pattern *ret);

bool pass_constant_of(LLVMValueRef value, int64_t *ret)
{
	if (!LLVMIsAConstantInt(value) || LLVMGetIntTypeWidth(LLVMTypeOf(value)) > 64)
		return false;
	*ret = LLVMConstIntGetSExtValue(value);
	return true;
}

/* An operand: uniform, or a form that is made in no loop the user is not in. */
bool pass_form_of_operand(struct pass_prover *prover, LLVMValueRef user, unsigned operand,
			  unsigned depth, struct pass_pattern *ret)
{
	LLVMValueRef value = LLVMGetOperand(user, operand);
	int64_t number;

	*ret = (struct pass_pattern){.leaves_known = true};
	if (pass_constant_of(value, &number)) {
		ret->constant = number;
		return true;
	}
	if (!probe_shim_flow_differs(prover->flow, user, operand)) {
		LLVMValueRef blocker = prover->blocker;

		/* Look inside for what it has in common with others; if that fails, it is a leaf.
		 */
		if (!LLVMIsAInstruction(value) || depth >= DEPTH_MAX ||
		    !probe_shim_flow_same_loop(prover->flow, value,
					       LLVMGetInstructionParent(user)) ||
		    !form_of(prover, value, depth + 1, ret) || !pass_pattern_uniform(ret)) {
			*ret = (struct pass_pattern){0};
			pass_pattern_set_leaf(ret, value);
			prover->blocker = blocker;
		}
		return true;
	}
	if (!prover->blocker && !LLVMIsAInstruction(value))
		prover->blocker = value;
	if (!LLVMIsAInstruction(value) || depth >= DEPTH_MAX)
		return false;
	/* Lanes may have left a loop after different numbers of rounds. */
	return probe_shim_flow_same_loop(prover->flow, value, LLVMGetInstructionParent(user)) &&
	       form_of(prover, value, depth + 1, ret);
}

static bool scale_by(const struct pass_prover *prover, LLVMValueRef value,
		     struct pass_pattern *form)
{
	struct pass_stride by;

	if (form->digits || !pass_factor_of(prover, value, &by))
		return false;
	for (int i = 0; i < 3; i++) {
		struct pass_stride *stride = &form->stride[i];
		int64_t times = stride->constant;

		if (stride->factor)
			return false;
		if (!times)
			continue;
		*stride = by;
		stride->constant = pass_wrap_mul(by.constant, times);
		stride->factor = pass_wrap_mul(by.factor, times);
	}
	return true;
}

static bool multiply(struct pass_prover *prover, LLVMValueRef inst, unsigned depth,
		     struct pass_pattern *ret)
{
	struct pass_pattern a, b;

	if (!pass_form_of_operand(prover, inst, 0, depth, &a) ||
	    !pass_form_of_operand(prover, inst, 1, depth, &b))
		return false;
	for (int turn = 0; turn < 2; turn++) {
		const struct pass_pattern swap = a;

		if (b.leaves_known && !b.leaves && pass_pattern_uniform(&b)) {
			pass_pattern_scale(&a, b.constant);
			*ret = a;
			return true;
		}
		a = b;
		b = swap;
	}
	if (pass_pattern_uniform(&a) && pass_pattern_uniform(&b)) {
		*ret = a;
		pass_pattern_set_uniform(ret, inst);
		return pass_pattern_add_tests(ret, &b);
	}
	/* By a number of the launch: what it makes of the uniform part is a leaf of its own. */
	for (unsigned turn = 0; turn < 2; turn++) {
		const struct pass_pattern swap = a;

		if (scale_by(prover, LLVMGetOperand(inst, 1 - turn), &a)) {
			*ret = a;
			pass_pattern_set_leaf(ret, inst);
			return true;
		}
		a = b;
		b = swap;
	}
	return false;
}

static bool shift(struct pass_prover *prover, LLVMValueRef inst, unsigned depth,
		  struct pass_pattern *ret)
{
	int64_t by;

	if (!pass_constant_of(LLVMGetOperand(inst, 1), &by) || by < 0 || by > 62 ||
	    !pass_form_of_operand(prover, inst, 0, depth, ret))
		return false;
	pass_pattern_scale(ret, (int64_t)1 << by);
	return true;
}

/* (x << 32) >> n, with sign: the low half of x, widened, and shifted up again by 32 - n. */
static bool extend(struct pass_prover *prover, LLVMValueRef inst, unsigned depth,
		   struct pass_pattern *ret)
{
	LLVMValueRef up = LLVMGetOperand(inst, 0), value;
	int64_t left, right;

	if (!pass_constant_of(LLVMGetOperand(inst, 1), &right) || right < 1 || right > 32 ||
	    LLVMGetIntTypeWidth(LLVMTypeOf(inst)) != 64 || !LLVMIsAInstruction(up) ||
	    LLVMGetInstructionOpcode(up) != LLVMShl ||
	    !pass_constant_of(LLVMGetOperand(up, 1), &left) || left != 32 ||
	    !probe_shim_flow_same_loop(prover->flow, up, LLVMGetInstructionParent(inst)))
		return false;
	value = LLVMGetOperand(up, 0);
	if (!pass_form_of_operand(prover, up, 0, depth, ret) || ret->wrap_count == PASS_WRAPS)
		return false;
	if (pass_pattern_uniform(ret)) {
		pass_pattern_set_uniform(ret, inst);
		return true;
	}
	pass_pattern_cut(ret);
	if (probe_shim_leading_zeros(value) < 34 && !pass_is_small(prover, ret, false))
		ret->wraps[ret->wrap_count++] = value;
	pass_pattern_scale(ret, (int64_t)1 << (32 - right));
	return true;
}

/* The low half of an operand, widened. */
static bool widen_low(struct pass_prover *prover, LLVMValueRef inst, unsigned operand,
		      unsigned depth, bool zeros, struct pass_pattern *ret)
{
	LLVMValueRef value = LLVMGetOperand(inst, operand);
	unsigned above = LLVMGetIntTypeWidth(LLVMTypeOf(value)) - 32;

	if (!pass_form_of_operand(prover, inst, operand, depth, ret))
		return false;
	/* The same everywhere: widening it changes nothing about that. */
	if (pass_pattern_uniform(ret)) {
		if (LLVMIsAConstantInt(value))
			return !zeros || ret->constant >= 0;
		pass_pattern_set_uniform(ret, LLVMIsACastInst(inst) ? inst : value);
		return true;
	}
	pass_pattern_cut(ret);
	/* In no lane as far as the limit: no wrap within. */
	if (probe_shim_leading_zeros(value) >= above + 2 || pass_is_small(prover, ret, zeros))
		return true;
	if (ret->wrap_count == PASS_WRAPS)
		return false;
	for (unsigned i = 0; i < ret->wrap_count; i++)
		if (ret->wraps[i] == value)
			return true;
	ret->wraps[ret->wrap_count++] = value;
	ret->rising |= zeros;
	return true;
}

static bool widen(struct pass_prover *prover, LLVMValueRef inst, unsigned operand, unsigned depth,
		  bool zeros, struct pass_pattern *ret)
{
	LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(inst, operand));

	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 32 &&
	       widen_low(prover, inst, operand, depth, zeros, ret);
}

/* x & 2^32 - 1: the low half, widened with zeros. */
static bool mask_low(struct pass_prover *prover, LLVMValueRef inst, unsigned depth,
		     struct pass_pattern *ret)
{
	int64_t mask;

	return pass_constant_of(LLVMGetOperand(inst, 1), &mask) && mask == UINT32_MAX &&
	       widen_low(prover, inst, 0, depth, true, ret);
}

bool pass_index_step(LLVMTargetDataRef layout, LLVMTypeRef *type, LLVMValueRef index, bool first,
		     int64_t *ret_each, int64_t *ret_fixed)
{
	*ret_fixed = 0;
	*ret_each = 0;
	if (!first) {
		if (LLVMGetTypeKind(*type) == LLVMStructTypeKind) {
			unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);

			*ret_fixed = (int64_t)LLVMOffsetOfElement(layout, *type, field);
			*type = LLVMStructGetTypeAtIndex(*type, field);
			return true;
		}
		if (LLVMGetTypeKind(*type) != LLVMArrayTypeKind &&
		    LLVMGetTypeKind(*type) != LLVMVectorTypeKind)
			return false;
		*type = LLVMGetElementType(*type);
	}
	*ret_each = (int64_t)LLVMABISizeOfType(layout, *type);
	return true;
}

static bool gep(struct pass_prover *prover, LLVMValueRef inst, unsigned depth,
		struct pass_pattern *ret)
{
	LLVMTypeRef type = LLVMGetGEPSourceElementType(inst);
	unsigned width = 8 * LLVMPointerSizeForAS(prover->layout,
						  LLVMGetPointerAddressSpace(LLVMTypeOf(inst)));
	unsigned operands = (unsigned)LLVMGetNumOperands(inst);

	if (!pass_form_of_operand(prover, inst, 0, depth, ret))
		return false;
	for (unsigned i = 1; i < operands; i++) {
		LLVMValueRef index = LLVMGetOperand(inst, i);
		struct pass_pattern form;
		int64_t each, fixed;

		if (LLVMGetTypeKind(LLVMTypeOf(index)) != LLVMIntegerTypeKind ||
		    !pass_index_step(prover->layout, &type, index, i == 1, &each, &fixed))
			return false;
		ret->constant = pass_wrap_add(ret->constant, fixed);
		if (!each)
			continue;
		if (LLVMGetIntTypeWidth(LLVMTypeOf(index)) < width) {
			if (!widen(prover, inst, i, depth, false, &form))
				return false;
		} else if (!pass_form_of_operand(prover, inst, i, depth, &form)) {
			return false;
		}
		pass_pattern_scale(&form, each);
		if (!pass_pattern_add(ret, &form))
			return false;
	}
	return true;
}

/*
 * A loop counter: all lanes that are in the loop are in the same round, so as long as each round
 * adds the same in all lanes, they stay as far apart as they came.
 */
static bool counter(struct pass_prover *prover, LLVMValueRef phi, unsigned depth,
		    struct pass_pattern *ret)
{
	LLVMBasicBlockRef latch;
	struct pass_pattern step;
	struct counter here = {.phi = phi, .form = ret, .outer = prover->counters};
	unsigned back;
	bool same;

	for (const struct counter *c = prover->counters; c; c = c->outer)
		if (c->phi == phi) {
			*ret = *c->form;
			return true;
		}
	if (LLVMCountIncoming(phi) != 2 ||
	    !probe_shim_flow_is_header(prover->flow, LLVMGetInstructionParent(phi), &latch))
		return false;
	back = LLVMGetIncomingBlock(phi, 1) == latch ? 1 : 0;
	if (LLVMGetIncomingBlock(phi, back) != latch ||
	    !pass_form_of_operand(prover, phi, 1 - back, depth, ret))
		return false;
	pass_pattern_set_leaf(ret, phi);
	prover->counters = &here;
	same = pass_form_of_operand(prover, phi, back, depth, &step) &&
	       pass_pattern_same_strides(ret, &step) && pass_pattern_add_tests(ret, &step);
	prover->counters = here.outer;
	return same;
}

static bool id(LLVMValueRef inst, struct pass_pattern *ret)
{
	static const char prefix[] = "llvm.amdgcn.workitem.id.";
	LLVMValueRef callee = LLVMIsAFunction(LLVMGetCalledValue(inst));
	const char *name;
	size_t size;

	if (!callee)
		return false;
	name = LLVMGetValueName2(callee, &size);
	if (size != sizeof(prefix) || strncmp(name, prefix, sizeof(prefix) - 1) ||
	    name[size - 1] < 'x' || name[size - 1] > 'z')
		return false;
	*ret = (struct pass_pattern){.leaves_known = true};
	ret->stride[name[size - 1] - 'x'].constant = 1;
	return true;
}

static bool sum(struct pass_prover *prover, LLVMValueRef inst, unsigned depth, int64_t sign,
		struct pass_pattern *ret)
{
	struct pass_pattern b;

	if (!pass_form_of_operand(prover, inst, 0, depth, ret) ||
	    !pass_form_of_operand(prover, inst, 1, depth, &b))
		return false;
	pass_pattern_scale(&b, sign);
	return pass_pattern_add(ret, &b);
}

static bool integer_width_known(LLVMTypeRef type)
{
	return LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) == 32 ||
	       LLVMGetIntTypeWidth(type) == 64;
}

static bool try_form_of(struct pass_prover *prover, LLVMValueRef inst, unsigned depth,
			struct pass_pattern *ret)
{
	if (!integer_width_known(LLVMTypeOf(inst)) || ++prover->steps > STEPS_MAX ||
	    LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMVectorTypeKind)
		return false;
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMAdd:
		return sum(prover, inst, depth, 1, ret);
	case LLVMSub:
		return sum(prover, inst, depth, -1, ret);
	case LLVMOr:
		return probe_shim_or_is_add(inst) ? sum(prover, inst, depth, 1, ret)
						  : pass_form_of_bits(prover, inst, depth, ret);
	case LLVMAnd:
		return mask_low(prover, inst, depth, ret) ||
		       pass_form_of_bits(prover, inst, depth, ret);
	case LLVMXor:
	case LLVMLShr:
		return pass_form_of_bits(prover, inst, depth, ret);
	case LLVMMul:
		return multiply(prover, inst, depth, ret);
	case LLVMShl:
		return shift(prover, inst, depth, ret);
	case LLVMAShr:
		return extend(prover, inst, depth, ret);
	case LLVMSExt:
		return widen(prover, inst, 0, depth, false, ret);
	case LLVMZExt:
		return widen(prover, inst, 0, depth, true, ret);
	case LLVMGetElementPtr:
		return gep(prover, inst, depth, ret);
	case LLVMPHI:
		return counter(prover, inst, depth, ret);
	case LLVMCall:
		return id(inst, ret);
	case LLVMTrunc:
	case LLVMFreeze:
	case LLVMBitCast:
		return pass_form_of_operand(prover, inst, 0, depth, ret);
	default:
		return false;
	}
}

static bool form_of(struct pass_prover *prover, LLVMValueRef inst, unsigned depth,
		    struct pass_pattern *ret)
{
	if (try_form_of(prover, inst, depth, ret))
		return true;
	if (!prover->blocker)
		prover->blocker = inst;
	return false;
}

LLVMValueRef pass_prover_blocker(const struct pass_prover *prover)
{
	return prover->blocker;
}

bool pass_prove(struct pass_prover *prover, LLVMValueRef inst, LLVMValueRef pointer,
		struct pass_pattern *ret)
{
	int operands = LLVMGetNumOperands(inst), i = 0;

	while (i < operands && LLVMGetOperand(inst, (unsigned)i) != pointer)
		i++;
	if (i == operands)
		return false;
	prover->counters = NULL;
	prover->steps = 0;
	prover->blocker = NULL;
	/* Constant expressions are uniform leaves, however they are made. */
	return pass_form_of_operand(prover, inst, (unsigned)i, 0, ret);
}
