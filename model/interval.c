/* SPDX-License-Identifier: MIT */
/*
 * Interval arithmetic. A number of 32 or 64 bits is known modulo 2^32 or 2^64; its range is one of
 * integers that leave the same rest, so sums, differences and products need no care about signs.
 * What does is moved into the range of signed or of unsigned numbers first, if all of it fits
 * there. Operations that are not here, and ranges that grow beyond 2^63, are not known.
 */
#include "model/interval.h"

#include "model/proved_rows.h"

struct range {
	bool known;
	int64_t low, high;
};

static const struct range unknown;

static struct range range_of(int64_t low, int64_t high)
{
	return (struct range){true, low, high};
}

static bool is_one(struct range a)
{
	return a.known && a.low == a.high;
}

/* As unsigned numbers of 32 bits, or signed ones of either width. */
static struct range fit(struct range a, unsigned bits, bool has_sign)
{
	int64_t base = has_sign ? INT32_MIN : 0, by;

	if (!a.known)
		return unknown;
	if (bits == 64)
		return has_sign || a.low >= 0 ? a : unknown;
	/* The multiple of 2^32 that takes the lower bound there. */
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

static struct range times(struct range a, struct range b)
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

static bool is_truth(struct range a)
{
	return a.known && a.low >= 0 && a.high <= 1;
}

/* Of truths, and masks of numbers that have no sign. */
static struct range bitwise(uint8_t code, struct range a, struct range b)
{
	bool truths = is_truth(a) && is_truth(b);

	if (code == PROBE_EXPR_AND && truths)
		return range_of(a.low & b.low, a.high & b.high);
	if (code == PROBE_EXPR_OR && truths)
		return range_of(a.low | b.low, a.high | b.high);
	if (code == PROBE_EXPR_XOR && truths && is_one(b))
		return b.low ? range_of(1 - a.high, 1 - a.low) : a;
	if (code == PROBE_EXPR_AND && b.known && b.low >= 0)
		return range_of(0, b.high);
	return unknown;
}

static struct range moved(const struct probe_expr_op *op, struct range a, struct range b)
{
	int64_t by = b.low;

	if (!is_one(b) || by < 0 || by >= op->bits || by > 62)
		return unknown;
	if (op->code == PROBE_EXPR_SHL)
		return times(a, range_of((int64_t)1 << by, (int64_t)1 << by));
	a = fit(a, op->bits, op->code == PROBE_EXPR_ASHR);
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

static struct range compared(const struct probe_expr_op *op, struct range a, struct range b)
{
	bool has_sign = op->code == PROBE_EXPR_SLT || op->code == PROBE_EXPR_SLE ||
			op->code == PROBE_EXPR_SMIN || op->code == PROBE_EXPR_SMAX;

	a = fit(a, op->bits, has_sign);
	b = fit(b, op->bits, has_sign);
	if (!a.known || !b.known)
		return op->code >= PROBE_EXPR_EQ ? range_of(0, 1) : unknown;
	switch (op->code) {
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
		return is_equal(a, b, op->code == PROBE_EXPR_EQ);
	}
}

/* Of what is not negative by one number above 0. */
static struct range divided(const struct probe_expr_op *op, struct range a, struct range b)
{
	bool rest = op->code == PROBE_EXPR_UREM || op->code == PROBE_EXPR_SREM;
	bool has_sign = op->code == PROBE_EXPR_SDIV || op->code == PROBE_EXPR_SREM;

	a = fit(a, op->bits, has_sign);
	b = fit(b, op->bits, has_sign);
	if (!a.known || a.low < 0 || !is_one(b) || b.low <= 0)
		return unknown;
	if (!rest)
		return range_of(a.low / b.low, a.high / b.low);
	if (a.low / b.low != a.high / b.low)
		return range_of(0, b.low - 1);
	return range_of(a.low % b.low, a.high % b.low);
}

static struct range sum(uint8_t code, struct range a, struct range b)
{
	struct range ret = {.known = true};

	if (code == PROBE_EXPR_MUL)
		return times(a, b);
	if (code == PROBE_EXPR_ADD ? __builtin_add_overflow(a.low, b.low, &ret.low) ||
					     __builtin_add_overflow(a.high, b.high, &ret.high)
				   : __builtin_sub_overflow(a.low, b.high, &ret.low) ||
					     __builtin_sub_overflow(a.high, b.low, &ret.high))
		return unknown;
	return ret;
}

static struct range two(const struct probe_expr_op *op, struct range a, struct range b)
{
	/* Comparisons of what is not known are still 0 or 1. */
	if (op->code >= PROBE_EXPR_EQ ||
	    (op->code >= PROBE_EXPR_UMIN && op->code <= PROBE_EXPR_SMAX))
		return compared(op, a, b);
	if (op->code == PROBE_EXPR_AND || op->code == PROBE_EXPR_OR || op->code == PROBE_EXPR_XOR)
		return bitwise(op->code, a, b);
	if (!a.known || !b.known)
		return unknown;
	switch (op->code) {
	case PROBE_EXPR_ADD:
	case PROBE_EXPR_SUB:
	case PROBE_EXPR_MUL:
		return sum(op->code, a, b);
	case PROBE_EXPR_SHL:
	case PROBE_EXPR_LSHR:
	case PROBE_EXPR_ASHR:
		return moved(op, a, b);
	default:
		return divided(op, a, b);
	}
}

static struct range chosen(struct range which, struct range yes, struct range no)
{
	if (is_one(which))
		return which.low ? yes : no;
	if (!yes.known || !no.known)
		return unknown;
	return range_of(lower(yes.low, no.low), upper(yes.high, no.high));
}

static struct range leaf(const struct probe_expr_op *op, const struct proved_launch *launch,
			 const struct launch_box *box)
{
	int64_t field;
	uint64_t value;

	switch (op->code) {
	case PROBE_EXPR_CONSTANT:
		return range_of(op->value, op->value);
	case PROBE_EXPR_ARGUMENT:
		if (!launch_argument(launch, op->offset, op->bits / 8u, &value))
			return unknown;
		return range_of((int64_t)value, (int64_t)value);
	case PROBE_EXPR_PACKET:
		return launch_field(launch, op->offset, &field) ? range_of(field, field) : unknown;
	case PROBE_EXPR_GROUP:
		return op->index > 2 ? unknown
				     : range_of(box->first[op->index], box->last[op->index]);
	case PROBE_EXPR_ITEM:
		return op->index > 2 || !launch->group[op->index]
			       ? unknown
			       : range_of(0, (int64_t)launch->group[op->index] - 1);
	default:
		return unknown;
	}
}

/* How many ranges a step takes off the stack. */
static uint32_t takes(uint8_t code)
{
	if (code < PROBE_EXPR_ADD || code == PROBE_EXPR_KEPT)
		return 0;
	if (code < PROBE_EXPR_SELECT)
		return 2;
	return code == PROBE_EXPR_SELECT ? 3 : 1;
}

struct ranges {
	struct range stack[PROBE_EXPR_STACK], note[PROBE_EXPR_NOTES];
	uint32_t used;
};

static struct range one(uint8_t code, struct range a)
{
	return code == PROBE_EXPR_SEXT	 ? fit(a, 32, true)
	       : code == PROBE_EXPR_ZEXT ? fit(a, 32, false)
					 : a;
}

static bool step(const struct probe_expr_op *op, const struct proved_launch *launch,
		 const struct launch_box *box, struct ranges *ranges)
{
	uint32_t numbers = takes(op->code);
	struct range *top;

	if ((op->bits != 32 && op->bits != 64) || op->code > PROBE_EXPR_KEPT ||
	    ranges->used < numbers || ranges->used - numbers == PROBE_EXPR_STACK)
		return false;
	if ((op->code == PROBE_EXPR_KEEP || op->code == PROBE_EXPR_KEPT) &&
	    op->index >= PROBE_EXPR_NOTES)
		return false;
	ranges->used -= numbers;
	top = &ranges->stack[ranges->used++];
	if (op->code == PROBE_EXPR_KEPT)
		*top = ranges->note[op->index];
	else if (op->code == PROBE_EXPR_KEEP)
		ranges->note[op->index] = *top;
	else if (!numbers)
		*top = leaf(op, launch, box);
	else if (numbers == 1)
		*top = one(op->code, *top);
	else if (numbers == 2)
		*top = two(op, top[0], top[1]);
	else
		*top = chosen(top[0], top[1], top[2]);
	return true;
}

enum launch_truth launch_truth_in(const struct launch_steps *steps,
				  const struct proved_launch *launch, const struct launch_box *box)
{
	struct ranges ranges = {.used = 0};

	for (uint32_t i = 0; i < steps->count; i++)
		if (!step(&steps->op[i], launch, box, &ranges))
			return LAUNCH_MAYBE;
	if (ranges.used != 1 || !is_truth(ranges.stack[0]) || !is_one(ranges.stack[0]))
		return LAUNCH_MAYBE;
	return ranges.stack[0].low ? LAUNCH_YES : LAUNCH_NO;
}
