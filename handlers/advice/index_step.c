/* SPDX-License-Identifier: MIT */
#include "handlers/advice/index_step.h"

#include <stdlib.h>

#include <probe/handler.h>

#include "handlers/advice/lane_offsets.h"

static uint64_t divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

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

/* The smallest step of the workgroup's other axes; 0 = none that is known. */
static uint64_t axis_step(const struct advice_site *site, uint64_t stride)
{
	struct axis_strides axes;
	uint64_t least = 0;

	if ((!axis_strides(site, &axes) && !axis_terms(site, &axes)) || axes.fields)
		return 0;
	for (int i = 1; i < 3; i++) {
		uint64_t step = (uint64_t)llabs((long long)axes.stride[i]);

		if (site->group[i] > 1 && axes.known[i] && step && step < stride &&
		    (!least || step < least))
			least = step;
	}
	return least;
}

struct index_step index_step(const struct advice_site *site, uint64_t stride)
{
	struct index_step ret = common_step(site, stride);
	uint64_t axis = axis_step(site, stride);

	if (axis && (axis <= site->bytes || !ret.bytes || axis == ret.bytes))
		return (struct index_step){.bytes = axis, .certain = true};
	if (axis)
		ret.certain = false;
	ret.certain = ret.certain && ret.bytes;
	return ret;
}
