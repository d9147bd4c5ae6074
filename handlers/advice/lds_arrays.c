/* SPDX-License-Identifier: MIT */
#include "handlers/advice/lds_arrays.h"

#include <stdlib.h>
#include <string.h>

#include "handlers/advice/layouts.h"
#include "handlers/advice/lds_variables.h"

enum {
	PITCHES_MAX = 24,
	PITCH_LONGEST = 4096,
	PITCH_SHORTEST = 64,
	PADS = 4, /* paddings of 1 to PADS elements */
};

/* ---- Touched ranges -------------------------------------------------------------------------- */

static void widen(struct array_range *range, uint32_t low, uint32_t high, unsigned bytes)
{
	if (low < range->low || !range->outside)
		range->low = low;
	if ((uint64_t)high + bytes > range->outside)
		range->outside = high > UINT32_MAX - bytes ? UINT32_MAX : high + bytes;
}

void array_range_add(struct array_range *range, const struct probe_access *access, unsigned bytes)
{
	uint32_t base = (uint32_t)access->base, low = UINT32_MAX, high = 0;
	unsigned lanes = access->lanes < 64 ? access->lanes : 64;
	unsigned first = (unsigned)__builtin_ctzll(access->exec);
	unsigned last = 63 - (unsigned)__builtin_clzll(access->exec);
	uint32_t end = base + (uint32_t)access->stride * (last - first);

	switch (access->form) {
	case PROBE_FORM_AFFINE:
		widen(range, base < end ? base : end, base < end ? end : base, bytes);
		return;
	case PROBE_FORM_NEAR:
		for (unsigned i = 0; i < lanes; i++) {
			uint32_t at = base + (uint32_t)access->offsets[i];

			low = at < low ? at : low;
			high = at > high ? at : high;
		}
		break;
	default:
		for (unsigned i = 0; i < lanes; i++) {
			uint32_t at = (uint32_t)access->addresses[i];

			low = at < low ? at : low;
			high = at > high ? at : high;
		}
	}
	widen(range, low, high, bytes);
}

/* The sites of one array. */
struct group {
	struct array_site **sites;
	size_t count;
	uint32_t low, outside;
	unsigned element; /* the smallest, at least a dword, and the largest */
	unsigned widest;
	unsigned pitches[PITCHES_MAX], pitch_count;
	unsigned observed; /* how many, from the first, are observed distances of lanes */
};

static uint64_t conflicts_of(const struct array_site *site)
{
	const uint64_t *c = site->site.counters;

	return c[PROBE_C_PASSES] - c[PROBE_C_IDEAL_PASSES];
}

static uint64_t executions_of(const struct array_site *site)
{
	return site->site.counters[PROBE_C_EXECUTIONS];
}

/* ---- Remaining conflicts --------------------------------------------------------------------- */

/* Conflicts of one site in the whole run, extrapolated from the recorded executions. */
static double left_by_addresses(const struct array_site *site, uint32_t low,
				const struct layout_move *move, struct probe_lds_scratch *scratch)
{
	const struct recorded_addresses *bad = site->site.recorded, *good = site->good;
	double left = 0;

	if (bad && bad->executions)
		left += (double)recorded_move(bad, &site->site, low, move, scratch) *
			(double)site->costly / bad->executions;
	if (good && good->executions)
		left += (double)recorded_move(good, &site->site, low, move, scratch) *
			(double)(executions_of(site) - site->costly) / good->executions;
	return left;
}

/* Conflicts of all sites; stops at `limit`. */
static double left_in_all(const struct group *group, const struct layout_move *move, double limit,
			  struct probe_lds_scratch *scratch)
{
	double left = 0;

	for (size_t i = 0; i < group->count && left < limit; i++)
		left += left_by_addresses(group->sites[i], group->low, move, scratch);
	return left;
}

/* True if every access of a lane stays contiguous and as well aligned, and LDS may have space. */
static bool fits(const struct group *group, const struct layout_move *move)
{
	if (move->pad % group->element || (!move->pad && move->element < group->widest) ||
	    (move->pad && !layout_space(&group->sites[0]->site, move->row, move->pad)))
		return false;
	for (size_t i = 0; i < group->count; i++) {
		const struct array_site *site = group->sites[i];

		if (!move->pad && !layout_has_columns(&site->site, move->element))
			return false;
		if ((site->site.recorded &&
		     !recorded_fits(site->site.recorded, &site->site, group->low, move)) ||
		    (site->good && !recorded_fits(site->good, &site->site, group->low, move)))
			return false;
	}
	return true;
}

/* ---- Choosing one ---------------------------------------------------------------------------- */

static void add_pitch(struct group *group, unsigned pitch)
{
	for (unsigned i = 0; i < group->pitch_count; i++)
		if (group->pitches[i] == pitch)
			return;
	if (group->pitch_count < PITCHES_MAX)
		group->pitches[group->pitch_count++] = pitch;
}

/*
 * The most frequent distance of adjacent lanes in the first recorded execution, if it is the
 * majority.
 */
static unsigned usual_distance(const struct recorded_addresses *recorded)
{
	uint32_t distance[63];
	unsigned count = 0, most = 0, best = 0, first = recorded_first(recorded);
	uint64_t exec = recorded->exec[first];

	for (unsigned last = 64; exec; exec &= exec - 1) {
		unsigned lane = (unsigned)__builtin_ctzll(exec);
		int32_t apart = last < 64 ? (int32_t)(recorded->addr[first][lane] -
						      recorded->addr[first][last])
					  : 0;

		if (last < 64)
			distance[count++] = (uint32_t)(apart < 0 ? -(int64_t)apart : apart);
		last = lane;
	}
	for (unsigned i = 0; i < count; i++) {
		unsigned same = 0;

		for (unsigned k = 0; k < count; k++)
			same += distance[k] == distance[i];
		if (same > most) {
			most = same;
			best = distance[i];
		}
	}
	return 2 * most > count ? best : 0;
}

/* The distance of lanes that may be the length of a row; 0 = none that is known. */
static int64_t distance_of(const struct array_site *site)
{
	int64_t stride = llabs((long long)layout_stride(&site->site));

	if (!stride && site->site.recorded && site->site.recorded->executions)
		stride = usual_distance(site->site.recorded);
	if (!stride && site->good && site->good->executions)
		stride = usual_distance(site->good);
	return stride;
}

static void describe(struct group *group)
{
	group->element = PITCH_LONGEST;
	group->widest = group->pitch_count = 0;
	for (size_t i = 0; i < group->count; i++) {
		const struct array_site *site = group->sites[i];
		unsigned element = layout_element(&site->site);
		int64_t stride = distance_of(site);

		group->element = element < group->element ? element : group->element;
		group->widest = element > group->widest ? element : group->widest;
		/*
		 * If lanes go down a column, their distance is the row length: it is tried first.
		 */
		if (stride >= 2 * (int)element && stride <= PITCH_LONGEST && stride % 4 == 0)
			add_pitch(group, (unsigned)stride);
	}
	group->observed = group->pitch_count;
	/* From long rows to short ones: long rows need less padding. */
	for (unsigned pitch = PITCH_LONGEST; pitch >= PITCH_SHORTEST; pitch /= 2)
		add_pitch(group, pitch);
}

/* What paddings of rows must be multiples of. */
static unsigned pad_step(const struct group *group, unsigned row)
{
	unsigned step = group->element;

	for (size_t i = 0; i < group->count; i++)
		step = layout_whole(&group->sites[i]->site, row, step);
	return step;
}

/* The best padding or the best swizzle; returns its conflicts, or -1 if none fits. */
static double best_move(const struct group *group, bool pads, struct layout_move *ret,
			struct probe_lds_scratch *scratch)
{
	double least = -1;

	for (unsigned p = 0; p < group->pitch_count; p++)
		for (unsigned n = 1; n <= (pads ? PADS : 1); n++) {
			struct layout_move move = {.row = group->pitches[p]};
			double left;

			move.pad = pads ? n * pad_step(group, move.row) : 0;
			move.element = pads ? group->element : group->widest;
			if (!pads && (move.row % move.element ||
				      (move.row / move.element & (move.row / move.element - 1)) ||
				      move.row < 2 * move.element))
				continue;
			if (!fits(group, &move))
				continue;
			left = left_in_all(group, &move, least < 0 ? 1e300 : least, scratch);
			if (least >= 0 && left >= least)
				continue;
			least = left;
			*ret = move;
		}
	return least;
}

static bool observed(const struct group *group, unsigned pitch)
{
	for (unsigned i = 0; i < group->observed; i++)
		if (group->pitches[i] == pitch)
			return true;
	return false;
}

/* Are lanes that are so far apart in one launch shape as far apart in the others? */
static bool in_all_launches(const struct group *group, unsigned pitch)
{
	for (size_t i = 0; i < group->count; i++)
		for (size_t k = 0; k < group->count; k++) {
			const struct array_site *one = group->sites[i], *other = group->sites[k];

			if (one != other && one->first == other->first &&
			    distance_of(one) == pitch && distance_of(other) != pitch)
				return false;
		}
	return true;
}

static unsigned count_accesses(const struct group *group)
{
	unsigned count = 0;

	for (size_t i = 0; i < group->count; i++)
		count += group->sites[i]->first == group->sites[i];
	return count;
}

static unsigned count_launches(const struct group *group)
{
	unsigned count = 0;

	for (size_t i = 0; i < group->count; i++) {
		size_t k = 0;

		while (k < i && group->sites[k]->launch != group->sites[i]->launch)
			k++;
		count += k == i;
	}
	return count;
}

/* True for alternatives: the same rows, and as many conflicts left at each of the sites. */
static bool are_equal(const struct group *group, const struct layout_move *pad,
		      const struct layout_move *swizzle, struct probe_lds_scratch *scratch)
{
	if (pad->row != swizzle->row)
		return false;
	for (size_t i = 0; i < group->count; i++)
		if (left_by_addresses(group->sites[i], group->low, pad, scratch) !=
		    left_by_addresses(group->sites[i], group->low, swizzle, scratch))
			return false;
	return true;
}

/* True if the addresses of every execution were kept. */
static bool all_recorded(const struct array_site *site)
{
	uint64_t bad = site->site.recorded ? site->site.recorded->executions : 0;
	uint64_t good = site->good ? site->good->executions : 0;

	return bad == site->costly && good == executions_of(site) - site->costly;
}

static void propose(const struct group *group, const struct layout_move *move, double before,
		    double after, const struct layout_move *swizzle,
		    struct probe_lds_scratch *scratch)
{
	unsigned accesses = count_accesses(group), launches = count_launches(group);
	bool rows =
		observed(group, move->row) && (launches == 1 || in_all_launches(group, move->row));
	bool complete = true;

	for (size_t i = 0; i < group->count; i++)
		complete = complete && all_recorded(group->sites[i]);
	for (size_t i = 0; i < group->count; i++) {
		struct array_site *site = group->sites[i];
		double executions = (double)executions_of(site);

		/* Better: a proof that holds for all executions, or with the rows as declared. */
		if ((!complete || site->site.declared_row) && site->shares)
			continue;
		site->shares = true;
		site->layout = (struct array_layout){
			.accesses = accesses,
			.launches = launches,
			.together = group->count > 1,
			.pitch = move->row,
			.pad = move->pad,
			.columns = swizzle ? swizzle->row / swizzle->element : 0,
			.element = swizzle ? swizzle->element : move->element,
			.small = group->element,
			.rows = rows,
			.halves = 2 * after <= before,
			.complete = complete,
			.low = group->low,
			.outside = group->outside,
			.before = before,
			.after = after,
			.each_before = (double)conflicts_of(site) / executions,
			.each_after =
				left_by_addresses(site, group->low, move, scratch) / executions,
		};
	}
}

static void choose(struct group *group, struct probe_lds_scratch *scratch)
{
	struct layout_move pad = {0}, swizzle = {0};
	double before = 0, padded, swizzled;
	bool advised = false;

	for (size_t i = 0; i < group->count; i++) {
		before += (double)conflicts_of(group->sites[i]);
		advised |= conflicts_of(group->sites[i]) &&
			   group->sites[i]->site.access != PROBE_ACCESS_ATOMIC;
	}
	if (!advised)
		return;
	describe(group);
	padded = best_move(group, true, &pad, scratch);
	swizzled = best_move(group, false, &swizzle, scratch);
	if (padded >= 0 && (swizzled < 0 || padded <= swizzled))
		propose(group, &pad, before, padded,
			swizzled == padded && are_equal(group, &pad, &swizzle, scratch) ? &swizzle
											: NULL,
			scratch);
	else if (swizzled >= 0)
		propose(group, &swizzle, before, swizzled, &swizzle, scratch);
}

/* ---- Grouping accesses to one array ---------------------------------------------------------- */

static int by_low(const void *a, const void *b)
{
	const struct array_site *left = *(struct array_site *const *)a;
	const struct array_site *right = *(struct array_site *const *)b;

	return left->range.low != right->range.low ? (left->range.low > right->range.low ? 1 : -1)
						   : (left > right) - (left < right);
}

/* All accesses must have recorded addresses to be evaluated together. */
static bool has_addresses(const struct array_site *site)
{
	const struct recorded_addresses *bad = site->site.recorded;

	return site->range.outside && (!site->costly || (bad && bad->executions)) &&
	       (site->costly == executions_of(site) || (site->good && site->good->executions));
}

static void by_addresses(struct array_site **sites, size_t count, struct probe_lds_scratch *scratch)
{
	qsort(sites, count, sizeof(struct array_site *), by_low);
	for (size_t i = 0, end; i < count; i = end) {
		struct group group = {.sites = sites + i,
				      .low = sites[i]->range.low,
				      .outside = sites[i]->range.outside};

		for (end = i + 1; end < count && sites[end]->range.low < group.outside; end++)
			if (sites[end]->range.outside > group.outside)
				group.outside = sites[end]->range.outside;
		group.count = end - i;
		choose(&group, scratch);
	}
}

/* Finds accesses in several launch shapes, which touch what they touch in any. */
static void find_first(struct array_site *sites, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct array_site *first = &sites[i];

		for (size_t k = 0; k < i && first->launch && first == &sites[i]; k++)
			if (sites[k].id == sites[i].id)
				first = &sites[k];
		sites[i].first = first;
		first->costs |= conflicts_of(&sites[i]) > 0;
		if (sites[i].range.outside)
			widen(&first->range, sites[i].range.low, sites[i].range.outside, 0);
	}
	for (size_t i = 0; i < count; i++)
		if (sites[i].range.outside)
			sites[i].range = sites[i].first->range;
}

void arrays_find(struct array_site *sites, size_t count, struct probe_lds_scratch *scratch)
{
	struct array_site **list = count ? calloc(count, sizeof(struct array_site *)) : NULL;
	bool addresses = list;

	find_first(sites, count);
	lds_variables_find(sites, count, scratch);
	for (size_t i = 0; i < count && addresses; i++) {
		addresses = has_addresses(&sites[i]);
		list[i] = &sites[i];
	}
	if (addresses)
		by_addresses(list, count, scratch);
	free(list);
}
