/* SPDX-License-Identifier: MIT */
/* Calculations (pass_base.h) of conditions, and of what lanes have by the way that they came. */
#include "pass_base_parts.h"
#include "pass_shim.h"

/*
 * The successor of `from` that a block lies behind, and no other way leads to, or that the edge
 * from there leads to; NULL.
 */
static LLVMBasicBlockRef side_of(const struct base_walk *w, LLVMBasicBlockRef from,
				 LLVMBasicBlockRef block, LLVMBasicBlockRef join)
{
	LLVMUseRef way;

	if (block == from)
		return join;
	while (block && probe_shim_flow_idom(w->prover->flow, block) != from)
		block = probe_shim_flow_idom(w->prover->flow, block);
	way = block ? LLVMGetFirstUse(LLVMBasicBlockAsValue(block)) : NULL;
	return way && !LLVMGetNextUse(way) ? block : NULL;
}

/*
 * Where two ways of a branch meet, each lane has what came its way. *ret_first: is the first value
 * that of lanes which the branch sends to its first successor? Nothing of it may lie in a loop.
 */
static LLVMValueRef branch_of(const struct base_walk *w, LLVMValueRef phi, bool *ret_first)
{
	const struct probe_shim_flow *flow = w->prover->flow;
	LLVMBasicBlockRef join = LLVMGetInstructionParent(phi), side[2];
	LLVMBasicBlockRef from = probe_shim_flow_idom(flow, join);
	LLVMValueRef branch = from ? LLVMGetBasicBlockTerminator(from) : NULL;

	if (!branch || !LLVMIsABranchInst(branch) || !LLVMIsConditional(branch) ||
	    LLVMCountIncoming(phi) != 2 || probe_shim_flow_depth(flow, join) ||
	    probe_shim_flow_depth(flow, from))
		return NULL;
	for (unsigned i = 0; i < 2; i++)
		side[i] = side_of(w, from, LLVMGetIncomingBlock(phi, i), join);
	*ret_first = side[0] == LLVMGetSuccessor(branch, 0);
	return side[0] && side[1] && side[0] != side[1] &&
			       side[!*ret_first] == LLVMGetSuccessor(branch, 0) &&
			       side[*ret_first] == LLVMGetSuccessor(branch, 1)
		       ? branch
		       : NULL;
}

/* The same, perhaps made twice. */
static bool are_equal(LLVMValueRef a, LLVMValueRef b)
{
	if (a == b)
		return true;
	if (!LLVMIsAInstruction(a) || !LLVMIsAInstruction(b) ||
	    LLVMGetInstructionOpcode(a) != LLVMGetInstructionOpcode(b) ||
	    LLVMTypeOf(a) != LLVMTypeOf(b))
		return false;
	switch (LLVMGetInstructionOpcode(a)) {
	case LLVMSExt:
	case LLVMZExt:
	case LLVMTrunc:
		return LLVMGetOperand(a, 0) == LLVMGetOperand(b, 0);
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
	case LLVMShl:
		return LLVMGetOperand(a, 0) == LLVMGetOperand(b, 0) &&
		       LLVMGetOperand(a, 1) == LLVMGetOperand(b, 1);
	default:
		return false;
	}
}

/* What was sunk into all ways that meet: whichever a lane came does not matter. */
static bool is_sunk(LLVMValueRef phi)
{
	for (unsigned i = 1; i < LLVMCountIncoming(phi); i++)
		if (!are_equal(LLVMGetIncomingValue(phi, 0), LLVMGetIncomingValue(phi, i)))
			return false;
	return true;
}

/* One after the other: the condition, and what either way brings. */
bool pass_base_walk_ways(struct base_walk *w, LLVMValueRef phi, pass_base_value each, uint8_t bits,
			 unsigned depth)
{
	LLVMValueRef branch;
	bool first;

	if (!w->exact)
		return false;
	if (is_sunk(phi))
		return each(w, LLVMGetIncomingValue(phi, 0), depth + 1);
	branch = branch_of(w, phi, &first);
	return branch && pass_base_walk_truth(w, LLVMGetCondition(branch), depth + 1) &&
	       each(w, LLVMGetIncomingValue(phi, !first), depth + 1) &&
	       each(w, LLVMGetIncomingValue(phi, first), depth + 1) &&
	       pass_base_put_simple(w, PROBE_EXPR_SELECT, bits, -2);
}

bool pass_base_is_truth(LLVMValueRef value)
{
	return LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMIntegerTypeKind &&
	       LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 1;
}

static bool walk_comparison(struct base_walk *w, LLVMValueRef value, unsigned depth)
{
	static const struct {
		LLVMIntPredicate predicate;
		enum probe_expr_code code;
		bool turned;
	} codes[] = {
		{LLVMIntEQ, PROBE_EXPR_EQ, false},   {LLVMIntNE, PROBE_EXPR_NE, false},
		{LLVMIntULT, PROBE_EXPR_ULT, false}, {LLVMIntULE, PROBE_EXPR_ULE, false},
		{LLVMIntSLT, PROBE_EXPR_SLT, false}, {LLVMIntSLE, PROBE_EXPR_SLE, false},
		{LLVMIntUGT, PROBE_EXPR_ULT, true},  {LLVMIntUGE, PROBE_EXPR_ULE, true},
		{LLVMIntSGT, PROBE_EXPR_SLT, true},  {LLVMIntSGE, PROBE_EXPR_SLE, true},
	};
	uint8_t bits = pass_base_bits(w, LLVMGetOperand(value, 0));
	bool ids;

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]) && bits; i++)
		if (codes[i].predicate == LLVMGetICmpPredicate(value))
			return pass_base_walk(w, LLVMGetOperand(value, codes[i].turned), depth + 1,
					      &ids) &&
			       pass_base_walk(w, LLVMGetOperand(value, !codes[i].turned), depth + 1,
					      &ids) &&
			       pass_base_put_simple(w, codes[i].code, bits, -1);
	return false;
}

static bool walk_truths(struct base_walk *w, LLVMValueRef value, unsigned operands, unsigned depth)
{
	for (unsigned i = 0; i < operands; i++)
		if (!pass_base_is_truth(LLVMGetOperand(value, i)) ||
		    !pass_base_walk_truth(w, LLVMGetOperand(value, i), depth + 1))
			return false;
	return true;
}

/* A number that is 1 or 0. */
bool pass_base_walk_truth(struct base_walk *w, LLVMValueRef value, unsigned depth)
{
	int64_t number;

	if (depth > 32)
		return false;
	if (pass_constant_of(value, &number))
		return pass_base_put_constant(w, number & 1, 32);
	if (!LLVMIsAInstruction(value))
		return false;
	switch (LLVMGetInstructionOpcode(value)) {
	case LLVMICmp:
		return walk_comparison(w, value, depth);
	case LLVMFreeze:
		return walk_truths(w, value, 1, depth);
	case LLVMAnd:
		return walk_truths(w, value, 2, depth) &&
		       pass_base_put_simple(w, PROBE_EXPR_AND, 32, -1);
	case LLVMOr:
		return walk_truths(w, value, 2, depth) &&
		       pass_base_put_simple(w, PROBE_EXPR_OR, 32, -1);
	case LLVMXor:
		return walk_truths(w, value, 2, depth) &&
		       pass_base_put_simple(w, PROBE_EXPR_XOR, 32, -1);
	case LLVMPHI:
		return pass_base_walk_ways(w, value, pass_base_walk_truth, 32, depth);
	case LLVMSelect:
		return walk_truths(w, value, 3, depth) &&
		       pass_base_put_simple(w, PROBE_EXPR_SELECT, 32, -2);
	default:
		return false;
	}
}
