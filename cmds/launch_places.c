/* SPDX-License-Identifier: MIT */
#include "launch_places.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj/sites.h"

enum { LANES = 64, WAVES = 16 };

/* Lanes that are looked at together: their workgroup's id, or its lowest bits, and their own. */
struct lanes {
	uint32_t group[3], count;
	const uint32_t *item[3];
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

static bool divide(const struct probe_base_op *op, uint64_t *a, uint64_t b)
{
	int64_t left = with_sign(*a, op->bits), right = with_sign(b, op->bits);
	bool rest = op->code == PROBE_BASE_UREM || op->code == PROBE_BASE_SREM;

	if (!b)
		return false;
	if (op->code == PROBE_BASE_UDIV || op->code == PROBE_BASE_UREM)
		*a = rest ? *a % b : *a / b;
	else if (right == -1)
		*a = rest ? 0 : -*a;
	else
		*a = (uint64_t)(rest ? left % right : left / right);
	return true;
}

/* Both numbers have been cut to the width of the operation. One loop each, to be vectorised. */
static bool sums(const struct probe_base_op *op, uint64_t *a, const uint64_t *b, uint32_t count)
{
	switch (op->code) {
	case PROBE_BASE_ADD:
		for (uint32_t i = 0; i < count; i++)
			a[i] += b[i];
		return true;
	case PROBE_BASE_SUB:
		for (uint32_t i = 0; i < count; i++)
			a[i] -= b[i];
		return true;
	case PROBE_BASE_MUL:
		for (uint32_t i = 0; i < count; i++)
			a[i] *= b[i];
		return true;
	case PROBE_BASE_AND:
		for (uint32_t i = 0; i < count; i++)
			a[i] &= b[i];
		return true;
	case PROBE_BASE_OR:
		for (uint32_t i = 0; i < count; i++)
			a[i] |= b[i];
		return true;
	case PROBE_BASE_XOR:
		for (uint32_t i = 0; i < count; i++)
			a[i] ^= b[i];
		return true;
	default:
		return false;
	}
}

static bool less(const struct probe_base_op *op, uint64_t a, uint64_t b)
{
	int64_t left = with_sign(a, op->bits), right = with_sign(b, op->bits);

	switch (op->code) {
	case PROBE_BASE_ULT:
	case PROBE_BASE_UMIN:
		return a < b;
	case PROBE_BASE_ULE:
		return a <= b;
	case PROBE_BASE_SLT:
	case PROBE_BASE_SMIN:
		return left < right;
	case PROBE_BASE_SLE:
		return left <= right;
	case PROBE_BASE_UMAX:
		return a > b;
	case PROBE_BASE_SMAX:
		return left > right;
	case PROBE_BASE_EQ:
		return a == b;
	default: /* PROBE_BASE_NE */
		return a != b;
	}
}

static bool others(const struct probe_base_op *op, uint64_t *a, uint64_t b)
{
	switch (op->code) {
	case PROBE_BASE_SHL:
		*a <<= b & 63;
		return b < op->bits;
	case PROBE_BASE_LSHR:
		*a >>= b & 63;
		return b < op->bits;
	case PROBE_BASE_ASHR:
		*a = (uint64_t)(with_sign(*a, op->bits) >> (b & 63));
		return b < op->bits;
	case PROBE_BASE_UDIV:
	case PROBE_BASE_SDIV:
	case PROBE_BASE_UREM:
	case PROBE_BASE_SREM:
		return divide(op, a, b);
	case PROBE_BASE_UMIN:
	case PROBE_BASE_UMAX:
	case PROBE_BASE_SMIN:
	case PROBE_BASE_SMAX:
		*a = less(op, *a, b) ? *a : b;
		return true;
	default:
		*a = less(op, *a, b);
		return true;
	}
}

static bool leaf(const struct probe_base_op *op, const struct proved_launch *launch,
		 const struct lanes *lanes, uint64_t *ret)
{
	uint64_t value = (uint64_t)op->value;
	int64_t field;

	if (op->code == PROBE_BASE_ARGUMENT &&
	    !launch_argument(launch, op->offset, op->bits / 8u, &value))
		return false;
	if (op->code == PROBE_BASE_PACKET) {
		if (!launch_field(launch, op->offset, &field))
			return false;
		value = (uint64_t)field;
	}
	if ((op->code == PROBE_BASE_GROUP || op->code == PROBE_BASE_ITEM) && op->index > 2)
		return false;
	if (op->code == PROBE_BASE_GROUP)
		value = lanes->group[op->index];
	for (uint32_t i = 0; i < lanes->count; i++)
		ret[i] = op->code == PROBE_BASE_ITEM ? lanes->item[op->index][i] : value;
	return op->code >= PROBE_BASE_CONSTANT;
}

/* ---- A calculation -------------------------------------------------------------------------- */

struct stack {
	uint64_t number[PROBE_BASE_STACK][LANES];
	uint32_t count;
};

/* Cut the numbers on top to the width of what comes. */
static bool have(struct stack *stack, uint32_t numbers, unsigned bits, uint32_t lanes)
{
	if (stack->count < numbers)
		return false;
	for (uint32_t k = stack->count - numbers; k < stack->count; k++)
		for (uint32_t i = 0; i < lanes; i++)
			stack->number[k][i] = cut(stack->number[k][i], bits);
	return true;
}

static bool two(const struct probe_base_op *op, struct stack *stack, uint32_t lanes)
{
	uint64_t *a, *b;

	if (!have(stack, 2, op->bits, lanes))
		return false;
	b = stack->number[--stack->count];
	a = stack->number[stack->count - 1];
	if (op->code < PROBE_BASE_SHL)
		return sums(op, a, b, lanes);
	for (uint32_t i = 0; i < lanes; i++)
		if (!others(op, &a[i], b[i]))
			return false;
	return true;
}

static bool choose(struct stack *stack, uint32_t lanes)
{
	uint64_t *which;

	if (stack->count < 3)
		return false;
	stack->count -= 2;
	which = stack->number[stack->count - 1];
	for (uint32_t i = 0; i < lanes; i++)
		which[i] = stack->number[stack->count + !which[i]][i];
	return true;
}

static bool step(const struct probe_base_op *op, const struct proved_launch *launch,
		 const struct lanes *lanes, struct stack *stack)
{
	uint64_t *top;

	if ((op->bits != 32 && op->bits != 64) || op->code >= PROBE_BASE_CODES)
		return false;
	if (op->code < PROBE_BASE_ADD)
		return stack->count < PROBE_BASE_STACK &&
		       leaf(op, launch, lanes, stack->number[stack->count++]);
	if (op->code < PROBE_BASE_SELECT)
		return two(op, stack, lanes->count);
	if (op->code == PROBE_BASE_SELECT)
		return choose(stack, lanes->count);
	if (!have(stack, 1, op->code == PROBE_BASE_TRUNC ? 32 : 64, lanes->count))
		return false;
	top = stack->number[stack->count - 1];
	for (uint32_t i = 0; i < lanes->count; i++)
		top[i] = op->code == PROBE_BASE_SEXT   ? (uint64_t)with_sign(top[i], 32)
			 : op->code == PROBE_BASE_ZEXT ? cut(top[i], 32)
						       : top[i];
	return true;
}

/* What a calculation comes to. NULL: nothing. */
static const uint64_t *result_of(const struct steps *steps, const struct proved_launch *launch,
				 const struct lanes *lanes, struct stack *stack)
{
	stack->count = 0;
	for (uint32_t i = 0; i < steps->count; i++)
		if (!step(&steps->op[i], launch, lanes, stack))
			return NULL;
	return stack->count == 1 ? stack->number[0] : NULL;
}

/* The steps from here to the next calculation's. */
static struct steps steps_from(const struct probe_sites *table, const struct probe_base_op *op)
{
	const struct probe_base_op *end = table->bases + table->base_ops;
	struct steps steps = {.op = op};

	for (; op < end && op->code != PROBE_BASE_OF; op++) {
		steps.count++;
		if (op->code == PROBE_BASE_GROUP && op->index < 3)
			steps.groups[op->index] = true;
		steps.items |= op->code == PROBE_BASE_ITEM;
	}
	return steps;
}

static bool find(const struct probe_sites *table, uint32_t group, uint32_t index, struct steps *ret)
{
	const struct probe_base_op *op = table->bases, *end = op + table->base_ops;

	while (op < end && !(op->code == PROBE_BASE_OF && op->value == group && op->index == index))
		op++;
	if (op == end)
		return false;
	*ret = steps_from(table, op + 1);
	return true;
}

bool launch_number(const struct probe_sites *table, const struct proved_launch *launch,
		   uint32_t first, int64_t *ret)
{
	static const uint32_t none[1];
	const struct lanes one = {.count = 1, .item = {none, none, none}};
	const uint64_t *number;
	struct steps steps;
	struct stack stack;

	if (first >= table->base_ops)
		return false;
	steps = steps_from(table, table->bases + first);
	if (steps.items || steps.groups[0] || steps.groups[1] || steps.groups[2])
		return false;
	number = result_of(&steps, launch, &one, &stack);
	if (number)
		*ret = (int64_t)number[0];
	return number != NULL;
}

/* ---- All waves ------------------------------------------------------------------------------ */

enum axis_use { AXIS_UNUSED, AXIS_LOWEST_BITS, AXIS_EXACT };

/* Workgroups along an axis, those together that make no difference. */
struct axis {
	uint32_t first, ids;	       /* to be looked at */
	bool each;		       /* every one of them, once */
	uint64_t times[LAUNCH_PLACES]; /* else: how many groups each of these stands for */
};

static void fill_axis(const struct proved_launch *launch, int i, enum axis_use use,
		      struct axis *ret)
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
	if (use == AXIS_UNUSED) {
		ret->times[0] = end - first;
	} else if (use == AXIS_EXACT) {
		ret->each = true;
		ret->first = (uint32_t)first;
		ret->ids = (uint32_t)(end - first);
	} else {
		ret->ids = end < LAUNCH_PLACES ? (uint32_t)end : LAUNCH_PLACES;
		for (uint64_t id = 0; id < ret->ids; id++)
			/* Those below `end` with this rest, less those below `first`. */
			ret->times[id] = (end + LAUNCH_PLACES - 1 - id) / LAUNCH_PLACES -
					 (first + LAUNCH_PLACES - 1 - id) / LAUNCH_PLACES;
	}
}

static uint64_t times_of(const struct axis *axis, uint32_t i)
{
	return axis->each ? 1 : axis->times[i];
}

/* All that a walk over waves needs. */
struct walk {
	const struct proved_launch *launch;
	struct axis axis[3];
	struct stack stack;
	uint32_t item[3][WAVES * LANES], items; /* of a workgroup */
	struct lanes lanes;
};

static bool walk_init(struct walk *walk, const struct proved_launch *launch)
{
	const uint32_t *group = launch->group;

	walk->launch = launch;
	for (int i = 0; i < 3; i++)
		if (!group[i] || group[i] > 1024)
			return false;
	if ((uint64_t)group[0] * group[1] * group[2] > WAVES * LANES)
		return false;
	walk->items = group[0] * group[1] * group[2];
	for (uint32_t i = 0; i < WAVES * LANES; i++) {
		walk->item[0][i] = i % group[0];
		walk->item[1][i] = i / group[0] % group[1];
		walk->item[2][i] = i / group[0] / group[1];
	}
	return true;
}

/* These lanes of a workgroup, from the first one. */
static void look_at(struct walk *walk, uint32_t first, uint32_t count)
{
	walk->lanes.count = count;
	for (int i = 0; i < 3; i++)
		walk->lanes.item[i] = walk->item[i] + first;
}

static bool place_of(struct walk *walk, const struct steps *steps, uint32_t item, uint32_t *ret)
{
	const uint64_t *address;

	look_at(walk, item, 1);
	address = result_of(steps, walk->launch, &walk->lanes, &walk->stack);
	if (!address)
		return false;
	*ret = *address % LAUNCH_PLACES;
	return true;
}

/* All waves of the workgroups with these ids. */
static bool add_waves(struct walk *walk, const struct steps *steps, uint64_t times,
		      uint64_t ret[LAUNCH_PLACES])
{
	uint32_t waves = walk->items < LANES ? 1 : walk->items / LANES;
	uint32_t looks = steps->items ? waves : 1, place;

	for (uint32_t i = 0; i < looks && times; i++) {
		if (!place_of(walk, steps, LANES * i, &place))
			return false;
		ret[place] += times * (waves / looks);
	}
	return true;
}

/* What is done for the workgroups of these ids, of which there are so many. */
typedef bool (*visit)(struct walk *walk, uint64_t times, void *data);

static bool for_groups(struct walk *walk, visit each, void *data)
{
	const struct axis *axis = walk->axis;
	uint32_t *id = walk->lanes.group;

	for (uint32_t z = 0; z < axis[2].ids; z++)
		for (uint32_t y = 0; y < axis[1].ids; y++)
			for (uint32_t x = 0; x < axis[0].ids; x++) {
				id[0] = axis[0].first + x;
				id[1] = axis[1].first + y;
				id[2] = axis[2].first + z;
				if (!each(walk,
					  times_of(&axis[0], x) * times_of(&axis[1], y) *
						  times_of(&axis[2], z),
					  data))
					return false;
			}
	return true;
}

struct places {
	const struct steps *steps;
	uint64_t *count;
};

static bool add_places(struct walk *walk, uint64_t times, void *data)
{
	const struct places *places = data;

	return add_waves(walk, places->steps, times, places->count);
}

bool launch_places(const struct probe_sites *table, const struct proved_launch *launch,
		   uint32_t group, uint32_t index, uint64_t ret[LAUNCH_PLACES])
{
	struct walk *walk = malloc(sizeof(*walk));
	struct steps steps;
	struct places places = {&steps, ret};
	bool done;

	memset(ret, 0, LAUNCH_PLACES * sizeof(*ret));
	done = walk && walk_init(walk, launch) && find(table, group, index, &steps);
	for (int i = 0; i < 3 && done; i++)
		fill_axis(launch, i, steps.groups[i] ? AXIS_LOWEST_BITS : AXIS_UNUSED,
			  &walk->axis[i]);
	done = done && for_groups(walk, add_places, &places);
	free(walk);
	return done;
}

/* ---- Behind branches ------------------------------------------------------------------------ */

enum { BRANCHES = 20, LOOKS_MAX = 1 << 25 };

struct runs {
	struct steps branch[BRANCHES], address;
	uint32_t branches;
	bool addressed;
	struct launch_runs *ret;
};

static struct launch_run *find_run(const struct launch_runs *runs, uint64_t exec, uint32_t place)
{
	uint64_t hash = (exec ^ place * 0x9e3779b97f4a7c15ull) * 0xc2b2ae3d27d4eb4full;
	size_t at = hash >> 32 & (runs->size - 1);

	while (runs->run[at].count && (runs->run[at].exec != exec || runs->run[at].place != place))
		at = (at + 1) & (runs->size - 1);
	return &runs->run[at];
}

static bool grow(struct launch_runs *runs)
{
	struct launch_runs more = {.size = runs->size ? 2 * runs->size : 64, .used = runs->used};

	more.run = calloc(more.size, sizeof(*more.run));
	if (!more.run)
		return false;
	for (size_t i = 0; i < runs->size; i++)
		if (runs->run[i].count)
			*find_run(&more, runs->run[i].exec, runs->run[i].place) = runs->run[i];
	free(runs->run);
	*runs = more;
	return true;
}

static bool add_run(struct launch_runs *runs, uint64_t exec, uint32_t place, uint64_t times)
{
	struct launch_run *run;

	if (2 * runs->used >= runs->size && !grow(runs))
		return false;
	run = find_run(runs, exec, place);
	runs->used += !run->count;
	run->exec = exec;
	run->place = place;
	run->count += times;
	return true;
}

static bool add_wave(struct walk *walk, struct runs *runs, uint32_t first, uint64_t times)
{
	uint32_t lanes = walk->items - first < LANES ? walk->items - first : LANES, place = 0;
	uint64_t exec = lanes < LANES ? (1ull << lanes) - 1 : UINT64_MAX;

	for (uint32_t i = 0; i < runs->branches && exec; i++) {
		const uint64_t *taken;

		look_at(walk, first, lanes);
		taken = result_of(&runs->branch[i], walk->launch, &walk->lanes, &walk->stack);
		if (!taken)
			return false;
		for (uint32_t lane = 0; lane < lanes; lane++)
			exec &= ~((uint64_t)!taken[lane] << lane);
	}
	if (!exec)
		return true;
	if (runs->addressed &&
	    !place_of(walk, &runs->address, first + (uint32_t)__builtin_ctzll(exec), &place))
		return false;
	return add_run(runs->ret, exec, place, times);
}

static bool add_runs(struct walk *walk, uint64_t times, void *data)
{
	for (uint32_t first = 0; first < walk->items && times; first += LANES)
		if (!add_wave(walk, data, first, times))
			return false;
	return true;
}

/* More would take minutes: a launch that a GPU would be long about, or nobody made. */
static bool too_many(const struct walk *walk)
{
	uint64_t looks = (walk->items + LANES - 1) / LANES;

	for (int i = 0; i < 3; i++)
		looks *= walk->axis[i].ids < LOOKS_MAX ? walk->axis[i].ids : LOOKS_MAX;
	return looks > LOOKS_MAX;
}

/* A branch and those it is behind. */
static bool find_branches(const struct probe_sites *table, uint32_t row, struct runs *runs)
{
	while (row != PROBE_ROW_NONE) {
		const struct probe_site_proof *proof = &table->proofs[row];

		if (runs->branches == BRANCHES || !(proof->flags & PROBE_PROOF_LAUNCHED) ||
		    !find(table, row, 0, &runs->branch[runs->branches++]) ||
		    (proof->group != PROBE_ROW_NONE && proof->group >= row))
			return false;
		row = proof->group;
	}
	return true;
}

static enum axis_use use_of(const struct runs *runs, int axis)
{
	enum axis_use use =
		runs->addressed && runs->address.groups[axis] ? AXIS_LOWEST_BITS : AXIS_UNUSED;

	for (uint32_t i = 0; i < runs->branches; i++)
		if (runs->branch[i].groups[axis])
			use = AXIS_EXACT;
	return use;
}

bool launch_runs(const struct probe_sites *table, const struct proved_launch *launch,
		 uint32_t branch, uint32_t group, uint32_t index, struct launch_runs *ret)
{
	struct walk *walk = malloc(sizeof(*walk));
	struct runs *runs = calloc(1, sizeof(*runs));
	bool done = walk && runs && branch < table->site_count && walk_init(walk, launch);

	*ret = (struct launch_runs){0};
	if (done) {
		runs->ret = ret;
		runs->addressed = group != PROBE_ROW_NONE;
		done = find_branches(table, branch, runs) &&
		       (!runs->addressed || find(table, group, index, &runs->address));
	}
	for (int i = 0; i < 3 && done; i++)
		fill_axis(launch, i, use_of(runs, i), &walk->axis[i]);
	done = done && !too_many(walk) && for_groups(walk, add_runs, runs);
	free(walk);
	free(runs);
	if (done)
		return true;
	free(ret->run);
	*ret = (struct launch_runs){0};
	return false;
}
