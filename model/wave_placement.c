/* SPDX-License-Identifier: MIT */
#include "model/wave_placement.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj/sites.h"
#include "model/expr_program.h"
#include "model/launch.h"
#include "model/wave_classes.h"

/* WAVES_MAX: more would take minutes. Only very long launches, or forged ones, have more. */
enum { GROUP_WAVES = 16, RESIDUES = 128, WAVES_MAX = 1 << 25 };
enum { LDS_RESIDUES = 4 };	/* where in a dword */
enum { CLASSES_MAX = 1 << 18 }; /* of a loop; more would take gigabytes */
/* Of a loop; counts of so many iterations of 2^14 waves do not overflow. */
#define ITERATIONS_MAX (1ull << 40)

/* How waves depend on the workgroup's id along an axis. */
enum axis_use { AXIS_UNUSED, AXIS_MODULO, AXIS_EXACT };

/* Ids along an axis, one per class of equivalent ids. */
struct axis {
	uint32_t first, ids;
	bool exact;		   /* each id represents one workgroup */
	uint64_t groups[RESIDUES]; /* otherwise: number of workgroups that each id represents */
};

struct placement {
	const struct model_launch *launch;
	struct placement_query query;
	/* What guards the access, outermost first: a condition, or a loop. */
	bool is_loop[PROBE_GUARDS_MAX];
	uint32_t guards;
	struct expr_program conditions, base, address;
	struct expr_program repeats, step; /* of loops */
	/* First of `times` iterations, which move all addresses by `moves` bytes. */
	struct wave_classes starts;
	uint64_t times, moves;
	bool splits[3]; /* conditions depend on the workgroup's id along this axis */
	bool evaluate;	/* conditions are unknown for the current workgroups */
	struct axis axis[3];
	uint32_t id[3];
	uint32_t item[3][GROUP_WAVES * WAVE_LANES], items; /* per workgroup */
	uint32_t waves;					   /* visited, at most WAVES_MAX */
	struct wave_classes *classes;
};

/* ---- One wave ------------------------------------------------------------------------------- */

static void set_lanes(struct placement *p, struct expr_program *program, uint32_t item,
		      uint32_t lanes)
{
	const uint32_t *const items[3] = {p->item[0] + item, p->item[1] + item, p->item[2] + item};

	expr_program_set_lanes(program, items, lanes);
}

static uint32_t lanes_of(const struct placement *p, uint32_t first)
{
	return p->items - first < WAVE_LANES ? p->items - first : WAVE_LANES;
}

/* Remove lanes in which a condition is false. */
static bool test_condition(struct placement *p, uint32_t condition, uint64_t *exec)
{
	const uint64_t *taken = expr_program_result(&p->conditions, condition, *exec);

	for (uint64_t rest = taken ? *exec : 0; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(rest);

		*exec &= ~((uint64_t)!taken[lane] << lane);
	}
	return taken != NULL;
}

static bool find_residue(struct placement *p, uint32_t item, uint32_t *ret)
{
	const uint64_t *address;

	set_lanes(p, &p->base, item, 1);
	address = expr_program_result(&p->base, 0, 1);
	if (address)
		*ret = *address % RESIDUES;
	return address != NULL;
}

static uint32_t residues(const struct placement *p)
{
	return p->query.narrow ? LDS_RESIDUES : RESIDUES;
}

static void find_offsets(const struct placement *p, const uint64_t address[WAVE_LANES],
			 struct wave_class *class, int64_t offset[WAVE_LANES])
{
	uint64_t start = address[__builtin_ctzll(class->exec)];

	class->residue = (uint32_t)(start % residues(p));
	memset(offset, 0, WAVE_LANES * sizeof(*offset));
	for (uint64_t rest = class->exec; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(rest);
		uint64_t distance = address[lane] - start;

		offset[lane] = p->query.narrow ? (int32_t)(uint32_t)distance : (int64_t)distance;
	}
}

/* Add all iterations of what is in p->starts. */
static bool expand_starts(struct placement *p)
{
	uint32_t period = 1;

	if (!p->starts.count)
		return true;
	/* Residues repeat themselves. */
	while (period * p->moves % residues(p))
		period *= 2;
	for (uint32_t i = 0; i < p->starts.count; i++) {
		struct wave_class class = p->starts.class[i];
		uint64_t waves = class.count;

		for (uint32_t k = 0; k < period && k < p->times; k++) {
			class.count = waves * ((p->times - k + period - 1) / period);
			if (!wave_classes_add(p->classes, &class, p->starts.offset[i]))
				return false;
			class.residue = (uint32_t)((class.residue + p->moves) % residues(p));
		}
	}
	wave_classes_clear(&p->starts);
	return p->classes->count < CLASSES_MAX;
}

/*
 * Add `times` iterations with the same active lanes, class->count waves each, in which addresses
 * move by `step`. Most waves have as many as the wave before; these are expanded together.
 */
static bool add_iterations(struct placement *p, const struct wave_class *class,
			   const int64_t offset[WAVE_LANES], uint64_t step, uint64_t times)
{
	bool differs = times != p->times || step != p->moves;

	if ((differs || p->starts.count == CLASSES_MAX) && !expand_starts(p))
		return false;
	p->times = times;
	p->moves = step;
	return wave_classes_add(&p->starts, class, offset);
}

/* Remove lanes that have left a loop. */
static uint64_t still_in_loop(const uint64_t repeats[WAVE_LANES], uint64_t lanes, uint64_t done)
{
	uint64_t ret = lanes;

	for (; lanes; lanes &= lanes - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(lanes);

		ret &= ~((uint64_t)(repeats[lane] < done) << lane);
	}
	return ret;
}

/* The smallest of the lanes' values. */
static uint64_t smallest(const uint64_t value[WAVE_LANES], uint64_t lanes)
{
	uint64_t least = UINT64_MAX;

	for (; lanes; lanes &= lanes - 1) {
		uint64_t one = value[__builtin_ctzll(lanes)];

		least = one < least ? one : least;
	}
	return least;
}

/*
 * All iterations of the loop in which only addresses change, from one in which lanes leave it to
 * the next such.
 */
static bool add_loop(struct placement *p, uint32_t first, const uint64_t address[WAVE_LANES],
		     struct wave_class *class)
{
	const uint64_t *repeats, *step;
	int64_t offset[WAVE_LANES];
	uint64_t done = 0;

	set_lanes(p, &p->step, first, 1);
	repeats = expr_program_result(&p->repeats, p->query.stepped, class->exec);
	step = expr_program_result(&p->step, 0, 1);
	if (!repeats || !step)
		return false;
	while (class->exec) {
		uint64_t end = smallest(repeats, class->exec);
		uint64_t start = address[__builtin_ctzll(class->exec)] + done * *step;

		if (++p->waves > WAVES_MAX || end >= ITERATIONS_MAX)
			return false;
		end++;
		find_offsets(p, address, class, offset);
		class->residue = (uint32_t)(start % residues(p));
		if (!add_iterations(p, class, offset, *step, end - done))
			return false;
		done = end;
		class->exec = still_in_loop(repeats, class->exec, done);
	}
	return true;
}

static bool add_addresses(struct placement *p, uint32_t first, struct wave_class *class)
{
	const uint64_t *address;
	int64_t offset[WAVE_LANES];

	address = expr_program_result(&p->address, 0, class->exec);
	if (!address)
		return false;
	if (p->step.roots)
		return add_loop(p, first, address, class);
	find_offsets(p, address, class, offset);
	return wave_classes_add(p->classes, class, offset);
}

static bool add_access(struct placement *p, uint32_t first, uint64_t waves, uint64_t exec)
{
	struct wave_class class = {.exec = exec, .count = waves};

	if (p->address.roots)
		return add_addresses(p, first, &class);
	if (p->base.roots &&
	    !find_residue(p, first + (uint32_t)__builtin_ctzll(exec), &class.residue))
		return false;
	return wave_classes_add(p->classes, &class, NULL);
}

static void set_iteration(struct placement *p, uint32_t loop, uint64_t iteration)
{
	expr_program_set_iteration(&p->conditions, loop, iteration);
	expr_program_set_iteration(&p->repeats, loop, iteration);
	expr_program_set_iteration(&p->address, loop, iteration);
	expr_program_set_iteration(&p->step, loop, iteration);
}

/* The part of a wave inside of some of its guards: `condition` and `loop` are the next ones. */
struct inside {
	uint32_t first; /* work-item of lane 0 */
	uint64_t waves;
	uint32_t guard, condition, loop;
};

static bool add_inside(struct placement *p, struct inside in, uint64_t exec);

static bool add_each_iteration(struct placement *p, const struct inside *in, uint64_t exec)
{
	const uint64_t *result = expr_program_result(&p->repeats, in->loop, exec);
	uint64_t repeats[WAVE_LANES];

	if (!result)
		return false;
	memcpy(repeats, result, sizeof(repeats));
	for (uint64_t done = 0; exec; exec = still_in_loop(repeats, exec, ++done)) {
		struct inside body = *in;

		if (++p->waves > WAVES_MAX)
			return false;
		set_iteration(p, in->loop, done);
		body.guard++;
		body.loop++;
		if (!add_inside(p, body, exec))
			return false;
	}
	return true;
}

static bool add_inside(struct placement *p, struct inside in, uint64_t exec)
{
	for (; in.guard < p->guards && exec; in.guard++) {
		bool stepped = p->step.roots && in.loop == p->query.stepped;

		if (p->is_loop[in.guard] && !stepped)
			return add_each_iteration(p, &in, exec);
		if (p->is_loop[in.guard])
			in.loop++;
		else if (p->evaluate && !test_condition(p, in.condition++, &exec))
			return false;
	}
	return !exec || add_access(p, in.first, in.waves, exec);
}

static bool add_wave(struct placement *p, uint32_t first, uint64_t waves)
{
	uint32_t lanes = lanes_of(p, first);

	if (++p->waves > WAVES_MAX)
		return false;
	set_lanes(p, &p->conditions, first, lanes);
	set_lanes(p, &p->repeats, first, lanes);
	set_lanes(p, &p->address, first, lanes);
	return add_inside(p, (struct inside){.first = first, .waves = waves},
			  lanes < WAVE_LANES ? (1ull << lanes) - 1 : UINT64_MAX);
}

/* ---- Workgroups ----------------------------------------------------------------------------- */

static void fill_axis(uint64_t first, uint64_t end, enum axis_use use, struct axis *ret)
{
	*ret = (struct axis){.ids = 1};
	if (use == AXIS_UNUSED) {
		ret->groups[0] = end - first;
	} else if (use == AXIS_EXACT) {
		ret->exact = true;
		ret->first = (uint32_t)first;
		ret->ids = (uint32_t)(end - first);
	} else {
		ret->ids = end < RESIDUES ? (uint32_t)end : RESIDUES;
		for (uint64_t id = 0; id < ret->ids; id++)
			/*
			 * Ids less than `end` that are equal modulo 128, minus those less than
			 * `first`.
			 */
			ret->groups[id] = (end + RESIDUES - 1 - id) / RESIDUES -
					  (first + RESIDUES - 1 - id) / RESIDUES;
	}
}

static uint64_t groups_of_id(const struct axis *axis, uint32_t i)
{
	return axis->exact ? 1 : axis->groups[i];
}

static bool add_group(struct placement *p, uint64_t waves)
{
	if (!waves)
		return true;
	if (p->evaluate)
		expr_program_set_group(&p->conditions, p->id);
	expr_program_set_group(&p->base, p->id);
	expr_program_set_group(&p->address, p->id);
	expr_program_set_group(&p->repeats, p->id);
	expr_program_set_group(&p->step, p->id);
	for (uint32_t first = 0; first < p->items; first += WAVE_LANES)
		if (!add_wave(p, first, waves))
			return false;
	return true;
}

static bool add_groups(struct placement *p)
{
	const struct axis *axis = p->axis;

	for (uint32_t z = 0; z < axis[2].ids; z++)
		for (uint32_t y = 0; y < axis[1].ids; y++)
			for (uint32_t x = 0; x < axis[0].ids; x++) {
				p->id[0] = axis[0].first + x;
				p->id[1] = axis[1].first + y;
				p->id[2] = axis[2].first + z;
				if (!add_group(p, groups_of_id(&axis[0], x) *
							  groups_of_id(&axis[1], y) *
							  groups_of_id(&axis[2], z)))
					return false;
			}
	return true;
}

static enum axis_use use_of(const struct placement *p, int axis)
{
	return p->address.group[axis] || p->repeats.group[axis] || p->step.group[axis] ? AXIS_EXACT
	       : p->base.group[axis]						       ? AXIS_MODULO
				     : AXIS_UNUSED;
}

static enum interval_truth truth_in(const struct placement *p, const struct group_box *box)
{
	enum interval_truth all = TRUTH_YES;

	for (uint32_t i = 0; i < p->conditions.roots; i++) {
		enum interval_truth one = expr_program_truth(&p->conditions, i, box);

		if (one == TRUTH_NO)
			return TRUTH_NO;
		all = one == TRUTH_UNKNOWN ? one : all;
	}
	return all;
}

/* The longest axis on which conditions depend. */
static int longest_axis(const struct placement *p, const struct group_box *box)
{
	uint32_t most = 0;
	int found = 0;

	for (int i = 0; i < 3; i++)
		if (p->splits[i] && box->last[i] - box->first[i] > most) {
			most = box->last[i] - box->first[i];
			found = i;
		}
	return found;
}

/*
 * Add all workgroups of the box at once if the conditions are known to hold or not to hold in the
 * whole box. Otherwise divide the box into halves, down to single workgroups.
 */
static bool add_box(struct placement *p, const struct group_box *box)
{
	enum interval_truth truth = truth_in(p, box);
	int axis = longest_axis(p, box);
	uint32_t first = box->first[axis], last = box->last[axis];

	if (truth == TRUTH_NO)
		return true;
	if (++p->waves > WAVES_MAX)
		return false;
	if (truth == TRUTH_UNKNOWN && p->splits[axis] && first < last) {
		struct group_box lower = *box, upper = *box;

		lower.last[axis] = first + (last - first) / 2;
		upper.first[axis] = lower.last[axis] + 1;
		return add_box(p, &lower) && add_box(p, &upper);
	}
	p->evaluate = truth == TRUTH_UNKNOWN;
	for (int i = 0; i < 3; i++)
		if (p->splits[i])
			fill_axis(box->first[i], box->last[i] + 1ull,
				  p->evaluate ? AXIS_EXACT : use_of(p, i), &p->axis[i]);
	return add_groups(p);
}

static bool add_all(struct placement *p)
{
	const struct model_launch *launch = p->launch;
	struct group_box box;

	for (int i = 0; i < 3; i++) {
		uint64_t first, end;

		launch_group_ids(launch, i, launch->grid[i] / launch->group[i], &first, &end);
		if (first == end)
			return true;
		box.first[i] = (uint32_t)first;
		box.last[i] = (uint32_t)(end - 1);
		p->splits[i] = p->conditions.group[i];
		fill_axis(first, end, use_of(p, i), &p->axis[i]);
	}
	return add_box(p, &box);
}

/* ---- The query ------------------------------------------------------------------------------ */

static bool number_items(struct placement *p)
{
	const uint32_t *group = p->launch->group;

	for (int i = 0; i < 3; i++)
		if (!group[i] || group[i] > 1024)
			return false;
	if ((uint64_t)group[0] * group[1] * group[2] > GROUP_WAVES * WAVE_LANES)
		return false;
	p->items = group[0] * group[1] * group[2];
	for (uint32_t i = 0; i < p->items; i++) {
		p->item[0][i] = i % group[0];
		p->item[1][i] = i / group[0] % group[1];
		p->item[2][i] = i / group[0] / group[1];
	}
	return true;
}

static bool add_expression(struct placement *p, const struct probe_sites *table, uint32_t root,
			   struct expr_program *ret)
{
	return expr_program_init(ret, table, p->launch, &root, root != DERIVED_NONE);
}

/* Could a result be wrong, because what must not depend on the stepped loop's iteration does? */
static bool depends_on_stepped(const struct placement *p)
{
	uint32_t loops = p->conditions.loops | p->repeats.loops | p->address.loops | p->step.loops;

	return p->step.roots && loops >> p->query.stepped & 1;
}

/* The predicate and those that guard it. */
static bool add_guards(struct placement *p, const struct probe_sites *table)
{
	const struct site_predicate *guard[PROBE_GUARDS_MAX] = {NULL};
	uint32_t condition[PROBE_GUARDS_MAX], repeats[PROBE_GUARDS_MAX];
	uint32_t conditions = 0, loops = 0;

	for (uint32_t i = p->query.predicate; i != DERIVED_NONE; i = table->predicates[i].parent) {
		if (p->guards == PROBE_GUARDS_MAX || table->predicates[i].condition == DERIVED_NONE)
			return false;
		guard[p->guards++] = &table->predicates[i];
	}
	for (uint32_t i = 0; i < p->guards; i++) {
		const struct site_predicate *predicate = guard[p->guards - 1 - i];

		p->is_loop[i] = predicate->loop;
		if (predicate->loop)
			repeats[loops++] = predicate->condition;
		else
			condition[conditions++] = predicate->condition;
	}
	if (loops > PROBE_LOOPS_MAX || (loops && p->query.address == DERIVED_NONE) ||
	    (p->query.step != DERIVED_NONE && p->query.stepped >= loops))
		return false;
	return expr_program_init(&p->conditions, table, p->launch, condition, conditions) &&
	       expr_program_init(&p->repeats, table, p->launch, repeats, loops);
}

bool wave_placement_add(const struct probe_sites *table, const struct model_launch *launch,
			const struct placement_query *query, struct wave_classes *classes)
{
	struct placement *p = calloc(1, sizeof(*p));
	bool done;

	if (!p)
		return false;
	p->launch = launch;
	p->query = *query;
	p->classes = classes;
	done = number_items(p) && add_guards(p, table) &&
	       add_expression(p, table, query->base, &p->base) &&
	       add_expression(p, table, query->address, &p->address) &&
	       add_expression(p, table, query->step, &p->step) && !depends_on_stepped(p) &&
	       add_all(p) && expand_starts(p);
	expr_program_deinit(&p->conditions);
	expr_program_deinit(&p->base);
	expr_program_deinit(&p->address);
	expr_program_deinit(&p->repeats);
	expr_program_deinit(&p->step);
	wave_classes_deinit(&p->starts);
	free(p);
	return done;
}
