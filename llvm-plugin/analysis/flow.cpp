/* SPDX-License-Identifier: MIT */
/* Uniformity and control flow (analysis.h). */
#include "llvm-plugin/analysis/function.h"
#include "llvm-plugin/analysis/function_analyses.h"
#include "llvm-plugin/analysis/launch_expr.h"

#include <llvm/IR/Module.h>

using namespace llvm;

struct analysis *analysis_create(LLVMValueRef value, bool kernel, void *analyses)
{
	auto *function = unwrap<Function>(value);
	FunctionAnalysisManager &manager = function_analyses(*function->getParent(), analyses);

	/* The function may have changed since it was last analysed. */
	manager.invalidate(*function, PreservedAnalyses::none());
	return new analysis{
		*function,
		function,
		function->getParent()->getDataLayout(),
		manager.getResult<DominatorTreeAnalysis>(*function),
		manager.getResult<PostDominatorTreeAnalysis>(*function),
		manager.getResult<LoopAnalysis>(*function),
		manager.getResult<ScalarEvolutionAnalysis>(*function),
		PROBE_DIVERGENCE_ANALYSIS().run(*function, manager),
		kernel,
		false,
		false,
		false,
		DenseMap<const Loop *, bool>(),
		DenseMap<const SCEV *, SmallVector<analysis::Narrow, 2>>(),
		DenseMap<const SCEV *, Instruction *>(),
		DenseMap<const LoadInst *, LaneDependence>(),
	};
}

void analysis_destroy(struct analysis *in)
{
	delete in;
}

void analysis_set_original(struct analysis *in, LLVMValueRef original)
{
	in->original = unwrap<Function>(original);
}

void analysis_trust_launch(struct analysis *in)
{
	in->bounded = true;
}

void analysis_forbid_fields(struct analysis *in)
{
	in->no_fields = true;
}

void analysis_forbid_iterations(struct analysis *in)
{
	in->no_iterations = true;
}

/*
 * Do the sides of the branch reconverge before any of them leaves the loop or starts another
 * iteration? Then the branch does not separate lanes beyond that.
 */
static bool joins_inside(const analysis &in, const Loop &loop, const BasicBlock &block)
{
	auto *node = in.postdominators.getNode(&block);
	const BasicBlock *join = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
	SmallPtrSet<const BasicBlock *, 16> seen;
	SmallVector<const BasicBlock *, 16> work(successors(&block));

	while (join && !work.empty()) {
		const BasicBlock *next = work.pop_back_val();

		if (next == loop.getHeader() || !loop.contains(next))
			return false;
		if (next != join && seen.insert(next).second)
			work.append(succ_begin(next), succ_end(next));
	}
	return join;
}

static bool exits_diverge(const analysis &in, const Loop &loop)
{
	for (const BasicBlock *block : loop.blocks()) {
		const Instruction *end = block->getTerminator();

		if (end->getNumSuccessors() > 1 &&
		    PROBE_IS_DIVERGENT(in.divergence, end->getOperand(0)) &&
		    !joins_inside(in, loop, *block))
			return true;
	}
	return false;
}

bool analysis::leaves_together(const Loop *loop, const BasicBlock *block) const
{
	for (; loop && !loop->contains(block); loop = loop->getParentLoop()) {
		auto found = divergent_exit.find(loop);

		if (found == divergent_exit.end())
			found = divergent_exit.insert({loop, exits_diverge(*this, *loop)}).first;
		if (found->second)
			return false;
	}
	return true;
}

bool analysis::varies(const Value *value, const BasicBlock *block) const
{
	if (isa<Constant>(value))
		return false;
	if (PROBE_IS_DIVERGENT(divergence, value))
		return true;
	/* Lanes may have left a loop in different iterations, with different values. */
	auto *inst = dyn_cast<Instruction>(value);
	return inst && !leaves_together(loops.getLoopFor(inst->getParent()), block);
}

bool analysis::uniform(const SCEV *expr, const BasicBlock *block) const
{
	return !SCEVExprContains(expr, [&](const SCEV *part) {
		if (auto *unknown = dyn_cast<SCEVUnknown>(part))
			return varies(unknown->getValue(), block);
		if (auto *recurrence = dyn_cast<SCEVAddRecExpr>(part))
			return !leaves_together(recurrence->getLoop(), block);
		return isa<SCEVCouldNotCompute>(part);
	});
}

bool analysis_differs(const struct analysis *in, LLVMValueRef user, unsigned operand)
{
	auto *inst = unwrap<Instruction>(user);

	return in->varies(inst->getOperand(operand), inst->getParent());
}

bool analysis_same_loop(const struct analysis *in, LLVMValueRef value, LLVMBasicBlockRef block)
{
	auto *inst = dyn_cast<Instruction>(unwrap(value));
	Loop *loop = inst ? in->loops.getLoopFor(inst->getParent()) : nullptr;

	return !loop || loop->contains(unwrap(block));
}

unsigned analysis_loop_depth(const struct analysis *in, LLVMBasicBlockRef block)
{
	return in->loops.getLoopDepth(unwrap(block));
}

LLVMBasicBlockRef analysis_loop_header(const struct analysis *in, LLVMBasicBlockRef block)
{
	Loop *loop = in->loops.getLoopFor(unwrap(block));

	return loop ? wrap(loop->getHeader()) : nullptr;
}

LLVMBasicBlockRef analysis_outer_loop(const struct analysis *in, LLVMBasicBlockRef header)
{
	Loop *outer = in->loops.getLoopFor(unwrap(header))->getParentLoop();

	return outer ? wrap(outer->getHeader()) : nullptr;
}

LLVMBasicBlockRef analysis_loop_entry(const struct analysis *in, LLVMBasicBlockRef header)
{
	Loop *loop = in->loops.getLoopFor(unwrap(header));

	return loop->getLoopLatch() && loop->getExitingBlock() == loop->getLoopLatch()
		       ? wrap(loop->getLoopPredecessor())
		       : nullptr;
}

LLVMBasicBlockRef analysis_idom(const struct analysis *in, LLVMBasicBlockRef block)
{
	auto *node = in->dominators.getNode(unwrap(block));

	return node && node->getIDom() ? wrap(node->getIDom()->getBlock()) : nullptr;
}

bool analysis_postdominates(const struct analysis *in, LLVMBasicBlockRef a, LLVMBasicBlockRef b)
{
	return in->postdominators.dominates(unwrap(a), unwrap(b));
}

unsigned few_iterations(const analysis &in, const Loop &loop)
{
	unsigned most = in.evolution.getSmallConstantMaxTripCount(&loop);

	return in.no_iterations || loop.getLoopDepth() > PROBE_LOOPS_MAX || most > ANALYSIS_FEW
		       ? 0
		       : most;
}

unsigned analysis_few_iterations(const struct analysis *in, LLVMBasicBlockRef header)
{
	return few_iterations(*in, *in->loops.getLoopFor(unwrap(header)));
}
