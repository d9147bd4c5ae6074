/* SPDX-License-Identifier: MIT */
/* Which of a phi's values a lane has (launch_walk.h). */
#include "llvm-plugin/analysis/launch_walk.h"

using namespace llvm;

/*
 * The successor of `from` through which all paths to `block` lead, or `join` if `block` is `from`;
 * NULL if there is none.
 */
static const BasicBlock *side_of(const analysis &in, const BasicBlock *from,
				 const BasicBlock *block, const BasicBlock *join)
{
	auto idom = [&](const BasicBlock *of) {
		auto *node = in.dominators.getNode(of);
		return node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
	};

	if (block == from)
		return join;
	while (block && idom(block) != from)
		block = idom(block);
	return block && block->getSinglePredecessor() ? block : nullptr;
}

const BranchInst *branch_of(const analysis &in, const PHINode *phi, bool &first)
{
	const BasicBlock *join = phi->getParent(), *side[2];
	auto *node = in.dominators.getNode(join);
	auto *branch = node && node->getIDom()
			       ? dyn_cast<BranchInst>(node->getIDom()->getBlock()->getTerminator())
			       : nullptr;

	if (!branch || !branch->isConditional() || phi->getNumIncomingValues() != 2 ||
	    in.loops.getLoopFor(join) || in.loops.getLoopFor(branch->getParent()))
		return nullptr;
	for (unsigned i = 0; i < 2; i++)
		side[i] = side_of(in, branch->getParent(), phi->getIncomingBlock(i), join);
	first = side[0] == branch->getSuccessor(0);
	return side[0] && side[1] && side[0] != side[1] &&
			       side[!first] == branch->getSuccessor(0) &&
			       side[first] == branch->getSuccessor(1)
		       ? branch
		       : nullptr;
}

bool is_sunk(const PHINode *phi)
{
	for (const Value *value : phi->incoming_values()) {
		auto *inst = dyn_cast<Instruction>(value);
		auto *first = dyn_cast<Instruction>(phi->getIncomingValue(0));

		if (value != phi->getIncomingValue(0) &&
		    (!inst || !first || inst->mayReadOrWriteMemory() || isa<PHINode>(inst) ||
		     !inst->isIdenticalTo(first)))
			return false;
	}
	return true;
}
