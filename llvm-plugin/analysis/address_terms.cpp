/* SPDX-License-Identifier: MIT */
/* Addresses as sums of products; see address_terms.h. */
#include "llvm-plugin/analysis/address_terms.h"
#include "llvm-plugin/analysis/private_slot.h"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Support/MathExtras.h>

using namespace llvm;

enum {
	VISITED_MAX = 256, /* limit of expressions, and of values, so that time is linear */
	/* A larger factor makes an index of 32 bits wrap for ids that workgroups have. */
	FACTOR_MAX = 1 << 20,
	/* A larger step is no distance between elements. */
	STEP_MAX = INT32_MAX,
};

namespace
{
struct Term {
	int64_t step;
	unsigned of; /* enum probe_term_flag */
};
using Terms = SmallVector<Term, ADDRESS_TERMS>;

class Expander
{
	const analysis &in;
	ScalarEvolution &evolution;
	unsigned visited = 0;

	unsigned leaf(const Value *value);
	unsigned operations(const SCEV *expr);
	Terms product(const Terms &a, const Terms &b);
	Terms extended(const SCEV *expr);

      public:
	explicit Expander(const analysis &of) : in(of), evolution(of.evolution)
	{
	}
	Terms terms(const SCEV *expr);
};
} // namespace

static const Term unknown = {0, PROBE_TERM_UNKNOWN};

/* What callers hand over, and a variable in private memory, may be another value in each lane. */
static bool is_lanes_own(const analysis &in, const Value *value)
{
	auto *load = dyn_cast<LoadInst>(value);

	return isa<Argument>(value) ? in.varies(value, nullptr) : load && is_slot(load);
}

/* What a value is, if it is no operation; 0 = an operation. */
unsigned Expander::leaf(const Value *value)
{
	auto *element = dyn_cast<ExtractElementInst>(value);
	int axis;

	if (is_lanes_own(in, value))
		return PROBE_TERM_UNKNOWN;
	/* The optimiser merges loads of neighbours into one of a vector. */
	if (element && isa<LoadInst>(element->getVectorOperand()))
		return PROBE_TERM_VALUE;
	if ((axis = item_axis(value)) >= 0)
		return PROBE_TERM_ITEM << axis;
	if ((axis = group_axis(value)) >= 0)
		return PROBE_TERM_GROUP << axis;
	if (groups_axis(in, value) >= 0)
		return PROBE_TERM_SIZE;
	if (isa<Argument>(value) || isa<LoadInst>(value) || isa<AtomicRMWInst>(value) ||
	    isa<Constant>(value))
		return PROBE_TERM_VALUE;
	return 0;
}

/* Which values an expression that is no sum or product depends on. */
unsigned Expander::operations(const SCEV *expr)
{
	SmallVector<const SCEV *, 8> leaves;
	SmallVector<const Value *, 16> work;
	SmallPtrSet<const Value *, 16> seen;
	unsigned ret = PROBE_TERM_PART;

	SCEVExprContains(expr, [&](const SCEV *part) {
		if (isa<SCEVAddRecExpr>(part))
			ret |= PROBE_TERM_LOOP;
		if (auto *value = dyn_cast<SCEVUnknown>(part))
			work.push_back(value->getValue());
		return false;
	});
	while (!work.empty()) {
		const Value *value = work.pop_back_val();
		unsigned known = leaf(value);
		auto *inst = dyn_cast<Instruction>(value);

		if (known || !seen.insert(value).second) {
			ret |= known;
			continue;
		}
		if (seen.size() > VISITED_MAX ||
		    !(isa<BinaryOperator>(inst) || isa<CastInst>(inst) || isa<FreezeInst>(inst) ||
		      isa<SelectInst>(inst)))
			return PROBE_TERM_UNKNOWN;
		for (const Value *operand : inst->operands())
			if (!isa<SelectInst>(inst) || operand != inst->getOperand(0))
				work.push_back(operand);
	}
	return ret;
}

Terms Expander::product(const Terms &a, const Terms &b)
{
	Terms ret;

	if (a.size() * b.size() > ADDRESS_TERMS || a.empty() || b.empty())
		return {unknown};
	for (const Term &x : a)
		for (const Term &y : b) {
			int64_t step;
			bool over = MulOverflow(x.step, y.step, step);

			ret.push_back(over ? unknown : Term{step, x.of | y.of});
		}
	return ret;
}

/* An index of 32 bits is taken not to wrap, unless it would for ids that workgroups have. */
Terms Expander::extended(const SCEV *expr)
{
	bool narrow = evolution.getTypeSizeInBits(expr->getType()) < INDEX_BITS;
	Terms ret = terms(expr);

	for (const Term &term : ret)
		narrow |= term.step > FACTOR_MAX || term.step < -FACTOR_MAX;
	if (!narrow || isa<SCEVUnknown>(expr))
		return ret;
	return {{1, operations(expr)}};
}

Terms Expander::terms(const SCEV *expr)
{
	struct affine_stride launch;
	Terms ret;

	if (++visited > VISITED_MAX)
		return {unknown};
	if (auto *constant = dyn_cast<SCEVConstant>(expr)) {
		if (constant->getAPInt().getBitWidth() > 64)
			return {unknown};
		return {{constant->getAPInt().getSExtValue(), 0}};
	}
	if (launch_size(in, expr, launch))
		return {{1, PROBE_TERM_SIZE}};
	if (isa<SCEVZeroExtendExpr>(expr) || isa<SCEVSignExtendExpr>(expr))
		return extended(cast<SCEVCastExpr>(expr)->getOperand());
	if (auto *cast = dyn_cast<SCEVCastExpr>(expr))
		return terms(cast->getOperand());
	if (auto *sum = dyn_cast<SCEVAddExpr>(expr)) {
		for (const SCEV *operand : sum->operands())
			ret.append(terms(operand));
		return ret.size() > ADDRESS_TERMS ? Terms{unknown} : ret;
	}
	if (auto *product_of = dyn_cast<SCEVMulExpr>(expr)) {
		ret.push_back({1, 0});
		for (const SCEV *operand : product_of->operands())
			ret = product(ret, terms(operand));
		return ret;
	}
	if (auto *loop = dyn_cast<SCEVAddRecExpr>(expr)) {
		ret = product({{1, PROBE_TERM_LOOP}}, terms(loop->getStepRecurrence(evolution)));
		ret.append(terms(loop->getStart()));
		return ret.size() > ADDRESS_TERMS ? Terms{unknown} : ret;
	}
	auto *value = dyn_cast<SCEVUnknown>(expr);
	unsigned of = value ? leaf(value->getValue()) : 0;

	of = of ? of : operations(expr);
	if (!expr->getType()->isPointerTy())
		return {{1, of}};
	/* The pointer, or one of several, has no step. */
	return of & ~(PROBE_TERM_VALUE | PROBE_TERM_PART) ? Terms{unknown} : Terms{};
}

unsigned address_terms(const analysis &in, const SCEV *expr,
		       struct probe_site_term ret[ADDRESS_TERMS])
{
	unsigned count = 0;

	for (const Term &term : Expander(in).terms(expr)) {
		bool known = !(term.of & PROBE_TERM_UNKNOWN) && term.step < STEP_MAX &&
			     term.step > -STEP_MAX;

		if (known && (!term.of || !term.step))
			continue;
		if (!known || count == ADDRESS_TERMS) {
			ret[0] = {0, PROBE_TERM_UNKNOWN, 0, 0};
			return 1;
		}
		ret[count++] = {0, (uint16_t)term.of, 0, term.step};
	}
	return count;
}
