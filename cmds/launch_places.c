/* SPDX-License-Identifier: MIT */
#include "launch_places.h"

#include <string.h>

#include "codeobj/sites.h"

/* One wave: the lowest bits of its workgroup's id, and the ids of its first work-item. */
struct wave {
	uint32_t group[3], item[3];
};

/* A calculation, and what it uses. */
struct steps {
	const struct probe_base_op *op;
	uint32_t count;
	bool groups[3], items;
};

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
	if (!launch->arguments || offset > launch->argument_bytes ||
	    bytes > launch->argument_bytes - offset || bytes > sizeof(*ret))
		return false;
	*ret = 0;
	memcpy(ret, launch->arguments + offset, bytes);
	return true;
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

static bool divide(const struct probe_base_op *op, uint64_t a, uint64_t b, uint64_t *ret)
{
	int64_t left = with_sign(a, op->bits), right = with_sign(b, op->bits);

	if (!b || (op->code == PROBE_BASE_SDIV && left == INT64_MIN && right == -1))
		return false;
	*ret = op->code == PROBE_BASE_UDIV ? a / b : (uint64_t)(left / right);
	return true;
}

/* Both numbers have been cut to the width of the operation. */
static bool two(const struct probe_base_op *op, uint64_t a, uint64_t b, uint64_t *ret)
{
	int64_t left = with_sign(a, op->bits), right = with_sign(b, op->bits);

	switch (op->code) {
	case PROBE_BASE_ADD:
		*ret = a + b;
		return true;
	case PROBE_BASE_SUB:
		*ret = a - b;
		return true;
	case PROBE_BASE_MUL:
		*ret = a * b;
		return true;
	case PROBE_BASE_AND:
		*ret = a & b;
		return true;
	case PROBE_BASE_OR:
		*ret = a | b;
		return true;
	case PROBE_BASE_XOR:
		*ret = a ^ b;
		return true;
	case PROBE_BASE_SHL:
		*ret = a << (b & 63);
		return b < op->bits;
	case PROBE_BASE_LSHR:
		*ret = a >> (b & 63);
		return b < op->bits;
	case PROBE_BASE_ASHR:
		*ret = (uint64_t)(left >> (b & 63));
		return b < op->bits;
	case PROBE_BASE_UDIV:
	case PROBE_BASE_SDIV:
		return divide(op, a, b, ret);
	case PROBE_BASE_UMIN:
		*ret = a < b ? a : b;
		return true;
	case PROBE_BASE_UMAX:
		*ret = a > b ? a : b;
		return true;
	case PROBE_BASE_SMIN:
		*ret = left < right ? a : b;
		return true;
	case PROBE_BASE_SMAX:
		*ret = left > right ? a : b;
		return true;
	default:
		return false;
	}
}

static bool leaf(const struct probe_base_op *op, const struct proved_launch *launch,
		 const struct wave *wave, uint64_t *ret)
{
	int64_t field;

	switch (op->code) {
	case PROBE_BASE_CONSTANT:
		*ret = (uint64_t)op->value;
		return true;
	case PROBE_BASE_ARGUMENT:
		return launch_argument(launch, op->offset, op->bits / 8u, ret);
	case PROBE_BASE_PACKET:
		if (!launch_field(launch, op->offset, &field))
			return false;
		*ret = (uint64_t)field;
		return true;
	case PROBE_BASE_GROUP:
		*ret = wave->group[op->index % 3];
		return op->index < 3;
	case PROBE_BASE_ITEM:
		*ret = wave->item[op->index % 3];
		return op->index < 3;
	default:
		return false;
	}
}

/* ---- A calculation -------------------------------------------------------------------------- */

struct stack {
	uint64_t number[PROBE_BASE_STACK];
	uint32_t count;
};

static bool take(struct stack *stack, unsigned bits, uint64_t *ret)
{
	if (!stack->count)
		return false;
	*ret = cut(stack->number[--stack->count], bits);
	return true;
}

static bool give(struct stack *stack, uint64_t number, unsigned bits)
{
	if (stack->count == PROBE_BASE_STACK)
		return false;
	stack->number[stack->count++] = cut(number, bits);
	return true;
}

static bool step(const struct probe_base_op *op, const struct proved_launch *launch,
		 const struct wave *wave, struct stack *stack)
{
	uint64_t a, b;

	if (op->bits != 32 && op->bits != 64)
		return false;
	if (op->code < PROBE_BASE_ADD)
		return leaf(op, launch, wave, &a) && give(stack, a, op->bits);
	if (op->code < PROBE_BASE_SEXT)
		return take(stack, op->bits, &b) && take(stack, op->bits, &a) &&
		       two(op, a, b, &a) && give(stack, a, op->bits);
	if (!take(stack, 64, &a))
		return false;
	/* All that is kept has been cut: widening with zeros is nothing more to do. */
	if (op->code == PROBE_BASE_SEXT)
		a = (uint64_t)with_sign(a, 32);
	return op->code < PROBE_BASE_CODES && give(stack, a, op->bits);
}

static bool place_of(const struct steps *steps, const struct proved_launch *launch,
		     const struct wave *wave, unsigned *ret)
{
	struct stack stack = {.count = 0};
	uint64_t address;

	for (uint32_t i = 0; i < steps->count; i++)
		if (!step(&steps->op[i], launch, wave, &stack))
			return false;
	if (!take(&stack, 64, &address) || stack.count)
		return false;
	*ret = address % LAUNCH_PLACES;
	return true;
}

static bool find(const struct probe_sites *table, uint32_t group, uint32_t index, struct steps *ret)
{
	const struct probe_base_op *op = table->bases, *end = op + table->base_ops;

	while (op < end && !(op->code == PROBE_BASE_OF && op->value == group && op->index == index))
		op++;
	if (op == end)
		return false;
	*ret = (struct steps){.op = ++op};
	for (; op < end && op->code != PROBE_BASE_OF; op++) {
		ret->count++;
		if (op->code == PROBE_BASE_GROUP && op->index < 3)
			ret->groups[op->index] = true;
		ret->items |= op->code == PROBE_BASE_ITEM;
	}
	return true;
}

/* ---- All waves ------------------------------------------------------------------------------ */

/* Workgroups along an axis whose ids are alike modulo 128. */
struct axis {
	uint32_t ids;		       /* to be looked at: 0 to ids - 1 */
	uint64_t times[LAUNCH_PLACES]; /* how many groups with such an id counted */
};

static void fill_axis(const struct proved_launch *launch, int i, bool used, struct axis *ret)
{
	uint64_t groups = launch->grid[i] / launch->group[i];
	uint64_t first = 0, end = groups;

	*ret = (struct axis){.ids = 1};
	if (launch->groups) {
		first = launch->groups->first[i];
		end = (uint64_t)launch->groups->last[i] + 1;
		end = end < groups ? end : groups;
	}
	first = first < end ? first : end;
	if (!used) {
		ret->times[0] = end - first;
		return;
	}
	ret->ids = end < LAUNCH_PLACES ? (uint32_t)end : LAUNCH_PLACES;
	for (uint64_t id = 0; id < ret->ids; id++)
		/* Those below `end` with this rest, less those below `first`. */
		ret->times[id] = (end + LAUNCH_PLACES - 1 - id) / LAUNCH_PLACES -
				 (first + LAUNCH_PLACES - 1 - id) / LAUNCH_PLACES;
}

static void set_items(const struct proved_launch *launch, uint32_t number, struct wave *wave)
{
	const uint32_t *group = launch->group;
	uint32_t item = 64 * number;

	wave->item[0] = item % group[0];
	wave->item[1] = item / group[0] % group[1];
	wave->item[2] = item / group[0] / group[1];
}

/* All waves of the workgroups with these ids. */
static bool add_waves(const struct steps *steps, const struct proved_launch *launch,
		      struct wave *wave, uint64_t times, uint64_t ret[LAUNCH_PLACES])
{
	const uint32_t *group = launch->group;
	uint32_t waves = group[0] * group[1] * group[2] / 64, looks;
	unsigned place;

	waves = waves ? waves : 1;
	looks = steps->items ? waves : 1;
	for (uint32_t i = 0; i < looks && times; i++) {
		set_items(launch, i, wave);
		if (!place_of(steps, launch, wave, &place))
			return false;
		ret[place] += times * (waves / looks);
	}
	return true;
}

bool launch_places(const struct probe_sites *table, const struct proved_launch *launch,
		   uint32_t group, uint32_t index, uint64_t ret[LAUNCH_PLACES])
{
	struct axis axis[3];
	struct steps steps;
	struct wave wave;

	memset(ret, 0, LAUNCH_PLACES * sizeof(*ret));
	if (!find(table, group, index, &steps))
		return false;
	for (int i = 0; i < 3; i++) {
		if (!launch->group[i])
			return false;
		fill_axis(launch, i, steps.groups[i], &axis[i]);
	}
	for (wave.group[2] = 0; wave.group[2] < axis[2].ids; wave.group[2]++)
		for (wave.group[1] = 0; wave.group[1] < axis[1].ids; wave.group[1]++)
			for (wave.group[0] = 0; wave.group[0] < axis[0].ids; wave.group[0]++)
				if (!add_waves(&steps, launch, &wave,
					       axis[0].times[wave.group[0]] *
						       axis[1].times[wave.group[1]] *
						       axis[2].times[wave.group[2]],
					       ret))
					return false;
	return true;
}
