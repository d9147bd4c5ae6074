/* SPDX-License-Identifier: MIT */
#include "llvm-plugin/analysis/narrow_loads.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PatternMatch.h>

using namespace llvm;
using namespace llvm::PatternMatch;

/*
 * The half of a 64-bit integer that its only use needs: 0 or 1; -1 = both. Instruction selection
 * looks at one block (DAGCombiner::reduceLoadWidth(), and for shifts performSrlCombine()).
 */
static int half_used(LoadInst *load)
{
	auto *user = load->hasOneUse() ? dyn_cast<Instruction>(load->user_back()) : nullptr;
	uint64_t number;

	if (!user || !load->isSimple() || !load->getType()->isIntegerTy(64) ||
	    user->getParent() != load->getParent())
		return -1;
	if (match(user, m_Shr(m_Specific(load), m_ConstantInt(number))))
		return number >= 32 ? 1 : -1;
	if (match(user, m_And(m_Specific(load), m_ConstantInt(number))))
		return number <= UINT32_MAX ? 0 : -1;
	return match(user, m_Trunc(m_Specific(load))) && user->getType()->isIntegerTy(32) ? 0 : -1;
}

/* The other half is taken to be zero, which its use does not see. */
static void narrow(LoadInst *load, int half)
{
	IRBuilder<> builder(load);
	Type *word = builder.getInt32Ty();
	auto *part = builder.CreateAlignedLoad(
		word,
		builder.CreateConstInBoundsGEP1_32(word, load->getPointerOperand(), (unsigned)half),
		commonAlignment(load->getAlign(), 4 * (uint64_t)half));
	Value *whole = builder.CreateZExt(part, load->getType());

	part->copyMetadata(*load, {LLVMContext::MD_dbg, LLVMContext::MD_invariant_load});
	load->replaceAllUsesWith(half ? builder.CreateShl(whole, 32) : whole);
	load->eraseFromParent();
}

bool narrow_loads(Function &function)
{
	SmallVector<std::pair<LoadInst *, int>, 8> found;

	for (BasicBlock &block : function)
		for (Instruction &inst : block) {
			auto *load = dyn_cast<LoadInst>(&inst);
			int half = load ? half_used(load) : -1;

			if (half >= 0)
				found.push_back({load, half});
		}
	for (auto &[load, half] : found)
		narrow(load, half);
	return !found.empty();
}
