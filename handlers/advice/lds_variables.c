/* SPDX-License-Identifier: MIT */
#include "handlers/advice/lds_variables.h"

#include <stdlib.h>
#include <string.h>

#include "handlers/advice/layouts.h"
#include "handlers/advice/recorded_addresses.h"

enum { SHAPES_MAX = 24 }; /* further accesses are not evaluated, because the work grows with them */

/* Accesses that cost the same in every layout. */
struct shape {
	const struct advice_site *site;
	struct lane_offsets lanes;
	double executions;
	bool costly; /* there are conflicts in the present layout */
};

struct variable {
	struct array_site *sites;
	size_t count; /* of all accesses of the kernel */
	uint16_t number;
	struct shape *shapes; /* SHAPES_MAX */
	unsigned shape_count, sites_evaluated;
	struct array_layout about; /* what is known of the accesses */
	unsigned element;	   /* the largest */
	unsigned align;		   /* of rows, and of their paddings: the most of any access */
	struct row_candidates rows;
	double before;			 /* conflicts in the run */
	bool all;			 /* the lanes of all executions are known */
	uint32_t flat_row, flat_element; /* as in struct array_layout */
	struct probe_lds_scratch *scratch;
};

/* Conflicts in the run. */
struct choice {
	struct row_layout layout;
	double after;		    /* at most, of accesses that have some now; < 0: no layout */
	double least, most;	    /* of all others */
	uint32_t worst[SHAPES_MAX]; /* conflicts of an execution */
};

static unsigned more(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

static bool is_member(const struct variable *variable, const struct array_site *site)
{
	return site->site.variable == variable->number;
}

static uint64_t conflicts_of(const struct advice_site *site)
{
	return site->counters[PROBE_C_PASSES] - site->counters[PROBE_C_IDEAL_PASSES];
}

/* All executions have that stride from lane to lane, or have a single active lane. */
static bool one_stride(const struct advice_site *site, int64_t *ret)
{
	const uint64_t *c = site->counters;
	bool none = !c[PROBE_C_STRIDE_HI] && c[PROBE_C_LANES] == c[PROBE_C_EXECUTIONS];

	*ret = layout_stride(site);
	return *ret || (c[PROBE_C_AFFINE] == c[PROBE_C_EXECUTIONS] &&
			(none || (c[PROBE_C_STRIDE_HI] == PROBE_STRIDE_BIAS &&
				  c[PROBE_C_STRIDE_LO] == PROBE_STRIDE_BIAS)));
}

/*
 * The positions of the lanes: proved, counted, or those of recorded executions. Idle lanes would
 * only make conflicts fewer.
 */
static bool lanes_of(const struct array_site *one, struct lane_offsets *ret, bool *ret_all,
		     struct probe_lds_scratch *scratch)
{
	const struct advice_site *site = &one->site;
	uint64_t executions = site->counters[PROBE_C_EXECUTIONS];
	const struct recorded_addresses *recorded = one->costly == executions ? site->recorded
						    : !one->costly	      ? one->good
									      : NULL;
	int64_t stride;

	*ret_all = true;
	if (lane_offsets(site, ret))
		return true;
	if (one_stride(site, &stride)) {
		layout_of_stride(site, stride, ret);
		return true;
	}
	*ret_all = recorded && recorded->executions == executions;
	return lanes_recorded(recorded, ret) &&
	       (*ret_all || recorded_others_alike(recorded, site, scratch));
}

/* ---- The accesses of a variable -------------------------------------------------------------- */

/*
 * If the variable was not declared with rows, each distance of lanes may be the length of one. Only
 * for accesses with conflicts.
 */
static void add_rows(struct variable *variable, const struct advice_site *site)
{
	struct axis_strides axes;
	int64_t stride;

	row_candidates_add(&variable->rows, site, layout_stride(site));
	if (site->recorded && recorded_rows(site->recorded, site, true, &stride))
		row_candidates_add(&variable->rows, site, stride);
	if (!axis_strides(site, &axes))
		return;
	for (int i = 0; i < 3; i++)
		if (site->group[i] > 1 && axes.known[i])
			row_candidates_add(&variable->rows, site, axes.stride[i]);
	for (int i = 0; axes.fields && i < PROBE_BITFIELDS; i++)
		row_candidates_add(&variable->rows, site, site->info->bitfields[i].scale);
}

static bool same_shape(const struct shape *a, const struct shape *b)
{
	const size_t used = a->lanes.waves * sizeof(a->lanes.offset[0]);

	return a->site->bytes == b->site->bytes && a->site->unit == b->site->unit &&
	       a->site->access == b->site->access &&
	       layout_in_rows(a->site) == layout_in_rows(b->site) &&
	       a->lanes.waves == b->lanes.waves &&
	       !memcmp(a->lanes.exec, b->lanes.exec, a->lanes.waves * sizeof(a->lanes.exec[0])) &&
	       !memcmp(a->lanes.offset, b->lanes.offset, used);
}

/* The shape of an access, which is added if it is new; NULL = not evaluated. */
static struct shape *shape_of(struct variable *variable, const struct array_site *one)
{
	struct shape *fresh = &variable->shapes[variable->shape_count];
	bool all;

	if (variable->shape_count == SHAPES_MAX)
		return NULL;
	*fresh = (struct shape){.site = &one->site};
	if (!lanes_of(one, &fresh->lanes, &all, variable->scratch))
		return NULL;
	variable->all &= all;
	for (struct shape *shape = variable->shapes; shape < fresh; shape++)
		if (same_shape(shape, fresh))
			return shape;
	variable->shape_count++;
	return fresh;
}

static void describe(struct variable *variable)
{
	for (size_t i = 0; i < variable->count; i++) {
		struct array_site *one = &variable->sites[i];
		const struct advice_site *site = &one->site;
		struct shape *shape;

		if (!is_member(variable, one))
			continue;
		variable->element = more(variable->element, layout_element(site));
		variable->align = more(variable->align, layout_align(site));
		shape = shape_of(variable, one);
		one->shape = shape ? (unsigned)(shape - variable->shapes) + 1 : 0;
		if (!shape)
			continue;
		variable->sites_evaluated++;
		shape->executions += (double)site->counters[PROBE_C_EXECUTIONS];
		variable->before += (double)conflicts_of(site);
		shape->costly |= conflicts_of(site) > 0;
		if (conflicts_of(site))
			add_rows(variable, site);
	}
}

/* Do lanes go down rows of the same length in two launch shapes? */
static bool same_rows(const struct advice_site *a, const struct advice_site *b)
{
	struct axis_strides x, y;

	if (a->declared_row)
		return true;
	if (!axis_strides(a, &x) || !axis_strides(b, &y))
		return layout_stride(a) == layout_stride(b);
	for (int i = 0; i < 3; i++)
		if (a->group[i] > 1 && b->group[i] > 1 &&
		    (!x.known[i] || !y.known[i] || x.stride[i] != y.stride[i]))
			return false;
	return true;
}

/* Counts an access in all its launch shapes, of which `first` is the first. */
static void add_access(const struct variable *variable, const struct array_site *first,
		       struct array_layout *about)
{
	unsigned launches = 0, evaluated = 0;

	for (size_t i = 0; i < variable->count; i++) {
		const struct array_site *one = &variable->sites[i];

		if (one->first != first)
			continue;
		launches++;
		evaluated += one->shape > 0;
		about->mapped |= !same_rows(&first->site, &one->site);
	}
	about->accesses += evaluated > 0;
	about->costly += evaluated && first->costs;
	about->unknown += !evaluated;
	about->partly |= evaluated && evaluated < launches;
	about->launches = more(about->launches, evaluated);
	about->together |= launches > 1;
}

static void count_accesses(struct variable *variable)
{
	struct array_layout *about = &variable->about;

	for (size_t i = 0; i < variable->count; i++) {
		const struct array_site *one = &variable->sites[i];

		if (is_member(variable, one) && one->first == one)
			add_access(variable, one, about);
	}
	about->together |= about->accesses + about->unknown > 1;
}

/* ---- Choosing one ---------------------------------------------------------------------------- */

/*
 * Where an access begins in a row is unknown. Those that are free now mostly begin where the
 * program is free of conflicts.
 */
static double score(const struct choice *choice)
{
	return choice->after + choice->least;
}

static void consider(const struct variable *variable, const struct row_layout *layout,
		     struct choice *best)
{
	struct choice tried = {.layout = *layout};

	for (unsigned i = 0; i < variable->shape_count; i++) {
		const struct shape *shape = &variable->shapes[i];
		struct conflict_range range =
			layout_range(shape->site, &shape->lanes, layout, variable->scratch);

		tried.worst[i] = range.most;
		if (shape->costly) {
			tried.after += range.most * shape->executions;
		} else {
			tried.least += range.least * shape->executions;
			tried.most += range.most * shape->executions;
		}
		if (range.most == UINT32_MAX || (best->after >= 0 && score(&tried) >= score(best)))
			return;
	}
	*best = tried;
}

/* Elements must stay as well aligned as they are. */
static void try_paddings(const struct variable *variable, struct choice *best)
{
	best->after = -1;
	for (unsigned i = 0; i < variable->rows.count; i++)
		for (unsigned n = 1; n <= LAYOUT_PADS && (best->after < 0 || score(best) > 0);
		     n++) {
			const struct row_layout layout = {
				.row = variable->rows.rows[i],
				.pad = n * layout_whole(variable->shapes[0].site,
							variable->rows.rows[i], variable->align),
			};

			if (layout.row % variable->align == 0 &&
			    layout_space(variable->shapes[0].site, layout.row, layout.pad))
				consider(variable, &layout, best);
		}
}

/* Which elements smaller than a bank share one depends on where the variable begins. */
static bool swizzles(const struct variable *variable)
{
	for (unsigned i = 0; i < variable->shape_count; i++) {
		const struct advice_site *site = variable->shapes[i].site;

		if (site->bytes % 4 || !layout_has_columns(site, variable->element))
			return false;
	}
	return !variable->about.unknown && !variable->about.partly &&
	       !(variable->element & (variable->element - 1));
}

static void try_swizzles(const struct variable *variable, struct choice *best)
{
	best->after = -1;
	for (unsigned i = 0; i < variable->rows.count && swizzles(variable); i++) {
		struct row_layout layout = {.row = variable->rows.rows[i],
					    .element = variable->element};

		if (layout_swizzle_columns(&layout))
			consider(variable, &layout, best);
	}
}

/* An upper bound for whichever of two alternatives is used. */
static double most_of(bool both, double swizzle, double best)
{
	return both && swizzle > best ? swizzle : best;
}

/* The better one of padding and swizzle, or both if they leave as many conflicts. */
static void choose(const struct variable *variable, struct choice *ret_pad,
		   struct choice *ret_swizzle, struct array_layout *ret)
{
	const struct choice *best;
	double after, others;
	bool pads, swizzled;

	try_paddings(variable, ret_pad);
	try_swizzles(variable, ret_swizzle);
	pads = ret_pad->after >= 0 &&
	       (ret_swizzle->after < 0 || score(ret_pad) <= score(ret_swizzle));
	swizzled = ret_swizzle->after >= 0 &&
		   (!pads || (score(ret_swizzle) == score(ret_pad) &&
			      ret_swizzle->layout.row == ret_pad->layout.row));
	best = pads ? ret_pad : ret_swizzle;
	after = most_of(pads && swizzled, ret_swizzle->after, best->after);
	others = most_of(pads && swizzled, ret_swizzle->most, best->most);
	ret->pitch = best->layout.row;
	ret->pad = pads ? ret_pad->layout.pad : 0;
	ret->columns = swizzled ? ret_swizzle->layout.columns : 0;
	ret->element = ret->small = variable->element;
	ret->rows = true;
	/* Of accesses that are free now, too, no more may be left than there is. */
	ret->halves = (pads || swizzled) && 2 * score(best) <= variable->before &&
		      after + others < variable->before;
	ret->most = true;
	ret->alike = !variable->all;
	ret->before = variable->before;
	ret->after = after;
	ret->others = others;
}

static void set_layouts(const struct variable *variable)
{
	struct array_layout layout = variable->about;
	struct choice pad = {.after = -1}, swizzle = {.after = -1};

	if (variable->sites_evaluated > 1)
		choose(variable, &pad, &swizzle, &layout);
	for (size_t i = 0; i < variable->count; i++) {
		struct array_site *one = &variable->sites[i];
		unsigned shape = one->shape - 1;
		uint32_t left = 0;

		if (!is_member(variable, one))
			continue;
		if (one->shape && layout.pad)
			left = pad.worst[shape];
		if (one->shape && layout.columns && swizzle.worst[shape] > left)
			left = swizzle.worst[shape];
		one->shares = true;
		one->layout = layout;
		one->layout.complete = variable->sites_evaluated > 1 && one->shape;
		one->layout.flat_row = variable->flat_row;
		one->layout.flat_element = variable->flat_element;
		one->layout.each_after = left;
		one->layout.each_before = (double)conflicts_of(&one->site) /
					  (double)one->site.counters[PROBE_C_EXECUTIONS];
	}
}

/* ---- Rows of a flat array -------------------------------------------------------------------- */

/* The smallest distance of two lanes with conflicts; 0 = none, or the variable has declared rows.
 */
static unsigned flat_stride(const struct variable *variable, unsigned *ret_element)
{
	uint64_t least = 0;

	*ret_element = LAYOUT_ROW_LONGEST;
	for (size_t i = 0; i < variable->count; i++) {
		const struct advice_site *site = &variable->sites[i].site;
		uint64_t stride = (uint64_t)llabs((long long)layout_stride(site));

		if (!is_member(variable, &variable->sites[i]))
			continue;
		if (site->declared_row)
			return 0;
		*ret_element =
			layout_element(site) < *ret_element ? layout_element(site) : *ret_element;
		if (conflicts_of(site) && stride >= 2 * layout_element(site) &&
		    (!least || stride < least))
			least = stride;
	}
	return least <= LAYOUT_ROW_LONGEST ? (unsigned)least : 0;
}

/* So many near accesses show what rows are; an unrolled loop has thousands. */
static unsigned near_shown(const struct advice_site *site)
{
	enum { SHOWN = 64 };

	return site->near_count < SHOWN ? site->near_count : SHOWN;
}

/*
 * Is an access between two others, `distance` bytes apart, not near one of them? Then all are in
 * one stretch of elements.
 */
static bool in_stretch(const struct advice_site *site, int64_t distance)
{
	for (unsigned i = 0; i < near_shown(site); i++) {
		int64_t from = advice_distance(site, &site->near[i]);
		int64_t at = distance < 0 ? -from : from;

		if (4 * at > llabs(distance) && 4 * at < 3 * llabs(distance))
			return true;
	}
	return false;
}

/* How many accesses at a constant distance are a number of rows apart. */
static unsigned rows_apart(const struct variable *variable, unsigned row)
{
	unsigned count = 0;

	for (size_t i = 0; i < variable->count; i++) {
		const struct advice_site *site = &variable->sites[i].site;

		for (unsigned k = 0;
		     is_member(variable, &variable->sites[i]) && k < near_shown(site); k++) {
			int64_t distance = advice_distance(site, &site->near[k]);

			count += distance && distance % (int64_t)row == 0 &&
				 !in_stretch(site, distance);
		}
	}
	return count;
}

/* Does a lane use elements as far away as the next lane's? Else it may have a row of its own. */
static bool reaches_next(const struct variable *variable, unsigned stride)
{
	for (size_t i = 0; i < variable->count; i++) {
		const struct advice_site *site = &variable->sites[i].site;

		for (unsigned k = 0;
		     is_member(variable, &variable->sites[i]) && k < near_shown(site); k++)
			if (llabs((long long)advice_distance(site, &site->near[k])) >= stride)
				return true;
	}
	return false;
}

/*
 * Lanes on a diagonal of a flat array, t[y * 65 + x], are a row more or less an element apart,
 * which looks like a row itself. Accesses to neighbours in a column tell them apart. 0 = nothing
 * shows that rows are longer or shorter than the distance of lanes.
 */
static unsigned diagonal_row(const struct variable *variable, unsigned stride, unsigned element)
{
	unsigned most = rows_apart(variable, stride), row = 0;

	if (!reaches_next(variable, stride))
		return 0;
	for (unsigned tried = stride - element; tried <= stride + element; tried += 2 * element)
		if (rows_apart(variable, tried) > most) {
			most = rows_apart(variable, tried);
			row = tried;
		}
	return row;
}

static void find_flat_rows(struct variable *variable)
{
	unsigned element, stride = flat_stride(variable, &element);
	unsigned row = stride ? diagonal_row(variable, stride, element) : 0;

	if (!row)
		return;
	variable->flat_row = row;
	variable->flat_element = element;
	for (size_t i = 0; i < variable->count; i++)
		if (is_member(variable, &variable->sites[i])) {
			variable->sites[i].site.declared_row = row;
			variable->sites[i].site.declared_element = element;
		}
}

static void find(struct array_site *sites, size_t count, struct shape *shapes, uint16_t number,
		 struct probe_lds_scratch *scratch)
{
	struct variable variable = {.sites = sites,
				    .count = count,
				    .number = number,
				    .shapes = shapes,
				    .all = true,
				    .scratch = scratch};

	find_flat_rows(&variable);
	describe(&variable);
	count_accesses(&variable);
	if (variable.about.together)
		set_layouts(&variable);
}

void lds_variables_find(struct array_site *sites, size_t count, struct probe_lds_scratch *scratch)
{
	struct shape *shapes = count > 1 ? calloc(SHAPES_MAX, sizeof(*shapes)) : NULL;

	for (size_t i = 0; i < count && shapes; i++) {
		bool first = sites[i].site.variable;

		for (size_t k = 0; k < i && first; k++)
			first = sites[k].site.variable != sites[i].site.variable;
		if (first)
			find(sites + i, count - i, shapes, sites[i].site.variable, scratch);
	}
	free(shapes);
}
