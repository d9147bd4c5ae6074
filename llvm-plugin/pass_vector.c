/* SPDX-License-Identifier: MIT */
/*
 * Forms (pass_prove.h) of elements of vectors: the vectoriser computes two indices of a work-item
 * at once.
 */
#include "pass_prove_parts.h"
#include "pass_shim.h"

enum { VECTOR_DEPTH = 24 };

static bool element(struct pass_prover *prover, LLVMValueRef user, unsigned operand, unsigned at,
		    unsigned depth, struct pass_pattern *ret);

static bool constant_element(LLVMValueRef vector, unsigned at, struct pass_pattern *ret)
{
	int64_t number;

	*ret = (struct pass_pattern){.leaves_known = true};
	if (LLVMIsAConstantAggregateZero(vector))
		return true;
	if ((!LLVMIsAConstantDataVector(vector) && !LLVMIsAConstantVector(vector)) ||
	    !pass_constant_of(LLVMGetAggregateElement(vector, at), &number))
		return false;
	ret->constant = number;
	return true;
}

static bool inserted(struct pass_prover *prover, LLVMValueRef inst, unsigned at, unsigned depth,
		     struct pass_pattern *ret)
{
	int64_t index;

	if (!pass_constant_of(LLVMGetOperand(inst, 2), &index))
		return false;
	return index == at ? pass_form_of_operand(prover, inst, 1, depth, ret)
			   : element(prover, inst, 0, at, depth, ret);
}

static bool shuffled(struct pass_prover *prover, LLVMValueRef inst, unsigned at, unsigned depth,
		     struct pass_pattern *ret)
{
	int size = (int)LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(inst, 0)));
	int from = LLVMGetMaskValue(inst, at);

	return from >= 0 &&
	       element(prover, inst, from >= size, (unsigned)(from % size), depth, ret);
}

static bool combined(struct pass_prover *prover, LLVMValueRef inst, unsigned at, unsigned depth,
		     struct pass_pattern *ret)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(inst);
	struct pass_pattern b;

	if (!element(prover, inst, 0, at, depth, ret) || !element(prover, inst, 1, at, depth, &b))
		return false;
	switch (op) {
	case LLVMAdd:
		return pass_pattern_add(ret, &b);
	case LLVMSub:
		pass_pattern_scale(&b, -1);
		return pass_pattern_add(ret, &b);
	case LLVMMul:
	case LLVMShl:
		if (!b.leaves_known || b.leaves || !pass_pattern_uniform(&b) ||
		    (op == LLVMShl && (b.constant < 0 || b.constant > 62)))
			return false;
		pass_pattern_scale(ret, op == LLVMShl ? (int64_t)1 << b.constant : b.constant);
		return true;
	default:
		return false;
	}
}

static bool element(struct pass_prover *prover, LLVMValueRef user, unsigned operand, unsigned at,
		    unsigned depth, struct pass_pattern *ret)
{
	LLVMValueRef vector = LLVMGetOperand(user, operand);

	if (constant_element(vector, at, ret))
		return true;
	if (!probe_shim_flow_differs(prover->flow, user, operand)) {
		pass_pattern_set_leaf(ret, vector);
		ret->leaf[0].element = at;
		return true;
	}
	if (!LLVMIsAInstruction(vector) || depth >= VECTOR_DEPTH ||
	    !probe_shim_flow_same_loop(prover->flow, vector, LLVMGetInstructionParent(user)))
		return false;
	if (LLVMIsAInsertElementInst(vector))
		return inserted(prover, vector, at, depth + 1, ret);
	if (LLVMIsAShuffleVectorInst(vector))
		return shuffled(prover, vector, at, depth + 1, ret);
	return LLVMIsABinaryOperator(vector) && combined(prover, vector, at, depth + 1, ret);
}

bool pass_form_of_element(struct pass_prover *prover, LLVMValueRef inst, unsigned depth,
			  struct pass_pattern *ret)
{
	int64_t at;

	return pass_enabled(prover->options, PASS_VECTORS) &&
	       pass_constant_of(LLVMGetOperand(inst, 1), &at) &&
	       element(prover, inst, 0, (unsigned)at, depth, ret);
}
