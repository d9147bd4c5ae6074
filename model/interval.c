/* SPDX-License-Identifier: MIT */
/*
 * Interval arithmetic on the steps of a program. Example: for workgroups 0 to 9 of 64 work-items,
 * blockIdx.x * 64 + threadIdx.x is in [0, 639], so that it is less than 1000 in all of them.
 *
 * A value of 32 or 64 bits is an integer modulo 2^32 or 2^64. Its interval contains one integer
 * that is congruent to it. Sums, differences and products are therefore independent of the sign.
 * Operations that depend on the sign first shift the interval into the range of signed or unsigned
 * numbers, if all of it fits there. The result of other operations, and of intervals that exceed
 * 2^63, is unknown.
 */
#include "common/expr.h"
#include "model/expr_program.h"
#include "model/launch.h"

struct range {
	bool known;
	int64_t low, high;
};

static const struct range unknown;

static struct range range_of(int64_t low, int64_t high)
{
	return (struct range){true, low, high};
}

static bool is_constant(struct range a)
{
	return a.known && a.low == a.high;
}

/*
 * The interval shifted into the range of unsigned 32-bit numbers, or of signed ones of either
 * width.
 */
static struct range fit(struct range a, unsigned bits, bool is_signed)
{
	int64_t base = is_signed ? INT32_MIN : 0, by;

	if (!a.known)
		return unknown;
	if (bits == 64)
		return is_signed || a.low >= 0 ? a : unknown;
	/* The multiple of 2^32 that moves the lower bound into the range. */
	if (__builtin_sub_overflow(a.low, base, &by))
		return unknown;
	by &= ~(int64_t)UINT32_MAX;
	a.low -= by;
	if (__builtin_sub_overflow(a.high, by, &a.high) || a.high > base + (int64_t)UINT32_MAX)
		return unknown;
	return a;
}

static int64_t lower(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t upper(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static struct range product(struct range a, struct range b)
{
	int64_t p[4];
	struct range ret;

	if (__builtin_mul_overflow(a.low, b.low, &p[0]) ||
	    __builtin_mul_overflow(a.low, b.high, &p[1]) ||
	    __builtin_mul_overflow(a.high, b.low, &p[2]) ||
	    __builtin_mul_overflow(a.high, b.high, &p[3]))
		return unknown;
	ret = range_of(p[0], p[0]);
	for (int i = 1; i < 4; i++) {
		ret.low = lower(ret.low, p[i]);
		ret.high = upper(ret.high, p[i]);
	}
	return ret;
}

static bool is_boolean(struct range a)
{
	return a.known && a.low >= 0 && a.high <= 1;
}

/* Bitwise operations on booleans, and masks of unsigned numbers. */
static struct range bitwise(uint8_t op, struct range a, struct range b)
{
	bool booleans = is_boolean(a) && is_boolean(b);

	if (op == PROBE_EXPR_AND && booleans)
		return range_of(a.low & b.low, a.high & b.high);
	if (op == PROBE_EXPR_OR && booleans)
		return range_of(a.low | b.low, a.high | b.high);
	if (op == PROBE_EXPR_XOR && booleans && is_constant(b))
		return b.low ? range_of(1 - a.high, 1 - a.low) : a;
	if (op == PROBE_EXPR_AND && b.known && b.low >= 0)
		return range_of(0, b.high);
	return unknown;
}

static struct range shifted(const struct probe_expr_node *node, struct range a, struct range b)
{
	int64_t by = b.low;

	if (!is_constant(b) || by < 0 || by >= node->bits || by > 62)
		return unknown;
	if (node->op == PROBE_EXPR_SHL)
		return product(a, range_of((int64_t)1 << by, (int64_t)1 << by));
	a = fit(a, node->bits, node->op == PROBE_EXPR_ASHR);
	return a.known ? range_of(a.low >> by, a.high >> by) : unknown;
}

/* a < b, or with `same` a <= b. */
static struct range is_below(struct range a, struct range b, bool same)
{
	if (same ? a.high <= b.low : a.high < b.low)
		return range_of(1, 1);
	if (same ? a.low > b.high : a.low >= b.high)
		return range_of(0, 0);
	return range_of(0, 1);
}

static struct range is_equal(struct range a, struct range b, bool equal)
{
	if (a.high < b.low || a.low > b.high)
		return range_of(!equal, !equal);
	if (a.low == a.high && b.low == b.high)
		return range_of(equal, equal);
	return range_of(0, 1);
}

static struct range comparison(const struct probe_expr_node *node, struct range a, struct range b)
{
	bool is_signed = node->op == PROBE_EXPR_SLT || node->op == PROBE_EXPR_SLE ||
			 node->op == PROBE_EXPR_SMIN || node->op == PROBE_EXPR_SMAX;

	a = fit(a, node->bits, is_signed);
	b = fit(b, node->bits, is_signed);
	if (!a.known || !b.known)
		return node->op >= PROBE_EXPR_EQ ? range_of(0, 1) : unknown;
	switch (node->op) {
	case PROBE_EXPR_UMIN:
	case PROBE_EXPR_SMIN:
		return range_of(lower(a.low, b.low), lower(a.high, b.high));
	case PROBE_EXPR_UMAX:
	case PROBE_EXPR_SMAX:
		return range_of(upper(a.low, b.low), upper(a.high, b.high));
	case PROBE_EXPR_ULT:
	case PROBE_EXPR_SLT:
		return is_below(a, b, false);
	case PROBE_EXPR_ULE:
	case PROBE_EXPR_SLE:
		return is_below(a, b, true);
	default:
		return is_equal(a, b, node->op == PROBE_EXPR_EQ);
	}
}

/* Division of an interval that is not negative by a positive constant. */
static struct range division(const struct probe_expr_node *node, struct range a, struct range b)
{
	bool is_remainder = node->op == PROBE_EXPR_UREM || node->op == PROBE_EXPR_SREM;
	bool is_signed = node->op == PROBE_EXPR_SDIV || node->op == PROBE_EXPR_SREM;

	a = fit(a, node->bits, is_signed);
	b = fit(b, node->bits, is_signed);
	if (!a.known || a.low < 0 || !is_constant(b) || b.low <= 0)
		return unknown;
	if (!is_remainder)
		return range_of(a.low / b.low, a.high / b.low);
	if (a.low / b.low != a.high / b.low)
		return range_of(0, b.low - 1);
	return range_of(a.low % b.low, a.high % b.low);
}

static struct range add_or_subtract(uint8_t op, struct range a, struct range b)
{
	struct range ret = {.known = true};

	if (op == PROBE_EXPR_MUL)
		return product(a, b);
	if (op == PROBE_EXPR_ADD ? __builtin_add_overflow(a.low, b.low, &ret.low) ||
					   __builtin_add_overflow(a.high, b.high, &ret.high)
				 : __builtin_sub_overflow(a.low, b.high, &ret.low) ||
					   __builtin_sub_overflow(a.high, b.low, &ret.high))
		return unknown;
	return ret;
}

static struct range binary(const struct probe_expr_node *node, struct range a, struct range b)
{
	/* Comparisons of unknown values are still 0 or 1. */
	if (node->op >= PROBE_EXPR_EQ ||
	    (node->op >= PROBE_EXPR_UMIN && node->op <= PROBE_EXPR_SMAX))
		return comparison(node, a, b);
	if (node->op == PROBE_EXPR_AND || node->op == PROBE_EXPR_OR || node->op == PROBE_EXPR_XOR)
		return bitwise(node->op, a, b);
	if (!a.known || !b.known)
		return unknown;
	switch (node->op) {
	case PROBE_EXPR_ADD:
	case PROBE_EXPR_SUB:
	case PROBE_EXPR_MUL:
		return add_or_subtract(node->op, a, b);
	case PROBE_EXPR_SHL:
	case PROBE_EXPR_LSHR:
	case PROBE_EXPR_ASHR:
		return shifted(node, a, b);
	default:
		return division(node, a, b);
	}
}

static struct range selected(struct range which, struct range yes, struct range no)
{
	if (is_constant(which))
		return which.low ? yes : no;
	if (!yes.known || !no.known)
		return unknown;
	return range_of(lower(yes.low, no.low), upper(yes.high, no.high));
}

static struct range leaf(const struct probe_expr_node *node, const struct model_launch *launch,
			 const struct group_box *box)
{
	switch (node->op) {
	case PROBE_EXPR_GROUP:
		return range_of(box->first[node->value], box->last[node->value]);
	case PROBE_EXPR_ITEM:
		return launch->group[node->value]
			       ? range_of(0, (int64_t)launch->group[node->value] - 1)
			       : unknown;
	default:
		return unknown;
	}
}

static struct range unary(uint8_t op, struct range a)
{
	return op == PROBE_EXPR_REVERSE ? unknown
	       : op == PROBE_EXPR_SEXT	? fit(a, 32, true)
	       : op == PROBE_EXPR_ZEXT	? fit(a, 32, false)
					: a;
}

static struct range range_of_step(const struct expr_program *program, uint32_t at,
				  const struct range *range, const struct group_box *box)
{
	const struct probe_expr_node *node = &program->step[at].node;
	const uint32_t *from = node->operand;

	if (program->step[at].level == EXPR_OF_LAUNCH)
		return program->undefined[at] ? unknown
					      : range_of((int64_t)program->value[at][0],
							 (int64_t)program->value[at][0]);
	switch (expr_operands(node->op)) {
	case 0:
		return leaf(node, program->launch, box);
	case 1:
		return unary(node->op, range[from[0]]);
	case 2:
		return binary(node, range[from[0]], range[from[1]]);
	default:
		return selected(range[from[0]], range[from[1]], range[from[2]]);
	}
}

enum interval_truth expr_program_truth(const struct expr_program *program, uint32_t root,
				       const struct group_box *box)
{
	struct range range[EXPR_STEPS], *ret = &range[program->root[root]];

	for (uint32_t at = 0; at < program->end[root]; at++)
		range[at] = range_of_step(program, at, range, box);
	if (!is_boolean(*ret) || !is_constant(*ret))
		return TRUTH_UNKNOWN;
	return ret->low ? TRUTH_YES : TRUTH_NO;
}
