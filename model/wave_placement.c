/* SPDX-License-Identifier: MIT */
#include "model/wave_placement.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj/sites.h"
#include "model/expr_program.h"
#include "model/launch.h"
#include "model/wave_classes.h"

/* More waves would take minutes: a launch that keeps a GPU busy for long, or a forged one. */
enum { GROUP_WAVES = 16, RESIDUES = 128, PREDICATES = 20, WAVES_MAX = 1 << 25 };

/* How much the waves of workgroups along an axis depend on the id. */
enum axis_use { AXIS_UNUSED, AXIS_MODULO, AXIS_EXACT };

/* Ids along an axis, one for all that are alike. */
struct axis {
	uint32_t first, ids;
	bool exact;		  /* each of them is one workgroup */
	uint64_t times[RESIDUES]; /* else: how many workgroups each of these stands for */
};

struct placement {
	const struct model_launch *launch;
	struct placement_query query;
	struct expr_program conditions, base, address;
	bool divides[3]; /* do conditions depend on the workgroup's id along this axis? */
	bool in_doubt;	 /* conditions are to be evaluated */
	struct axis axis[3];
	uint32_t id[3];
	uint32_t item[3][GROUP_WAVES * WAVE_LANES], items; /* of a workgroup */
	uint32_t waves;					   /* that were looked at */
	struct wave_classes *classes;
};

/* ---- One wave ------------------------------------------------------------------------------- */

static void set_lanes(struct placement *p, struct expr_program *program, uint32_t item,
		      uint32_t lanes)
{
	const uint32_t *const items[3] = {p->item[0] + item, p->item[1] + item, p->item[2] + item};

	expr_program_set_lanes(program, items, lanes);
}

/* The wave's lanes, from the workgroup's item `first` on, for which all conditions are true. */
static bool find_lanes(struct placement *p, uint32_t first, uint64_t *ret)
{
	uint32_t lanes = p->items - first < WAVE_LANES ? p->items - first : WAVE_LANES;
	uint64_t exec = lanes < WAVE_LANES ? (1ull << lanes) - 1 : UINT64_MAX;

	if (p->in_doubt)
		set_lanes(p, &p->conditions, first, lanes);
	for (uint32_t i = 0; i < p->conditions.roots && p->in_doubt && exec; i++) {
		const uint64_t *taken = expr_program_result(&p->conditions, i, exec);

		if (!taken)
			return false;
		for (uint32_t lane = 0; lane < lanes; lane++)
			exec &= ~((uint64_t)!taken[lane] << lane);
	}
	*ret = exec;
	return true;
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

static bool find_offsets(struct placement *p, uint32_t first, struct wave_class *class,
			 int64_t offset[WAVE_LANES])
{
	uint32_t lanes = p->items - first < WAVE_LANES ? p->items - first : WAVE_LANES;
	const uint64_t *address;
	uint64_t start;

	set_lanes(p, &p->address, first, lanes);
	address = expr_program_result(&p->address, 0, class->exec);
	if (!address)
		return false;
	start = address[__builtin_ctzll(class->exec)];
	class->residue = p->query.narrow ? 0 : start % RESIDUES;
	memset(offset, 0, WAVE_LANES * sizeof(*offset));
	for (uint64_t rest = class->exec; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(rest);
		uint64_t distance = address[lane] - start;

		offset[lane] = p->query.narrow ? (int32_t)(uint32_t)distance : (int64_t)distance;
	}
	return true;
}

static bool add_wave(struct placement *p, uint32_t first, uint64_t times)
{
	struct wave_class class = {.count = times};
	int64_t offset[WAVE_LANES];

	if (++p->waves > WAVES_MAX || !find_lanes(p, first, &class.exec))
		return false;
	if (!class.exec)
		return true;
	if (p->address.roots)
		return find_offsets(p, first, &class, offset) &&
		       wave_classes_add(p->classes, &class, offset);
	if (p->base.roots &&
	    !find_residue(p, first + (uint32_t)__builtin_ctzll(class.exec), &class.residue))
		return false;
	return wave_classes_add(p->classes, &class, NULL);
}

/* ---- Workgroups ----------------------------------------------------------------------------- */

static void fill_axis(uint64_t first, uint64_t end, enum axis_use use, struct axis *ret)
{
	*ret = (struct axis){.ids = 1};
	if (use == AXIS_UNUSED) {
		ret->times[0] = end - first;
	} else if (use == AXIS_EXACT) {
		ret->exact = true;
		ret->first = (uint32_t)first;
		ret->ids = (uint32_t)(end - first);
	} else {
		ret->ids = end < RESIDUES ? (uint32_t)end : RESIDUES;
		for (uint64_t id = 0; id < ret->ids; id++)
			/* Ids below `end` that are equal modulo 128, less those below `first`. */
			ret->times[id] = (end + RESIDUES - 1 - id) / RESIDUES -
					 (first + RESIDUES - 1 - id) / RESIDUES;
	}
}

static uint64_t times_of(const struct axis *axis, uint32_t i)
{
	return axis->exact ? 1 : axis->times[i];
}

static bool add_group(struct placement *p, uint64_t times)
{
	if (!times)
		return true;
	if (p->in_doubt)
		expr_program_set_group(&p->conditions, p->id);
	expr_program_set_group(&p->base, p->id);
	expr_program_set_group(&p->address, p->id);
	for (uint32_t first = 0; first < p->items; first += WAVE_LANES)
		if (!add_wave(p, first, times))
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
				if (!add_group(p, times_of(&axis[0], x) * times_of(&axis[1], y) *
							  times_of(&axis[2], z)))
					return false;
			}
	return true;
}

static enum axis_use use_of(const struct placement *p, int axis)
{
	return p->address.group[axis] ? AXIS_EXACT
	       : p->base.group[axis]  ? AXIS_MODULO
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

/* The longest of the axes that conditions depend on. */
static int longest_axis(const struct placement *p, const struct group_box *box)
{
	uint32_t most = 0;
	int found = 0;

	for (int i = 0; i < 3; i++)
		if (p->divides[i] && box->last[i] - box->first[i] > most) {
			most = box->last[i] - box->first[i];
			found = i;
		}
	return found;
}

/* All at once if the conditions are known, else in halves, down to single workgroups. */
static bool add_box(struct placement *p, const struct group_box *box)
{
	enum interval_truth truth = truth_in(p, box);
	int axis = longest_axis(p, box);
	uint32_t first = box->first[axis], last = box->last[axis];

	if (truth == TRUTH_NO)
		return true;
	if (++p->waves > WAVES_MAX)
		return false;
	if (truth == TRUTH_UNKNOWN && p->divides[axis] && first < last) {
		struct group_box lower = *box, upper = *box;

		lower.last[axis] = first + (last - first) / 2;
		upper.first[axis] = lower.last[axis] + 1;
		return add_box(p, &lower) && add_box(p, &upper);
	}
	p->in_doubt = truth == TRUTH_UNKNOWN;
	for (int i = 0; i < 3; i++)
		if (p->divides[i])
			fill_axis(box->first[i], box->last[i] + 1ull,
				  p->in_doubt ? AXIS_EXACT : use_of(p, i), &p->axis[i]);
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
		p->divides[i] = p->conditions.group[i];
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

/* The conditions of a predicate and of those that it is behind. */
static bool add_conditions(struct placement *p, const struct probe_sites *table)
{
	uint32_t condition[PREDICATES], count = 0;

	for (uint32_t i = p->query.predicate; i != DERIVED_NONE; i = table->predicates[i].parent) {
		if (count == PREDICATES || table->predicates[i].condition == DERIVED_NONE)
			return false;
		condition[count++] = table->predicates[i].condition;
	}
	return expr_program_init(&p->conditions, table, p->launch, condition, count);
}

static bool add_expression(struct placement *p, const struct probe_sites *table, uint32_t root,
			   struct expr_program *ret)
{
	return expr_program_init(ret, table, p->launch, &root, root != DERIVED_NONE);
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
	done = number_items(p) && add_conditions(p, table) &&
	       add_expression(p, table, query->base, &p->base) &&
	       add_expression(p, table, query->address, &p->address) && add_all(p);
	expr_program_deinit(&p->conditions);
	expr_program_deinit(&p->base);
	expr_program_deinit(&p->address);
	free(p);
	return done;
}
