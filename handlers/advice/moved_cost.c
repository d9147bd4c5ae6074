/* SPDX-License-Identifier: MIT */
#include "handlers/advice/moved_cost.h"

#include <stdlib.h>

#include <probe/handler.h>

#include "handlers/advice/index_step.h"
#include "handlers/advice/lane_offsets.h"
#include "handlers/advice/layouts.h"
#include "handlers/advice/recorded_addresses.h"

/* An access that is executed this many times less often costs little, whatever its lanes do. */
enum { RARE = 4 };

static bool find_axes(const struct advice_site *site, struct axis_strides *ret)
{
	return (axis_strides(site, ret) || axis_terms(site, ret)) && !ret->fields;
}

/* Lanes of merged accesses share bytes: in[i] and in[i + 1]. */
static bool are_neighbours(const struct advice_site *site, int64_t stride)
{
	return stride && llabs((long long)stride) <= (long long)site->bytes;
}

static bool is_contiguous(const struct advice_site *site)
{
	struct axis_strides axes;
	int64_t recorded;

	if (axis_strides(site, &axes) || axis_terms(site, &axes))
		return axes.known[0] && !axes.fields && are_neighbours(site, axes.stride[0]);
	if (site->recorded && recorded_rows(site->recorded, site, false, &recorded))
		return are_neighbours(site, recorded);
	return are_neighbours(site, layout_stride(site));
}

/* Of lanes that are a multiple of an argument apart, as many more as there are more in a row. */
static double wide_lines(const struct advice_site *site, double lines)
{
	struct axis_strides axes;

	if (!site->row || site->row >= site->wave || !find_axes(site, &axes))
		return lines;
	if (axes.known[0])
		return layout_lines(site, 128, axes.stride[0], site->wave);
	lines = lines * site->wave / site->row;
	return lines < site->wave ? lines : site->wave;
}

void compared_add(struct compared_accesses *list, const struct advice_site *site, uint32_t line,
		  uint32_t column)
{
	const uint64_t *c = site->counters;
	const struct probe_site_info *info = site->info;
	double lines = (double)c[PROBE_C_LINES128] / (double)c[PROBE_C_EXECUTIONS];

	/* What is uniform in a wave does not depend on its lanes' indices. */
	if (list->count == COMPARED_MAX || site->space == PROBE_SPACE_LDS ||
	    site->space == PROBE_SPACE_SCRATCH || info->address_class == PROBE_ADDRESS_UNIFORM)
		return;
	list->list[list->count++] = (struct compared_access){
		.terms = site->terms,
		.term_count = site->term_count,
		.counters = c,
		.bytes = site->bytes,
		.access = site->access,
		.line = line,
		.column = column,
		.known = advice_terms_known(site) && !advice_is_lanes_own(info),
		.contiguous = is_contiguous(site),
		.loaded = info->address_class == PROBE_ADDRESS_GATHER ||
			  info->address_class == PROBE_ADDRESS_CHASE,
		.lines = lines,
		.wide = wide_lines(site, lines),
	};
}

/* Does the address change by more than an element with that index? */
static bool depends(const struct compared_access *other, unsigned index)
{
	for (unsigned i = 0; i < other->term_count; i++) {
		const struct probe_site_term *term = &other->terms[i];

		if (advice_index_of(term) & index && !(term->of & PROBE_TERM_ITEM) &&
		    (term->of & (PROBE_TERM_VALUE | PROBE_TERM_SIZE) ||
		     llabs((long long)term->step) > other->bytes))
			return true;
	}
	return false;
}

/* At most one line more than needed in an execution. */
static bool is_cheap(const struct compared_access *other)
{
	return other->counters[PROBE_C_EXCESS128] <= other->counters[PROBE_C_EXECUTIONS];
}

static bool moves_to(const struct advice_site *site, unsigned index,
		     const struct compared_access *other)
{
	return other->counters != site->counters &&
	       other->counters[PROBE_C_EXECUTIONS] * RARE > site->counters[PROBE_C_EXECUTIONS] &&
	       (!other->known || !index || depends(other, index));
}

const struct compared_access *advice_moves_to(const struct advice_site *site, uint64_t stride)
{
	const struct compared_accesses *accesses = site->others;
	unsigned index = advice_smallest_index(site, stride);

	for (unsigned i = 0; accesses && i < accesses->count; i++)
		if (accesses->list[i].contiguous && moves_to(site, index, &accesses->list[i]))
			return &accesses->list[i];
	for (unsigned i = 0; accesses && i < accesses->count; i++)
		if (is_cheap(&accesses->list[i]) && moves_to(site, index, &accesses->list[i]))
			return &accesses->list[i];
	return NULL;
}

bool advice_widening_costs(const struct advice_site *site)
{
	const struct compared_accesses *accesses = site->others;
	double more = 0;

	for (unsigned i = 0; accesses && i < accesses->count; i++)
		more += (accesses->list[i].wide - accesses->list[i].lines) *
			(double)accesses->list[i].counters[PROBE_C_EXECUTIONS];
	return more > 0;
}
