/* SPDX-License-Identifier: MIT */
#include "handlers/advice/index_step.h"

#include <stdlib.h>

#include <probe/handler.h>

#include "handlers/advice/divisor.h"
#include "handlers/advice/lane_offsets.h"

static uint64_t step_of_term(const struct probe_site_term *term)
{
	return (uint64_t)llabs((long long)term->step);
}

/*
 * The greatest common divisor of all steps. Structs with arrays have several: it is that of the
 * elements of the array, and lanes that use neighbouring structs are farther apart. Ids of
 * workgroups count tiles of elements.
 */
static struct index_step common_step(const struct advice_site *site, uint64_t stride)
{
	bool member = site->info && site->info->address_flags & PROBE_ADDRESS_MEMBER;
	struct index_step ret = {.certain = true};

	if (!advice_terms_known(site))
		return (struct index_step){.bytes = 0};
	for (unsigned i = 0; i < site->term_count; i++)
		ret.bytes = divisor(ret.bytes, step_of_term(&site->terms[i]));
	for (unsigned i = 0; i < site->term_count; i++) {
		const struct probe_site_term *term = &site->terms[i];

		if (step_of_term(term) != ret.bytes && step_of_term(term) < stride &&
		    (member || !(term->of & PROBE_TERM_GROUPS)))
			ret.certain = false;
	}
	return ret;
}

/* The smallest step of the workgroup's other axes, and its length; 0 = none that is known. */
static uint64_t axis_step(const struct advice_site *site, uint64_t stride, uint64_t *ret_length)
{
	struct axis_strides axes;
	uint64_t least = 0;

	if ((!axis_strides(site, &axes) && !axis_terms(site, &axes)) || axes.fields)
		return 0;
	for (int i = 1; i < 3; i++) {
		uint64_t step = (uint64_t)llabs((long long)axes.stride[i]);

		if (site->group[i] > 1 && axes.known[i] && step && step < stride &&
		    (!least || step < least)) {
			least = step;
			*ret_length = site->group[i];
		}
	}
	return least;
}

/* Values that are other ones in other work-items, workgroups or iterations, as far as is known. */
static bool varies(const struct advice_site *site, const struct probe_site_term *term)
{
	for (unsigned axis = 0; axis < 3; axis++) {
		if (axis && term->of & PROBE_TERM_ITEM << axis && site->group[axis] != 1)
			return true;
		if (term->of & PROBE_TERM_GROUP << axis &&
		    (!site->grid[axis] || site->grid[axis] > site->group[axis]))
			return true;
	}
	return term->of & PROBE_TERM_LOOP;
}

/*
 * Do the workgroups or iterations of the term go on after the work-items of one that is multiplied
 * by the same, as in blockIdx.x * blockDim.x + threadIdx.x?
 */
static bool continues_lanes(const struct advice_site *site, const struct probe_site_term *term)
{
	const unsigned counts =
		PROBE_TERM_ITEMS | PROBE_TERM_GROUPS | PROBE_TERM_LOOP | PROBE_TERM_SIZE;

	for (unsigned i = 0; i < site->term_count; i++) {
		const struct probe_site_term *lanes = &site->terms[i];
		uint64_t row = step_of_term(lanes) * site->group[0];

		if (lanes->of & PROBE_TERM_ITEM && lanes->step &&
		    (term->of & ~counts) == (lanes->of & ~counts) &&
		    step_of_term(term) % step_of_term(lanes) == 0 &&
		    (term->of & PROBE_TERM_SIZE || (row && step_of_term(term) % row == 0)))
			return true;
	}
	return false;
}

/* Of a multiple of an argument the step is not known, so it need not be smaller. */
static bool is_other(const struct advice_site *site, const struct probe_site_term *term,
		     uint64_t stride)
{
	bool multiple = term->of & PROBE_TERM_VALUE && !(term->of & PROBE_TERM_PART);

	/* Parts of one id: t % 16 and t / 16. */
	if (term->of & PROBE_TERM_ITEM)
		return term->of & PROBE_TERM_PART && step_of_term(term) < stride;
	return varies(site, term) && !multiple && step_of_term(term) < stride &&
	       !continues_lanes(site, term);
}

/* Copies of one access, of a loop that was unrolled, are nearer than lanes. */
static bool is_unrolled(const struct advice_site *site, uint64_t stride)
{
	const struct advice_near *own = site->near, *end = site->near + site->near_count;

	while (own < end && advice_distance(site, own))
		own++;
	for (const struct advice_near *near = site->near; near < end && own < end; near++) {
		uint64_t distance = (uint64_t)llabs((long long)advice_distance(site, near));

		if (distance && distance < stride && own->line && near->line == own->line &&
		    near->column == own->column)
			return true;
	}
	return false;
}

static bool has_other(const struct advice_site *site, uint64_t stride)
{
	if (!advice_terms_known(site) || is_unrolled(site, stride))
		return true;
	for (unsigned i = 0; i < site->term_count; i++)
		if (is_other(site, &site->terms[i], stride))
			return true;
	return false;
}

unsigned advice_index_of(const struct probe_site_term *term)
{
	unsigned axes = (term->of / PROBE_TERM_ITEM | term->of / PROBE_TERM_GROUP) & 7;

	return axes | (term->of & PROBE_TERM_LOOP ? 8u : 0);
}

/* Work-items along other axes are not among the others of is_other(). */
static bool has_smaller_step(const struct advice_site *site, const struct probe_site_term *term,
			     uint64_t stride)
{
	const unsigned rows = 6 * PROBE_TERM_ITEM;

	return is_other(site, term, stride) ||
	       ((term->of & ~rows) == 0 && term->of && step_of_term(term) < stride);
}

unsigned advice_smallest_index(const struct advice_site *site, uint64_t stride)
{
	uint64_t least = UINT64_MAX;
	unsigned index = 0;

	if (!advice_terms_known(site))
		return 0;
	for (unsigned i = 0; i < site->term_count; i++) {
		const struct probe_site_term *term = &site->terms[i];

		if (has_smaller_step(site, term, stride) && step_of_term(term) <= least) {
			index = (step_of_term(term) < least ? 0 : index) | advice_index_of(term);
			least = step_of_term(term);
		}
	}
	return index;
}

bool advice_is_row(const struct advice_site *site)
{
	unsigned count = 0, multiples = 0;

	for (unsigned i = 0; i < site->term_count; i++)
		if (site->terms[i].of & PROBE_TERM_ITEM) {
			count++;
			multiples += site->terms[i].of != PROBE_TERM_ITEM;
		}
	return count <= 1 || !multiples;
}

/* Bytes from the first to the last value of a term of one id; 0 = unknown, or no such term. */
static uint64_t reach_of_term(const struct advice_site *site, const struct probe_site_term *term,
			      uint64_t *ret_step)
{
	*ret_step = step_of_term(term);
	for (unsigned axis = 0; axis < 3; axis++) {
		uint64_t items = site->group[axis], groups = items ? site->grid[axis] / items : 0;

		if (axis && term->of == PROBE_TERM_ITEM << axis)
			return items > 1 ? *ret_step * (items - 1) : 0;
		if ((term->of & ~PROBE_TERM_SIZE) != PROBE_TERM_GROUP << axis)
			continue;
		/* blockIdx.y * blockDim.y */
		*ret_step *= term->of & PROBE_TERM_SIZE ? items : 1;
		return groups > 1 ? *ret_step * (groups - 1) : 0;
	}
	return 0;
}

/*
 * How many elements of `bytes` are known to follow one another, if an index goes through all its
 * values, and ids continue it, as blockIdx.y * blockDim.y continues threadIdx.y? Iterations of
 * loops are not known. At least 1.
 */
static uint64_t values_of_index(const struct advice_site *site, uint64_t bytes)
{
	uint64_t covered = bytes, before, step;

	if (!bytes || !advice_terms_known(site))
		return 1;
	do {
		before = covered;
		for (unsigned i = 0; i < site->term_count; i++) {
			uint64_t reach = reach_of_term(site, &site->terms[i], &step);

			/* Those added before reach less far. */
			if (reach && step && step <= before && reach >= before)
				covered = before + reach > covered ? before + reach : covered;
		}
	} while (covered > before);
	return covered / bytes;
}

/* May there be more such values, of loops or in launches of another shape? */
static bool may_be_more(const struct advice_site *site, uint64_t stride)
{
	const unsigned open = PROBE_TERM_LOOP | PROBE_TERM_PART;

	for (unsigned i = 0; i < site->term_count; i++) {
		const struct probe_site_term *term = &site->terms[i];

		if (step_of_term(term) < stride && term->of & open)
			return true;
		for (unsigned axis = 0; axis < 3; axis++)
			if (advice_index_of(term) >> axis & 1 &&
			    (!site->group[axis] || !site->grid[axis]))
				return true;
	}
	return !advice_terms_known(site) || is_unrolled(site, stride);
}

struct index_step index_step(const struct advice_site *site, uint64_t stride)
{
	struct index_step ret = common_step(site, stride);
	uint64_t length = 0, axis = axis_step(site, stride, &length);

	if (axis && (axis <= site->bytes || !ret.bytes || axis == ret.bytes)) {
		ret = (struct index_step){.bytes = axis, .certain = true, .other = true};
	} else {
		ret.other = axis || has_other(site, stride);
		ret.certain = ret.certain && ret.bytes && !axis;
	}
	ret.values = values_of_index(site, ret.bytes);
	if (axis && axis == ret.bytes && length > ret.values)
		ret.values = length;
	ret.more = may_be_more(site, stride);
	return ret;
}
