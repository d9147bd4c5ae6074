/* SPDX-License-Identifier: MIT */
/*
 * How far apart lanes are if they use neighbouring elements, after their index was swapped with
 * another one. This is the size of an element, not of what is accessed, which may be a member of a
 * struct. It follows from the other axes of the workgroup and from the constant factors of the
 * address's terms.
 */
#ifndef PROBE_HANDLERS_ADVICE_INDEX_STEP_H
#define PROBE_HANDLERS_ADVICE_INDEX_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "handlers/advice/advice.h"

struct index_step {
	uint64_t bytes;	 /* 0 = unknown */
	bool certain;	 /* whichever index is swapped with the lanes' */
	bool other;	 /* there is another index with a smaller step, as far as is known */
	uint64_t values; /* of that index, at least: elements one after the other */
	bool more;	 /* there may be more values, as in a loop */
};

/* `stride` between lanes in bytes, UINT64_MAX if it is not known: only smaller steps count. */
struct index_step index_step(const struct advice_site *site, uint64_t stride);

/*
 * What the index with the smallest step below `stride` counts: bits 0 to 2, work-items or
 * workgroups along an axis; 8, iterations. 0 = unknown.
 */
unsigned advice_smallest_index(const struct advice_site *site, uint64_t stride);

/* The same bits for the index of one term. */
unsigned advice_index_of(const struct probe_site_term *term);

/*
 * May the distance of lanes be the length of rows or structs? A sum of a constant and a multiple of
 * an argument is not, as along a diagonal.
 */
bool advice_is_row(const struct advice_site *site);

#endif
