/* SPDX-License-Identifier: MIT */
/*
 * Addresses as polynomials; see pass_apart.h. What all lanes agree about is a factor however it is
 * made; what they do not is taken apart as far as no step of it can overflow, so that a[i * n] and
 * b[(i + 1) * n] have the same product in them.
 */
#include "pass_apart.h"

#include "pass_prove_parts.h"

enum { DEPTH_MAX = 24 };

struct expansion {
	const struct probe_shim_flow *flow;
	LLVMBasicBlockRef block;
	LLVMTargetDataRef layout;
	unsigned width; /* of an address */
	bool product;	/* within one */
	bool failed;	/* too many terms */
};

static bool differs(const struct probe_shim_flow *flow, LLVMValueRef value, LLVMBasicBlockRef block)
{
	return !LLVMIsConstant(value) && probe_shim_flow_varies(flow, value, block);
}

/* ---- Sums ----------------------------------------------------------------------------------- */

static bool same_factor(const struct pass_factor *a, const struct pass_factor *b)
{
	return a->value == b->value && a->widened == b->widened;
}

/* In either order. */
static bool same_factors(const struct pass_term *a, const struct pass_term *b)
{
	const struct pass_factor *of = a->factor, *with = b->factor;

	_Static_assert(APART_FACTORS == 2, "two orders");
	if (a->factors != b->factors)
		return false;
	if (a->factors == 1)
		return same_factor(of, with);
	return (same_factor(of, with) && same_factor(of + 1, with + 1)) ||
	       (same_factor(of, with + 1) && same_factor(of + 1, with));
}

static void add_term(struct expansion *in, struct pass_sum *sum, const struct pass_term *term)
{
	unsigned i = 0;

	if (!term->factors) {
		sum->constant += term->times;
		return;
	}
	while (i < sum->terms && !same_factors(&sum->term[i], term))
		i++;
	if (i == APART_TERMS) {
		in->failed = true;
		return;
	}
	if (i == sum->terms)
		sum->term[sum->terms++] = *term;
	else
		sum->term[i].times += term->times;
	if (!sum->term[i].times)
		sum->term[i] = sum->term[--sum->terms];
}

static void add(struct expansion *in, struct pass_sum *sum, const struct pass_sum *other,
		uint64_t times)
{
	sum->constant += times * other->constant;
	for (unsigned i = 0; i < other->terms; i++) {
		struct pass_term term = other->term[i];

		term.times *= times;
		add_term(in, sum, &term);
	}
}

static void multiply_terms(struct expansion *in, struct pass_sum *sum, const struct pass_term *a,
			   const struct pass_term *b)
{
	struct pass_term term = *a;

	if (a->factors + b->factors > APART_FACTORS) {
		in->failed = true;
		return;
	}
	term.times *= b->times;
	for (unsigned i = 0; i < b->factors; i++)
		term.factor[term.factors++] = b->factor[i];
	add_term(in, sum, &term);
}

static void multiply(struct expansion *in, struct pass_sum *sum, const struct pass_sum *a,
		     const struct pass_sum *b)
{
	const struct pass_term fixed_a = {.times = a->constant}, fixed_b = {.times = b->constant};

	for (unsigned i = 0; i <= a->terms; i++)
		for (unsigned k = 0; k <= b->terms; k++) {
			const struct pass_term *one = i < a->terms ? &a->term[i] : &fixed_a;
			const struct pass_term *other = k < b->terms ? &b->term[k] : &fixed_b;

			if (one->times && other->times)
				multiply_terms(in, sum, one, other);
		}
}

/* ---- Values --------------------------------------------------------------------------------- */

static void expand(struct expansion *in, struct pass_factor of, unsigned depth,
		   struct pass_sum *sum);

static unsigned width_of(const struct expansion *in, LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);

	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : in->width;
}

static void expand_operand(struct expansion *in, struct pass_factor of, unsigned operand,
			   uint64_t times, unsigned depth, struct pass_sum *sum)
{
	struct pass_sum part = {0};

	of.value = LLVMGetOperand(of.value, operand);
	expand(in, of, depth + 1, &part);
	add(in, sum, &part, times);
}

/* An index narrower than an address is widened with its sign. */
static bool expand_gep(struct expansion *in, LLVMValueRef gep, unsigned depth, struct pass_sum *sum)
{
	LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
	struct pass_sum whole = {0};

	expand_operand(in, (struct pass_factor){gep, 0}, 0, 1, depth, &whole);
	for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(gep); i++) {
		LLVMValueRef index = LLVMGetOperand(gep, i);
		bool narrow;
		int64_t each, fixed;

		if (LLVMGetTypeKind(LLVMTypeOf(index)) != LLVMIntegerTypeKind ||
		    !pass_index_step(in->layout, &type, index, i == 1, &each, &fixed))
			return false;
		narrow = width_of(in, index) < in->width;
		whole.constant += (uint64_t)fixed;
		if (each)
			expand_operand(in, (struct pass_factor){gep, narrow ? LLVMSExt : 0}, i,
				       (uint64_t)each, depth, &whole);
	}
	*sum = whole;
	return true;
}

/* False: the product is a factor of its own. */
static bool expand_product(struct expansion *in, struct pass_factor of, unsigned depth,
			   struct pass_sum *sum)
{
	struct pass_sum a = {0}, b = {0}, product = {0};
	struct expansion apart = *in;

	/* One within another would have too many factors. */
	if (in->product && !LLVMIsConstant(LLVMGetOperand(of.value, 1)))
		return false;
	apart.product = true;
	expand_operand(&apart, of, 0, 1, depth, &a);
	expand_operand(&apart, of, 1, 1, depth, &b);
	multiply(&apart, &product, &a, &b);
	if (!apart.failed)
		*sum = product;
	return !apart.failed;
}

/* Widened twice: what was widened with zeros is not negative. */
static bool expand_widened(struct expansion *in, struct pass_factor of, unsigned depth,
			   struct pass_sum *sum)
{
	unsigned how = LLVMGetInstructionOpcode(of.value);

	if (of.widened == LLVMZExt && how == LLVMSExt)
		return false;
	of.widened = how;
	expand_operand(in, of, 0, 1, depth, sum);
	return true;
}

/* Can the operation be done on what its operands are, widened? */
static bool never_wraps(struct pass_factor of)
{
	return !of.widened || probe_shim_never_wraps(of.value, of.widened == LLVMSExt);
}

static bool expand_instruction(struct expansion *in, struct pass_factor of, unsigned depth,
			       struct pass_sum *sum)
{
	int64_t by;

	switch (LLVMGetInstructionOpcode(of.value)) {
	case LLVMOr:
		if (!probe_shim_or_is_add(of.value))
			return false;
		expand_operand(in, of, 0, 1, depth, sum);
		expand_operand(in, of, 1, 1, depth, sum);
		return true;
	case LLVMAdd:
	case LLVMSub:
		if (!never_wraps(of))
			return false;
		expand_operand(in, of, 0, 1, depth, sum);
		by = LLVMGetInstructionOpcode(of.value) == LLVMAdd ? 1 : -1;
		expand_operand(in, of, 1, (uint64_t)by, depth, sum);
		return true;
	case LLVMMul:
		return never_wraps(of) && expand_product(in, of, depth, sum);
	case LLVMShl:
		if (!never_wraps(of) || !pass_constant_of(LLVMGetOperand(of.value, 1), &by) ||
		    by < 0 || by > 62)
			return false;
		expand_operand(in, of, 0, (uint64_t)1 << by, depth, sum);
		return true;
	case LLVMSExt:
	case LLVMZExt:
		return expand_widened(in, of, depth, sum);
	case LLVMGetElementPtr:
		return expand_gep(in, of.value, depth, sum);
	default:
		return false;
	}
}

static void expand(struct expansion *in, struct pass_factor of, unsigned depth,
		   struct pass_sum *sum)
{
	const struct pass_term term = {.times = 1, .factor = {of}, .factors = 1};
	struct pass_sum inside = {0};
	int64_t number;

	if (pass_constant_of(of.value, &number)) {
		unsigned width = width_of(in, of.value);

		if (of.widened == LLVMZExt && width < 64)
			number &= ((int64_t)1 << width) - 1;
		sum->constant += (uint64_t)number;
	} else if (LLVMIsAInstruction(of.value) && depth < DEPTH_MAX &&
		   differs(in->flow, of.value, in->block) &&
		   expand_instruction(in, of, depth, &inside)) {
		add(in, sum, &inside, 1);
	} else {
		add_term(in, sum, &term);
	}
}

/* ---- Differences ---------------------------------------------------------------------------- */

bool pass_apart(const struct probe_shim_flow *flow, LLVMValueRef a, LLVMValueRef b,
		LLVMBasicBlockRef block, struct pass_sum *ret)
{
	LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(block));
	unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(a));
	struct expansion in = {
		.flow = flow,
		.block = block,
		.layout = LLVMGetModuleDataLayout(module),
	};
	struct pass_sum from = {0}, to = {0};

	in.width = 8 * LLVMPointerSizeForAS(in.layout, space);
	if (LLVMTypeOf(b) != LLVMTypeOf(a))
		return false;
	expand(&in, (struct pass_factor){a, 0}, 0, &from);
	expand(&in, (struct pass_factor){b, 0}, 0, &to);
	add(&in, &to, &from, UINT64_MAX);
	for (unsigned i = 0; i < to.terms; i++)
		for (unsigned k = 0; k < to.term[i].factors; k++)
			if (differs(flow, to.term[i].factor[k].value, block))
				return false;
	*ret = to;
	return !in.failed;
}

uint64_t pass_apart_multiple(const struct pass_sum *sum)
{
	uint64_t bits = sum->constant;

	for (unsigned i = 0; i < sum->terms; i++)
		bits |= sum->term[i].times;
	return bits & -bits;
}

bool pass_apart_known(const struct pass_sum *sum, LLVMValueRef inst)
{
	for (; inst; inst = LLVMGetNextInstruction(inst))
		for (unsigned i = 0; i < sum->terms; i++)
			for (unsigned k = 0; k < sum->term[i].factors; k++)
				if (sum->term[i].factor[k].value == inst)
					return false;
	return true;
}

bool pass_apart_fixed(const struct probe_shim_flow *flow, const struct pass_sum *sum)
{
	for (unsigned i = 0; i < sum->terms; i++)
		for (unsigned k = 0; k < sum->term[i].factors; k++) {
			LLVMValueRef value = sum->term[i].factor[k].value;

			if (LLVMIsAInstruction(value) &&
			    probe_shim_flow_depth(flow, LLVMGetInstructionParent(value)))
				return false;
		}
	return true;
}

static LLVMValueRef build_factor(const struct pass_factor *factor, LLVMBuilderRef builder,
				 LLVMTypeRef i32)
{
	LLVMValueRef value = factor->value;

	if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind)
		return LLVMBuildPtrToInt(builder, value, i32, "");
	return LLVMBuildIntCast2(builder, value, i32, factor->widened == LLVMSExt, "");
}

LLVMValueRef pass_apart_build(const struct pass_sum *sum, LLVMBuilderRef builder,
			      LLVMContextRef context)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(context);
	LLVMValueRef ret = LLVMConstInt(i32, (uint32_t)sum->constant, 0);

	for (unsigned i = 0; i < sum->terms; i++) {
		const struct pass_term *term = &sum->term[i];
		LLVMValueRef product = LLVMConstInt(i32, (uint32_t)term->times, 0);

		for (unsigned k = 0; k < term->factors; k++)
			product = LLVMBuildMul(
				builder, build_factor(&term->factor[k], builder, i32), product, "");
		ret = LLVMBuildAdd(builder, product, ret, "");
	}
	return ret;
}
