/* SPDX-License-Identifier: MIT */
#include "handlers/advice/workgroup_shape.h"

#include <stdlib.h>

#include <probe/handler.h>

#include "handlers/advice/advice_text.h"
#include "handlers/advice/lane_offsets.h"
#include "handlers/advice/moved_cost.h"

/* Is the id of the work-item along the axis part of the address? */
static bool uses_id(const struct advice_site *site, unsigned axis)
{
	for (unsigned i = 0; i < site->term_count; i++)
		if (site->terms[i].of & PROBE_TERM_ITEM << axis)
			return true;
	return false;
}

/* A workgroup, or an iteration, that goes on after that many work-items: blockIdx.x * 16. */
static bool has_literal_size(const struct advice_site *site, const struct axis_strides *axes,
			     unsigned axis)
{
	long long whole = llabs((long long)axes->stride[axis] * site->group[axis]);
	const unsigned after = PROBE_TERM_GROUP << axis;

	for (unsigned i = 0; i < site->term_count && whole; i++) {
		const struct probe_site_term *term = &site->terms[i];

		if (term->of == after ||
		    (term->of == PROBE_TERM_LOOP && llabs((long long)term->step) == whole))
			return true;
	}
	/* The same iterations, unrolled. */
	for (unsigned i = 0; i < site->near_count && whole; i++)
		if (llabs((long long)advice_distance(site, &site->near[i])) == whole)
			return true;
	return false;
}

bool advice_fixes_shape(const struct advice_site *site)
{
	struct axis_strides axes;

	/* Rows of arrays in LDS are as long as the program says. */
	if (site->space == PROBE_SPACE_LDS)
		return (uses_id(site, 0) || uses_id(site, 1)) && !has_linear_id(site);
	if (!axis_terms(site, &axes))
		return false;
	/* y * 16 + x */
	if (axes.known[0] && axes.known[1] && axes.stride[1] && site->group[1] > 1 &&
	    axes.stride[1] == axes.stride[0] * site->group[0])
		return true;
	for (unsigned axis = 0; axis < 3; axis++)
		if (axes.known[axis] && has_literal_size(site, &axes, axis))
			return true;
	return false;
}

bool advice_turns_tile(const struct advice_site *site)
{
	struct axis_strides axes;

	if (site->space != PROBE_SPACE_LDS || site->group[0] < 2 || site->group[1] < 2 ||
	    (!axis_strides(site, &axes) && !axis_terms(site, &axes)) || !axes.known[1] ||
	    !axes.stride[1])
		return false;
	return !axes.known[0] ||
	       llabs((long long)axes.stride[0]) > llabs((long long)axes.stride[1]);
}

bool advice_may_widen(const struct advice_site *site)
{
	return (!site->grid[0] || site->grid[0] >= site->wave) && !site->turns_tiles &&
	       !advice_widening_costs(site);
}

void advice_say_wider(const struct advice_site *site, struct advice *ret)
{
	if (site->items && site->items % site->wave == 0)
		advice_append(ret->fix, "make the workgroup wider, for example dim3(%u, %u)",
			      site->wave, site->items / site->wave);
	else
		advice_append(ret->fix,
			      "make the workgroup wider (a multiple of %u work-items in x)",
			      site->wave);
	if (site->fixed_shape && site->group[0]) {
		advice_append(ret->fix,
			      ", adapting any arrays and constants of the kernel that are made "
			      "for dim3(%u, %u",
			      site->group[0], site->group[1]);
		if (site->group[2] > 1)
			advice_append(ret->fix, ", %u", site->group[2]);
		advice_append(ret->fix, ")");
	}
	advice_append(ret->fix, ", so that a wave is in one row");
	ret->others_move = true;
}
