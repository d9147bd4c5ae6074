/* SPDX-License-Identifier: MIT */
/* Conditions and addresses that follow from the launch, outside of loops (launch_expr.h). */
#include "llvm-plugin/analysis/function.h"
#include "llvm-plugin/analysis/launch_expr.h"
#include "llvm-plugin/analysis/launch_walk.h"

using namespace llvm;

uint32_t Walk::negate(uint32_t condition)
{
	return node(PROBE_EXPR_XOR, 32, {condition, constant(1, 32)});
}

/* condition == number, or `others` and condition != number. */
uint32_t Walk::case_of(SwitchInst *inst, Value *number, bool other, uint32_t others)
{
	uint32_t value = walk(inst->getCondition()), with = walk(number);
	uint8_t width = bits(inst->getCondition());

	if (!other)
		return node(PROBE_EXPR_EQ, width, {value, with});
	return node(PROBE_EXPR_AND, 32, {others, node(PROBE_EXPR_NE, width, {value, with})});
}

uint32_t analysis_branch_expr(const struct analysis *in, LLVMValueRef branch, bool other,
			      struct expr_graph *graph)
{
	uint32_t before = graph->count;
	auto *inst = unwrap<BranchInst>(branch);
	Walk walk(*in, *graph, true, inst->getParent());
	uint32_t ret = walk.walk(inst->getCondition());

	return finish(graph, before, other ? walk.negate(ret) : ret);
}

uint32_t analysis_switch_expr(const struct analysis *in, LLVMValueRef value,
			      LLVMBasicBlockRef successor, struct expr_graph *graph)
{
	auto *inst = unwrap<SwitchInst>(value);
	bool other = inst->getDefaultDest() == unwrap(successor);
	uint32_t before = graph->count;
	Walk walk(*in, *graph, true, inst->getParent());
	uint32_t ret = PROBE_EXPR_NONE;

	if (other)
		ret = walk.walk(ConstantInt::getTrue(inst->getContext()));
	for (auto &each : inst->cases())
		if (other || each.getCaseSuccessor() == unwrap(successor))
			ret = walk.case_of(inst, each.getCaseValue(), other, ret);
	return finish(graph, before, ret);
}

uint32_t analysis_address_expr(const struct analysis *in, LLVMValueRef pointer,
			       struct expr_graph *graph)
{
	uint32_t before = graph->count;

	if (in->layout.getTypeSizeInBits(unwrap(pointer)->getType()) != 64)
		return PROBE_EXPR_NONE;
	return finish(graph, before, Walk(*in, *graph, false, nullptr).walk(unwrap(pointer)));
}

const GlobalVariable *variable_of(const Value *base)
{
	while (isa<GEPOperator>(base) || isa<BitCastOperator>(base))
		base = cast<Operator>(base)->getOperand(0);
	return dyn_cast<GlobalVariable>(base);
}

uint32_t analysis_lane_address_expr(const struct analysis *in, LLVMValueRef pointer,
				    LLVMBasicBlockRef block, struct expr_graph *graph)
{
	uint32_t before = graph->count;
	Walk walk(*in, *graph, true, unwrap(block), variable_of(unwrap(pointer)));

	return finish(graph, before, walk.walk(unwrap(pointer)));
}
