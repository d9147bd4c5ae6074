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

static bool is_contiguous(const struct advice_site *site)
{
	struct axis_strides axes;
	int64_t recorded;

	if (site->space == PROBE_SPACE_LDS || site->space == PROBE_SPACE_SCRATCH)
		return false;
	if (axis_strides(site, &axes) || axis_terms(site, &axes))
		return axes.known[0] && !axes.fields &&
		       llabs((long long)axes.stride[0]) == (long long)site->bytes;
	if (site->recorded && recorded_rows(site->recorded, site, false, &recorded))
		return llabs((long long)recorded) == (long long)site->bytes;
	return llabs((long long)layout_stride(site)) == (long long)site->bytes;
}

void contiguous_add(struct contiguous_accesses *list, const struct advice_site *site, uint32_t line,
		    uint32_t column)
{
	if (list->count == CONTIGUOUS_MAX || !is_contiguous(site))
		return;
	list->list[list->count++] = (struct contiguous_access){
		.terms = site->terms,
		.term_count = site->term_count,
		.bytes = site->bytes,
		.access = site->access,
		.line = line,
		.column = column,
		.executions = site->counters[PROBE_C_EXECUTIONS],
	};
}

/* Does the address change, or may it, by more than an element with that index? */
static bool depends(const struct contiguous_access *other, unsigned index)
{
	for (unsigned i = 0; i < other->term_count; i++) {
		const struct probe_site_term *term = &other->terms[i];

		if (term->of & PROBE_TERM_UNKNOWN)
			return true;
		if (advice_index_of(term) & index && !(term->of & PROBE_TERM_ITEM) &&
		    (term->of & (PROBE_TERM_VALUE | PROBE_TERM_SIZE) ||
		     llabs((long long)term->step) > other->bytes))
			return true;
	}
	return !other->term_count;
}

const struct contiguous_access *advice_moves_to(const struct advice_site *site, uint64_t stride)
{
	const struct contiguous_accesses *list = site->contiguous;
	unsigned index = advice_smallest_index(site, stride);

	for (unsigned i = 0; list && i < list->count; i++)
		if (list->list[i].executions * RARE > site->counters[PROBE_C_EXECUTIONS] &&
		    (!index || depends(&list->list[i], index)))
			return &list->list[i];
	return NULL;
}
