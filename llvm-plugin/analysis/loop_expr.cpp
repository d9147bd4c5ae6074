/* SPDX-License-Identifier: MIT */
/*
 * Loops whose iterations follow from the launch: how often each lane repeats them, and addresses
 * that move by the same distance in each iteration. Both come from LLVM's ScalarEvolution.
 *
 * Example: in `for (i = threadIdx.x; i < n; i += 64) sum += a[i];` a lane starts another iteration
 * (n - 1 - threadIdx.x) / 64 times, and the address moves by 256 bytes.
 */
#include "llvm-plugin/analysis/function.h"
#include "llvm-plugin/analysis/launch_expr.h"
#include "llvm-plugin/analysis/launch_walk.h"

#include <llvm/ADT/DenseSet.h>
#include <llvm/Analysis/ValueTracking.h>

using namespace llvm;

/*
 * first < end ? (end - first - 1) / step + 1 : 0. There is no value if the step is not positive, or
 * if the sum could overflow before it reaches `end`.
 */
uint32_t Walk::steps(enum probe_expr_code less, const SCEV *first, const SCEV *step,
		     const SCEV *end)
{
	auto width = (uint8_t)in.evolution.getTypeSizeInBits(first->getType());
	bool has_sign = less == PROBE_EXPR_SLT;
	uint64_t most = UINT64_MAX >> (64 - width) >> has_sign;
	uint32_t one = constant(1, width), zero = constant(0, width);
	uint32_t from = walk(first), to = walk(end), by = walk(step);
	uint32_t last = node(PROBE_EXPR_SUB, width, {to, one});
	uint32_t fits =
		node(has_sign ? PROBE_EXPR_SLE : PROBE_EXPR_ULE, width,
		     {last, node(PROBE_EXPR_SUB, width, {constant((int64_t)most, width), by})});
	uint32_t divisor = node(PROBE_EXPR_SELECT, width,
				{fits, node(PROBE_EXPR_SMAX, width, {by, zero}), zero});
	uint32_t times =
		node(PROBE_EXPR_UDIV, width, {node(PROBE_EXPR_SUB, width, {last, from}), divisor});

	return node(
		PROBE_EXPR_SELECT, width,
		{node(less, width, {from, to}), node(PROBE_EXPR_ADD, width, {times, one}), zero});
}

uint32_t Walk::unless_overflow(uint32_t value, uint32_t start, uint32_t step, uint32_t times,
			       bool has_sign)
{
	enum probe_expr_code extend = has_sign ? PROBE_EXPR_SEXT : PROBE_EXPR_ZEXT;
	uint32_t moved = node(PROBE_EXPR_MUL, 64, {node(PROBE_EXPR_SEXT, 64, {step}), times});
	uint32_t last = node(PROBE_EXPR_ADD, 64, {node(extend, 64, {start}), moved});
	uint32_t low = node(extend, 64, {node(PROBE_EXPR_TRUNC, 32, {last})});
	uint32_t few = node(PROBE_EXPR_ULT, 64, {times, constant(1ll << 32, 64)});
	uint32_t fits = node(PROBE_EXPR_AND, 32, {node(PROBE_EXPR_EQ, 64, {last, low}), few});

	return node(PROBE_EXPR_SELECT, 64,
		    {fits, value, node(PROBE_EXPR_UDIV, 64, {constant(1, 64), constant(0, 64)})});
}

/*
 * A loop that continues while a sum is less than a number, in steps that LLVM does not know to be
 * positive.
 */
static uint32_t count_steps(const analysis &in, const Loop *loop, Walk &walk)
{
	auto *branch = dyn_cast<BranchInst>(loop->getLoopLatch()->getTerminator());
	auto *compare = branch && branch->isConditional()
				? dyn_cast<ICmpInst>(branch->getCondition())
				: nullptr;
	uint64_t width;

	if (!compare)
		return PROBE_EXPR_NONE;
	CmpInst::Predicate less = branch->getSuccessor(0) == loop->getHeader()
					  ? compare->getPredicate()
					  : compare->getInversePredicate();
	bool turned = less == CmpInst::ICMP_SGT || less == CmpInst::ICMP_UGT;
	if (turned)
		less = CmpInst::getSwappedPredicate(less);
	const SCEV *left = in.evolution.getSCEV(compare->getOperand(turned));
	const SCEV *end = in.evolution.getSCEV(compare->getOperand(!turned));
	auto *sum = dyn_cast<SCEVAddRecExpr>(left);
	if ((less != CmpInst::ICMP_SLT && less != CmpInst::ICMP_ULT) || !sum ||
	    sum->getLoop() != loop || !sum->isAffine() || !in.evolution.isLoopInvariant(end, loop))
		return PROBE_EXPR_NONE;
	width = in.evolution.getTypeSizeInBits(sum->getType());
	uint32_t ret =
		width == 32 || width == 64
			? walk.steps(less == CmpInst::ICMP_SLT ? PROBE_EXPR_SLT : PROBE_EXPR_ULT,
				     sum->getStart(), sum->getStepRecurrence(in.evolution), end)
			: PROBE_EXPR_NONE;
	return width == 32 ? walk.extend(ret) : ret;
}

uint32_t analysis_repeats_expr(const struct analysis *in, LLVMBasicBlockRef header,
			       struct expr_graph *graph)
{
	const SCEV *count =
		in->evolution.getBackedgeTakenCount(in->loops.getLoopFor(unwrap(header)));
	uint32_t before = graph->count, ret;
	Walk walk(*in, *graph, true, in->loops.getLoopFor(unwrap(header))->getLoopPredecessor());

	if (isa<SCEVCouldNotCompute>(count))
		return finish(graph, before,
			      count_steps(*in, in->loops.getLoopFor(unwrap(header)), walk));
	ret = walk.walk(count);
	if (in->evolution.getTypeSizeInBits(count->getType()) == 32)
		ret = walk.extend(ret);
	return finish(graph, before, ret);
}

/* ---- Addresses that move by the same distance ---------------------------------------------- */

namespace
{
/* start + step * iteration, unless a part overflows. */
struct Progress {
	const SCEV *start, *step;
	/* 32-bit numbers that are extended; they must not overflow before the loop ends. */
	struct Narrow {
		const SCEV *start, *step;
		bool has_sign;
	};
	SmallVector<Narrow, 2> narrow;
};
} // namespace

static bool steady(const analysis &in, const SCEV *expr, const Loop *loop, unsigned depth);

/* Is the value the same in all iterations of a loop, given the iteration of other loops? */
static bool steady(const analysis &in, const Value *value, const Loop *loop, unsigned depth)
{
	auto *inst = dyn_cast<Instruction>(value);

	if (!inst || !loop->contains(inst))
		return true;
	if (isa<PHINode>(inst) || inst->mayReadOrWriteMemory() || depth > DEPTH_MAX)
		return false;
	return all_of(inst->operands(), [&](Value *operand) {
		return in.evolution.isSCEVable(operand->getType())
			       ? steady(in, in.evolution.getSCEV(operand), loop, depth + 1)
			       : steady(in, operand, loop, depth + 1);
	});
}

static bool steady(const analysis &in, const SCEV *expr, const Loop *loop, unsigned depth)
{
	return !SCEVExprContains(expr, [&](const SCEV *part) {
		auto *unknown = dyn_cast<SCEVUnknown>(part);
		auto *recurrence = dyn_cast<SCEVAddRecExpr>(part);

		return isa<SCEVCouldNotCompute>(part) ||
		       (recurrence && recurrence->getLoop() == loop) ||
		       (unknown && !steady(in, unknown->getValue(), loop, depth));
	});
}

static bool progress(const analysis &in, const SCEV *expr, const Loop *loop, Progress &ret);

/* Of a sum or a product, in which one factor changes. */
static bool progress_of_parts(const analysis &in, const SCEVNAryExpr *expr, const Loop *loop,
			      Progress &ret)
{
	bool sums = isa<SCEVAddExpr>(expr);
	SmallVector<const SCEV *, 4> starts, steps;
	unsigned changing = 0;

	for (const SCEV *part : expr->operands()) {
		Progress one = {};

		if (!progress(in, part, loop, one))
			return false;
		changing += !one.step->isZero();
		starts.push_back(one.start);
		steps.push_back(sums || !one.step->isZero() ? one.step : one.start);
		ret.narrow.append(one.narrow);
	}
	if (!sums && changing != 1)
		return false;
	ret.start = sums ? in.evolution.getAddExpr(starts) : in.evolution.getMulExpr(starts);
	ret.step = sums ? in.evolution.getAddExpr(steps) : in.evolution.getMulExpr(steps);
	return true;
}

/* Of a number that is extended from 32 to 64 bits. */
static bool progress_of_extension(const analysis &in, const SCEVIntegralCastExpr *expr,
				  const Loop *loop, Progress &ret)
{
	const SCEV *number = expr->getOperand();
	bool has_sign = isa<SCEVSignExtendExpr>(expr);

	if (isa<SCEVTruncateExpr>(expr) ||
	    in.evolution.getTypeSizeInBits(number->getType()) != 32 ||
	    in.evolution.getTypeSizeInBits(expr->getType()) != 64 ||
	    !progress(in, number, loop, ret))
		return false;
	ret.narrow.push_back({ret.start, ret.step, has_sign});
	ret.start = has_sign ? in.evolution.getSignExtendExpr(ret.start, expr->getType())
			     : in.evolution.getZeroExtendExpr(ret.start, expr->getType());
	ret.step = in.evolution.getSignExtendExpr(ret.step, expr->getType());
	return true;
}

/* Of a recurrence of this loop, or of a loop inside. */
static bool progress_of_recurrence(const analysis &in, const SCEVAddRecExpr *expr, const Loop *loop,
				   Progress &ret)
{
	const SCEV *step = expr->getStepRecurrence(in.evolution);

	if (!expr->isAffine() || !steady(in, step, loop, 0))
		return false;
	if (expr->getLoop() == loop) {
		ret.start = expr->getStart();
		ret.step = step;
		return true;
	}
	if (!progress(in, expr->getStart(), loop, ret))
		return false;
	ret.start = in.evolution.getAddRecExpr(ret.start, step, expr->getLoop(), SCEV::FlagAnyWrap);
	return true;
}

/* A sum that LLVM has turned into an `or`, because its operands have no bits in common; NULL. */
static const SCEV *disjoint_sum(const analysis &in, const SCEV *expr)
{
	auto *unknown = dyn_cast<SCEVUnknown>(expr);
	auto *inst = unknown ? dyn_cast<BinaryOperator>(unknown->getValue()) : nullptr;

	if (!inst || inst->getOpcode() != Instruction::Or)
		return nullptr;
	Value *left = inst->getOperand(0), *right = inst->getOperand(1);
	return PROBE_NO_COMMON_BITS(left, right, in.layout)
		       ? in.evolution.getAddExpr(in.evolution.getSCEV(left),
						 in.evolution.getSCEV(right))
		       : nullptr;
}

static bool progress(const analysis &in, const SCEV *expr, const Loop *loop, Progress &ret)
{
	if (steady(in, expr, loop, 0)) {
		ret.start = expr;
		ret.step = in.evolution.getZero(in.evolution.getEffectiveSCEVType(expr->getType()));
		return true;
	}
	if (isa<SCEVAddExpr>(expr) || isa<SCEVMulExpr>(expr))
		return progress_of_parts(in, cast<SCEVNAryExpr>(expr), loop, ret);
	if (auto *extension = dyn_cast<SCEVIntegralCastExpr>(expr))
		return progress_of_extension(in, extension, loop, ret);
	if (auto *sum = disjoint_sum(in, expr))
		return progress(in, sum, loop, ret);
	auto *recurrence = dyn_cast<SCEVAddRecExpr>(expr);
	return recurrence && progress_of_recurrence(in, recurrence, loop, ret);
}

/* Does a value depend on an id of a work-item, or on the iteration of a loop? */
static bool depends_on(const struct expr_graph *graph, uint32_t root, enum probe_expr_code op,
		       unsigned loop = 0)
{
	SmallVector<uint32_t, 16> work = {root};
	DenseSet<uint32_t> seen;

	while (!work.empty()) {
		const struct probe_expr_node *node = &graph->node[work.pop_back_val()];

		if (node->op == op && (op == PROBE_EXPR_ITEM || node->value == loop))
			return true;
		for (unsigned i = 0; i < expr_operands(node->op); i++)
			if (seen.insert(node->operand[i]).second)
				work.push_back(node->operand[i]);
	}
	return false;
}

bool analysis_depends_on_loop(const struct expr_graph *graph, uint32_t root, unsigned loop)
{
	return depends_on(graph, root, PROBE_EXPR_ITERATION, loop);
}

uint32_t analysis_loop_address_expr(const struct analysis *in, LLVMValueRef pointer,
				    LLVMBasicBlockRef block, LLVMBasicBlockRef header,
				    struct expr_graph *graph, uint32_t *ret_step)
{
	uint32_t before = graph->count, ret;
	Progress address = {};
	Walk walk(*in, *graph, true, unwrap(block), variable_of(unwrap(pointer)));

	if (!progress(*in, address_expr(*in, unwrap(pointer)), in->loops.getLoopFor(unwrap(header)),
		      address))
		return PROBE_EXPR_NONE;
	*ret_step = walk.walk(address.step);
	if (*ret_step == PROBE_EXPR_NONE || depends_on(graph, *ret_step, PROBE_EXPR_ITEM))
		return finish(graph, before, PROBE_EXPR_NONE);
	ret = walk.walk(address.start);
	for (const Progress::Narrow &narrow : address.narrow)
		ret = walk.unless_overflow(ret, walk.walk(narrow.start), walk.walk(narrow.step),
					   analysis_repeats_expr(in, header, graph),
					   narrow.has_sign);
	return finish(graph, before, ret);
}

namespace
{
/* Is a value a sum of a part that depends on workgroup ids and a part that depends on items? */
struct Parts {
	bool items, groups, apart;
};
} // namespace

static Parts parts_of(const struct expr_graph *graph, uint32_t root,
		      DenseMap<uint32_t, Parts> &known)
{
	const struct probe_expr_node *node = &graph->node[root];
	bool sums = node->op == PROBE_EXPR_ADD || node->op == PROBE_EXPR_SUB ||
		    (node->op >= PROBE_EXPR_SELECT && node->op <= PROBE_EXPR_TRUNC);
	bool product = node->op == PROBE_EXPR_MUL || node->op == PROBE_EXPR_SHL;
	Parts ret = {node->op == PROBE_EXPR_ITEM, node->op == PROBE_EXPR_GROUP, true};
	unsigned varying = 0;
	auto found = known.find(root);

	if (found != known.end())
		return found->second;
	/* A condition chooses the same operand in all lanes, or the address has no value. */
	for (unsigned i = node->op == PROBE_EXPR_SELECT; i < expr_operands(node->op); i++) {
		Parts part = parts_of(graph, node->operand[i], known);

		ret.items |= part.items;
		ret.groups |= part.groups;
		ret.apart &= part.apart;
		varying += part.items || part.groups;
	}
	/* Of products, those of a sum and a launch value. */
	if (!sums && ret.items && ret.groups)
		ret.apart &= product && varying == 1;
	known[root] = ret;
	return ret;
}

bool analysis_same_distances(const struct expr_graph *graph, uint32_t root)
{
	DenseMap<uint32_t, Parts> known;

	return parts_of(graph, root, known).apart;
}
