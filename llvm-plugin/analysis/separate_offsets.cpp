/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/analysis/separate_offsets.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Scalar/SeparateConstOffsetFromGEP.h>

using namespace llvm;

/* Is it, or has it, a conversion of a 32-bit pointer to a longer one? */
static bool is_extended(const Value *value, const DataLayout &layout)
{
	auto *cast = dyn_cast<AddrSpaceCastOperator>(value);
	auto *constant = dyn_cast<ConstantExpr>(value);

	if (cast && layout.getPointerSizeInBits(cast->getSrcAddressSpace()) <
			    layout.getPointerSizeInBits(cast->getDestAddressSpace()))
		return true;
	return constant && any_of(constant->operands(),
				  [&](const Use &operand) { return is_extended(operand, layout); });
}

static bool extends_pointers(const Function &function)
{
	const DataLayout &layout = function.getParent()->getDataLayout();

	return any_of(instructions(function), [&](const Instruction &inst) {
		return any_of(inst.operands(),
			      [&](const Use &operand) { return is_extended(operand, layout); });
	});
}

void separate_offsets(Function &function, FunctionAnalysisManager &manager)
{
	if (!extends_pointers(function))
		manager.invalidate(function,
				   SeparateConstOffsetFromGEPPass().run(function, manager));
}
