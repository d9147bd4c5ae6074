/* SPDX-License-Identifier: MIT */
#include "model/launch_expr.h"

#include "codeobj/sites.h"
#include "common/kernel_argument.h"
#include "model/proved_rows.h"

bool launch_field(const struct proved_launch *launch, uint32_t offset, int64_t *ret)
{
	/* Of an AQL dispatch packet. */
	switch (offset) {
	case 4:
	case 6:
	case 8:
		*ret = launch->group[(offset - 4) / 2];
		return true;
	case 12:
	case 16:
	case 20:
		*ret = launch->grid[(offset - 12) / 4];
		return true;
	default:
		return false;
	}
}

bool launch_argument(const struct proved_launch *launch, uint32_t offset, uint32_t bytes,
		     uint64_t *ret)
{
	return probe_kernel_argument(launch->arguments, launch->argument_bytes, offset, bytes, ret);
}

/* ---- One step ------------------------------------------------------------------------------- */

static uint64_t cut(uint64_t value, unsigned bits)
{
	return bits == 32 ? (uint32_t)value : value;
}

static int64_t with_sign(uint64_t value, unsigned bits)
{
	return bits == 32 ? (int32_t)(uint32_t)value : (int64_t)value;
}

static bool divide(const struct probe_expr_op *op, uint64_t *a, uint64_t b)
{
	int64_t left = with_sign(*a, op->bits), right = with_sign(b, op->bits);
	bool rest = op->code == PROBE_EXPR_UREM || op->code == PROBE_EXPR_SREM;

	if (!b)
		return false;
	if (op->code == PROBE_EXPR_UDIV || op->code == PROBE_EXPR_UREM)
		*a = rest ? *a % b : *a / b;
	else if (right == -1)
		*a = rest ? 0 : -*a;
	else
		*a = (uint64_t)(rest ? left % right : left / right);
	return true;
}

/* Both numbers have been cut to the width of the operation. One loop each, to be vectorised. */
static bool sums(const struct probe_expr_op *op, uint64_t *a, const uint64_t *b, uint32_t count)
{
	switch (op->code) {
	case PROBE_EXPR_ADD:
		for (uint32_t i = 0; i < count; i++)
			a[i] += b[i];
		return true;
	case PROBE_EXPR_SUB:
		for (uint32_t i = 0; i < count; i++)
			a[i] -= b[i];
		return true;
	case PROBE_EXPR_MUL:
		for (uint32_t i = 0; i < count; i++)
			a[i] *= b[i];
		return true;
	case PROBE_EXPR_AND:
		for (uint32_t i = 0; i < count; i++)
			a[i] &= b[i];
		return true;
	case PROBE_EXPR_OR:
		for (uint32_t i = 0; i < count; i++)
			a[i] |= b[i];
		return true;
	case PROBE_EXPR_XOR:
		for (uint32_t i = 0; i < count; i++)
			a[i] ^= b[i];
		return true;
	default:
		return false;
	}
}

static bool less(const struct probe_expr_op *op, uint64_t a, uint64_t b)
{
	int64_t left = with_sign(a, op->bits), right = with_sign(b, op->bits);

	switch (op->code) {
	case PROBE_EXPR_ULT:
	case PROBE_EXPR_UMIN:
		return a < b;
	case PROBE_EXPR_ULE:
		return a <= b;
	case PROBE_EXPR_SLT:
	case PROBE_EXPR_SMIN:
		return left < right;
	case PROBE_EXPR_SLE:
		return left <= right;
	case PROBE_EXPR_UMAX:
		return a > b;
	case PROBE_EXPR_SMAX:
		return left > right;
	case PROBE_EXPR_EQ:
		return a == b;
	default: /* PROBE_EXPR_NE */
		return a != b;
	}
}

static bool others(const struct probe_expr_op *op, uint64_t *a, uint64_t b)
{
	switch (op->code) {
	case PROBE_EXPR_SHL:
		*a <<= b & 63;
		return b < op->bits;
	case PROBE_EXPR_LSHR:
		*a >>= b & 63;
		return b < op->bits;
	case PROBE_EXPR_ASHR:
		*a = (uint64_t)(with_sign(*a, op->bits) >> (b & 63));
		return b < op->bits;
	case PROBE_EXPR_UDIV:
	case PROBE_EXPR_SDIV:
	case PROBE_EXPR_UREM:
	case PROBE_EXPR_SREM:
		return divide(op, a, b);
	case PROBE_EXPR_UMIN:
	case PROBE_EXPR_UMAX:
	case PROBE_EXPR_SMIN:
	case PROBE_EXPR_SMAX:
		*a = less(op, *a, b) ? *a : b;
		return true;
	default:
		*a = less(op, *a, b);
		return true;
	}
}

static bool leaf(const struct probe_expr_op *op, const struct proved_launch *launch,
		 const struct launch_lanes *lanes, uint64_t *ret)
{
	uint64_t value = (uint64_t)op->value;
	int64_t field;

	if (op->code == PROBE_EXPR_ARGUMENT &&
	    !launch_argument(launch, op->offset, op->bits / 8u, &value))
		return false;
	if (op->code == PROBE_EXPR_PACKET) {
		if (!launch_field(launch, op->offset, &field))
			return false;
		value = (uint64_t)field;
	}
	if ((op->code == PROBE_EXPR_GROUP || op->code == PROBE_EXPR_ITEM) && op->index > 2)
		return false;
	if (op->code == PROBE_EXPR_GROUP)
		value = lanes->group[op->index];
	for (uint32_t i = 0; i < lanes->count; i++)
		ret[i] = op->code == PROBE_EXPR_ITEM ? lanes->item[op->index][i] : value;
	return op->code >= PROBE_EXPR_CONSTANT;
}

/* ---- A calculation -------------------------------------------------------------------------- */

/* Cut the numbers on top to the width of what comes. */
static bool have(struct launch_stack *stack, uint32_t numbers, unsigned bits, uint32_t lanes)
{
	if (stack->count < numbers)
		return false;
	for (uint32_t k = stack->count - numbers; k < stack->count; k++)
		for (uint32_t i = 0; i < lanes; i++)
			stack->number[k][i] = cut(stack->number[k][i], bits);
	return true;
}

static bool two(const struct probe_expr_op *op, struct launch_stack *stack, uint32_t lanes)
{
	uint64_t *a, *b, *undefined;

	if (!have(stack, 2, op->bits, lanes))
		return false;
	b = stack->number[--stack->count];
	a = stack->number[stack->count - 1];
	undefined = &stack->undefined[stack->count - 1];
	*undefined |= stack->undefined[stack->count];
	if (op->code < PROBE_EXPR_SHL)
		return sums(op, a, b, lanes);
	for (uint32_t i = 0; i < lanes; i++)
		if (!others(op, &a[i], b[i]))
			*undefined |= 1ull << i;
	return true;
}

static bool choose(struct launch_stack *stack, uint32_t lanes)
{
	uint64_t *which, *undefined;

	if (stack->count < 3)
		return false;
	stack->count -= 2;
	which = stack->number[stack->count - 1];
	undefined = &stack->undefined[stack->count - 1];
	for (uint32_t i = 0; i < lanes; i++) {
		uint32_t from = stack->count + !which[i];

		which[i] = stack->number[from][i];
		*undefined |= stack->undefined[from] & 1ull << i;
	}
	return true;
}

/* What is needed again. */
static bool note(const struct probe_expr_op *op, struct launch_stack *stack)
{
	uint64_t *undefined;
	uint32_t top = stack->count - 1;
	size_t size = sizeof(stack->note[0]);

	if (op->index >= PROBE_EXPR_NOTES)
		return false;
	undefined = &stack->note_undefined[op->index];
	if (op->code == PROBE_EXPR_KEEP) {
		if (!stack->count)
			return false;
		memcpy(stack->note[op->index], stack->number[top], size);
		*undefined = stack->undefined[top];
		stack->noted |= 1u << op->index;
		return true;
	}
	if (!(stack->noted >> op->index & 1) || stack->count == PROBE_EXPR_STACK)
		return false;
	memcpy(stack->number[stack->count], stack->note[op->index], size);
	stack->undefined[stack->count++] = *undefined;
	return true;
}

static bool step(const struct probe_expr_op *op, const struct proved_launch *launch,
		 const struct launch_lanes *lanes, struct launch_stack *stack)
{
	uint64_t *top;

	if ((op->bits != 32 && op->bits != 64) || op->code >= PROBE_EXPR_CODES)
		return false;
	if (op->code < PROBE_EXPR_ADD) {
		if (stack->count == PROBE_EXPR_STACK)
			return false;
		stack->undefined[stack->count] = 0;
		return leaf(op, launch, lanes, stack->number[stack->count++]);
	}
	if (op->code < PROBE_EXPR_SELECT)
		return two(op, stack, lanes->count);
	if (op->code == PROBE_EXPR_SELECT)
		return choose(stack, lanes->count);
	if (op->code == PROBE_EXPR_KEEP || op->code == PROBE_EXPR_KEPT)
		return note(op, stack);
	if (op->code == PROBE_EXPR_BESIDE)
		return false;
	if (!have(stack, 1, op->code == PROBE_EXPR_TRUNC ? 32 : 64, lanes->count))
		return false;
	top = stack->number[stack->count - 1];
	for (uint32_t i = 0; i < lanes->count; i++)
		top[i] = op->code == PROBE_EXPR_SEXT   ? (uint64_t)with_sign(top[i], 32)
			 : op->code == PROBE_EXPR_ZEXT ? cut(top[i], 32)
						       : top[i];
	return true;
}

const uint64_t *launch_result(const struct launch_steps *steps, const struct proved_launch *launch,
			      const struct launch_lanes *lanes, uint64_t needed,
			      struct launch_stack *stack)
{
	stack->count = 0;
	stack->noted = 0;
	for (uint32_t i = 0; i < steps->count; i++)
		if (!step(&steps->op[i], launch, lanes, stack))
			return NULL;
	return stack->count == 1 && !(stack->undefined[0] & needed) ? stack->number[0] : NULL;
}

/* The steps from here to the next calculation's. */
static struct launch_steps steps_from(const struct probe_sites *table,
				      const struct probe_expr_op *op)
{
	const struct probe_expr_op *end = table->exprs + table->expr_ops;
	struct launch_steps steps = {.op = op};

	for (; op < end && op->code != PROBE_EXPR_OF; op++) {
		steps.count++;
		if (op->code == PROBE_EXPR_GROUP && op->index < 3)
			steps.groups[op->index] = true;
		steps.items |= op->code == PROBE_EXPR_ITEM;
	}
	return steps;
}

bool launch_steps_find(const struct probe_sites *table, uint32_t group, uint32_t index,
		       struct launch_steps *ret)
{
	const struct probe_expr_op *op = table->exprs, *end = op + table->expr_ops;

	while (op < end && !(op->code == PROBE_EXPR_OF && op->value == group && op->index == index))
		op++;
	if (op == end)
		return false;
	*ret = steps_from(table, op + 1);
	return true;
}
