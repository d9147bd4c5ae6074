/* SPDX-License-Identifier: MIT */
#include "model/wave_placement.h"

#include <stdlib.h>
#include <string.h>

#include "codeobj/sites.h"
#include "model/interval.h"

enum { WAVES = 16 };

/* ---- All waves ------------------------------------------------------------------------------ */

enum axis_use { AXIS_UNUSED, AXIS_LOWEST_BITS, AXIS_EXACT };

/* Workgroups along an axis, those together that make no difference. */
struct axis {
	uint32_t first, ids;	       /* to be looked at */
	bool each;		       /* every one of them, once */
	uint64_t times[LAUNCH_PLACES]; /* else: how many groups each of these stands for */
};

/* The ids along an axis that count. */
static void ids_of(const struct proved_launch *launch, int i, uint64_t *ret_first,
		   uint64_t *ret_end)
{
	uint64_t groups = launch->grid[i] / launch->group[i], first = 0, end = groups;

	if (launch->groups) {
		first = launch->groups->first[i];
		end = (uint64_t)launch->groups->last[i] + 1;
		end = end < groups ? end : groups;
	}
	*ret_first = first < end ? first : end;
	*ret_end = end;
}

static void fill_axis(uint64_t first, uint64_t end, enum axis_use use, struct axis *ret)
{
	*ret = (struct axis){.ids = 1};
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

static void fill_whole_axis(const struct proved_launch *launch, int i, enum axis_use use,
			    struct axis *ret)
{
	uint64_t first, end;

	ids_of(launch, i, &first, &end);
	fill_axis(first, end, use, ret);
}

static uint64_t times_of(const struct axis *axis, uint32_t i)
{
	return axis->each ? 1 : axis->times[i];
}

/* All that a walk over waves needs. */
struct walk {
	const struct proved_launch *launch;
	struct axis axis[3];
	struct launch_stack stack;
	uint32_t item[3][WAVES * LAUNCH_LANES], items; /* of a workgroup */
	struct launch_lanes lanes;
};

static bool walk_init(struct walk *walk, const struct proved_launch *launch)
{
	const uint32_t *group = launch->group;

	walk->launch = launch;
	for (int i = 0; i < 3; i++)
		if (!group[i] || group[i] > 1024)
			return false;
	if ((uint64_t)group[0] * group[1] * group[2] > WAVES * LAUNCH_LANES)
		return false;
	walk->items = group[0] * group[1] * group[2];
	for (uint32_t i = 0; i < WAVES * LAUNCH_LANES; i++) {
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

static bool place_of(struct walk *walk, const struct launch_steps *steps, uint32_t item,
		     uint32_t *ret)
{
	const uint64_t *address;

	look_at(walk, item, 1);
	address = launch_result(steps, walk->launch, &walk->lanes, 1, &walk->stack);
	if (!address)
		return false;
	*ret = *address % LAUNCH_PLACES;
	return true;
}

/* All waves of the workgroups with these ids. */
static bool add_waves(struct walk *walk, const struct launch_steps *steps, uint64_t times,
		      uint64_t ret[LAUNCH_PLACES])
{
	uint32_t waves = walk->items < LAUNCH_LANES ? 1 : walk->items / LAUNCH_LANES;
	uint32_t looks = steps->items ? waves : 1, place;

	for (uint32_t i = 0; i < looks && times; i++) {
		if (!place_of(walk, steps, LAUNCH_LANES * i, &place))
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
	const struct launch_steps *steps;
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
	struct launch_steps steps;
	struct places places = {&steps, ret};
	bool done;

	memset(ret, 0, LAUNCH_PLACES * sizeof(*ret));
	done = walk && walk_init(walk, launch) && launch_steps_find(table, group, index, &steps);
	for (int i = 0; i < 3 && done; i++)
		fill_whole_axis(launch, i, steps.groups[i] ? AXIS_LOWEST_BITS : AXIS_UNUSED,
				&walk->axis[i]);
	done = done && for_groups(walk, add_places, &places);
	free(walk);
	return done;
}

/* ---- Behind branches ------------------------------------------------------------------------ */

enum { BRANCHES = 20, LOOKS_MAX = 1 << 25 };

struct runs {
	struct launch_steps branch[BRANCHES], address;
	uint32_t branches, asked;  /* those that it is not known about where they lead */
	bool addressed, parted[3]; /* the axes that branches go by */
	uint32_t looks;
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

/* The wave's lanes, from the workgroup's item `first` on, that take all branches. */
static bool taking(struct walk *walk, const struct launch_steps *branch, uint32_t branches,
		   uint32_t first, uint64_t *ret)
{
	uint32_t lanes = walk->items - first < LAUNCH_LANES ? walk->items - first : LAUNCH_LANES;
	uint64_t exec = lanes < LAUNCH_LANES ? (1ull << lanes) - 1 : UINT64_MAX;

	look_at(walk, first, lanes);
	for (uint32_t i = 0; i < branches && exec; i++) {
		const uint64_t *taken =
			launch_result(&branch[i], walk->launch, &walk->lanes, exec, &walk->stack);

		if (!taken)
			return false;
		for (uint32_t lane = 0; lane < lanes; lane++)
			exec &= ~((uint64_t)!taken[lane] << lane);
	}
	*ret = exec;
	return true;
}

static bool add_wave(struct walk *walk, struct runs *runs, uint32_t first, uint64_t times)
{
	uint32_t place = 0;
	uint64_t exec;

	if (++runs->looks > LOOKS_MAX || !taking(walk, runs->branch, runs->asked, first, &exec))
		return false;
	if (!exec)
		return true;
	if (runs->addressed &&
	    !place_of(walk, &runs->address, first + (uint32_t)__builtin_ctzll(exec), &place))
		return false;
	return add_run(runs->ret, exec, place, times);
}

static bool add_runs(struct walk *walk, uint64_t times, void *data)
{
	for (uint32_t first = 0; first < walk->items && times; first += LAUNCH_LANES)
		if (!add_wave(walk, data, first, times))
			return false;
	return true;
}

/* More would take minutes: a launch that a GPU would be long about, or nobody made. */
static bool too_many(const struct walk *walk)
{
	uint64_t looks = (walk->items + LAUNCH_LANES - 1) / LAUNCH_LANES;

	for (int i = 0; i < 3; i++)
		looks *= walk->axis[i].ids < LOOKS_MAX ? walk->axis[i].ids : LOOKS_MAX;
	return looks > LOOKS_MAX;
}

/* A branch and those it is behind. */
static bool find_branches(const struct probe_sites *table, uint32_t row,
			  struct launch_steps branch[BRANCHES], uint32_t *ret_branches)
{
	*ret_branches = 0;
	while (row != PROBE_ROW_NONE) {
		const struct probe_site_predicate *predicate = probe_sites_predicate(table, row);

		if (*ret_branches == BRANCHES || !predicate || !predicate->launch ||
		    !launch_steps_find(table, row, 0, &branch[(*ret_branches)++]) ||
		    (predicate->parent != PROBE_ROW_NONE && predicate->parent >= row))
			return false;
		row = predicate->parent;
	}
	return true;
}

static enum launch_truth truth_in(const struct walk *walk, const struct runs *runs,
				  const struct launch_box *box)
{
	enum launch_truth all = LAUNCH_YES;

	for (uint32_t i = 0; i < runs->branches; i++) {
		enum launch_truth one = launch_truth_in(&runs->branch[i], walk->launch, box);

		if (one == LAUNCH_NO)
			return LAUNCH_NO;
		all = one == LAUNCH_MAYBE ? LAUNCH_MAYBE : all;
	}
	return all;
}

/* The longest of the axes that branches go by. */
static int longest(const struct runs *runs, const struct launch_box *box)
{
	int found = 0;
	uint32_t most = 0;

	for (int i = 0; i < 3; i++)
		if (runs->parted[i] && box->last[i] - box->first[i] > most) {
			most = box->last[i] - box->first[i];
			found = i;
		}
	return found;
}

static enum axis_use use_of(const struct runs *runs, int axis)
{
	return runs->addressed && runs->address.groups[axis] ? AXIS_LOWEST_BITS : AXIS_UNUSED;
}

/* All at once if nobody's way is in doubt, else in halves, down to single workgroups. */
static bool add_box(struct walk *walk, struct runs *runs, const struct launch_box *box)
{
	enum launch_truth truth = truth_in(walk, runs, box);
	int axis = longest(runs, box);
	uint32_t first = box->first[axis], last = box->last[axis];

	if (truth == LAUNCH_NO)
		return true;
	if (++runs->looks > LOOKS_MAX)
		return false;
	if (truth == LAUNCH_MAYBE && runs->parted[axis] && first < last) {
		struct launch_box lower = *box, upper = *box;

		lower.last[axis] = first + (last - first) / 2;
		upper.first[axis] = lower.last[axis] + 1;
		return add_box(walk, runs, &lower) && add_box(walk, runs, &upper);
	}
	runs->asked = truth == LAUNCH_YES ? 0 : runs->branches;
	for (int i = 0; i < 3; i++)
		if (runs->parted[i])
			fill_axis(box->first[i], box->last[i] + 1ull,
				  runs->asked ? AXIS_EXACT : use_of(runs, i), &walk->axis[i]);
	return for_groups(walk, add_runs, runs);
}

static bool add_all(struct walk *walk, struct runs *runs)
{
	struct launch_box box = {{0}, {0}};

	for (int i = 0; i < 3; i++) {
		uint64_t first, end;

		ids_of(walk->launch, i, &first, &end);
		if (first == end)
			return true;
		box.first[i] = (uint32_t)first;
		box.last[i] = (uint32_t)(end - 1);
		for (uint32_t k = 0; k < runs->branches; k++)
			runs->parted[i] |= runs->branch[k].groups[i];
		fill_axis(first, end, use_of(runs, i), &walk->axis[i]);
	}
	return add_box(walk, runs, &box);
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
		done = find_branches(table, branch, runs->branch, &runs->branches) &&
		       (!runs->addressed || launch_steps_find(table, group, index, &runs->address));
	}
	done = done && add_all(walk, runs);
	free(walk);
	free(runs);
	if (done)
		return true;
	free(ret->run);
	*ret = (struct launch_runs){0};
	return false;
}

/* ---- Lane by lane --------------------------------------------------------------------------- */

struct exact {
	struct launch_steps branch[BRANCHES], address;
	uint32_t branches;
	bool narrow;
	struct launch_exact *ret;
};

static uint64_t hash_of(const struct launch_exact_run *run)
{
	uint64_t hash = run->exec ^ run->place;

	for (int lane = 0; lane < LAUNCH_LANES; lane++)
		hash = (hash ^ (uint64_t)run->distance[lane]) * 0x9e3779b97f4a7c15ull;
	return hash >> 32;
}

static bool same_run(const struct launch_exact_run *a, const struct launch_exact_run *b)
{
	return a->exec == b->exec && a->place == b->place &&
	       !memcmp(a->distance, b->distance, sizeof(a->distance));
}

/* Where the run is, or may be put: chains of indices from 1, 0 = the end. */
static uint32_t *find_exact(struct launch_exact *runs, const struct launch_exact_run *run,
			    uint64_t hash)
{
	uint32_t *at = &runs->first[hash % LAUNCH_EXACT_CHAINS];

	while (*at && !same_run(&runs->run[*at - 1], run))
		at = &runs->run[*at - 1].next;
	return at;
}

static bool count_exact(struct launch_exact *runs, struct launch_exact_run *run, uint64_t times)
{
	uint32_t *at = find_exact(runs, run, hash_of(run));

	if (*at) {
		runs->run[*at - 1].count += times;
		return true;
	}
	if (runs->count == runs->room) {
		uint32_t room = runs->room ? 2 * runs->room : 64;
		void *more = realloc(runs->run, room * sizeof(*run));

		if (!more)
			return false;
		runs->run = more;
		runs->room = room;
		at = find_exact(runs, run, hash_of(run));
	}
	run->count = times;
	runs->run[runs->count++] = *run;
	*at = runs->count;
	return true;
}

static bool add_exact_wave(struct walk *walk, struct exact *exact, uint32_t first, uint64_t times)
{
	struct launch_exact_run run = {0};
	const uint64_t *address;
	uint64_t start;

	if (!taking(walk, exact->branch, exact->branches, first, &run.exec))
		return false;
	if (!run.exec)
		return true;
	address =
		launch_result(&exact->address, walk->launch, &walk->lanes, run.exec, &walk->stack);
	if (!address)
		return false;
	start = address[__builtin_ctzll(run.exec)];
	run.place = exact->narrow ? 0 : start % LAUNCH_PLACES;
	for (uint64_t rest = run.exec; rest; rest &= rest - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(rest);
		uint64_t distance = address[lane] - start;

		run.distance[lane] =
			exact->narrow ? (int32_t)(uint32_t)distance : (int64_t)distance;
	}
	return count_exact(exact->ret, &run, times);
}

static bool add_exact(struct walk *walk, uint64_t times, void *data)
{
	for (uint32_t first = 0; first < walk->items && times; first += LAUNCH_LANES)
		if (!add_exact_wave(walk, data, first, times))
			return false;
	return true;
}

/* Groups along an axis that nothing is made of are alike. */
static enum axis_use exact_use(const struct exact *exact, int axis)
{
	bool used = exact->address.groups[axis];

	for (uint32_t i = 0; i < exact->branches; i++)
		used = used || exact->branch[i].groups[axis];
	return used ? AXIS_EXACT : AXIS_UNUSED;
}

bool launch_exact(const struct probe_sites *table, const struct proved_launch *launch,
		  uint32_t branch, uint32_t site, bool narrow, struct launch_exact *ret)
{
	struct walk *walk = malloc(sizeof(*walk));
	struct exact *exact = calloc(1, sizeof(*exact));
	bool done = walk && exact && walk_init(walk, launch);

	*ret = (struct launch_exact){0};
	if (done) {
		exact->narrow = narrow;
		exact->ret = ret;
		ret->first = calloc(LAUNCH_EXACT_CHAINS, sizeof(*ret->first));
		done = ret->first && (branch == PROBE_ROW_NONE || branch < table->site_count) &&
		       find_branches(table, branch, exact->branch, &exact->branches) &&
		       launch_steps_find(table, site, 0, &exact->address);
	}
	for (int i = 0; i < 3 && done; i++)
		fill_whole_axis(launch, i, exact_use(exact, i), &walk->axis[i]);
	done = done && !too_many(walk) && for_groups(walk, add_exact, exact);
	free(walk);
	free(exact);
	if (!done)
		launch_exact_free(ret);
	return done;
}

void launch_exact_free(struct launch_exact *exact)
{
	free(exact->run);
	free(exact->first);
	*exact = (struct launch_exact){0};
}

uint32_t launch_exact_lead(const struct probe_sites *table, uint32_t site, int64_t *ret_beside)
{
	struct launch_steps steps;

	*ret_beside = 0;
	if (!launch_steps_find(table, site, 0, &steps) || !steps.count ||
	    steps.op->code != PROBE_EXPR_BESIDE)
		return site;
	*ret_beside = steps.op->value;
	return steps.op->offset;
}
