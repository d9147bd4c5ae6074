/* SPDX-License-Identifier: MIT */
/*
 * One layout for all accesses to an array in LDS. A layout that helps one access may harm another,
 * so accesses that share an array are all proposed the layout that leaves the fewest conflicts in
 * all of them together.
 *
 * Accesses share an array if their recorded addresses overlap (struct trial). Counters hold no
 * addresses: with them, nothing is known of arrays.
 */
#ifndef PROBE_HANDLERS_ADVICE_LDS_ARRAYS_H
#define PROBE_HANDLERS_ADVICE_LDS_ARRAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <probe/handler.h>

#include "handlers/advice/advice.h"
#include "handlers/advice/recorded_addresses.h"

/* The range of LDS that an access touched, [low, outside); all 0 = none. */
struct array_range {
	uint32_t low, outside;
};

void array_range_add(struct array_range *range, const struct probe_access *access, unsigned bytes);

struct array_layout {
	unsigned accesses; /* that share the array */
	unsigned pitch;	   /* bytes of a row in the present layout */
	unsigned pad;	   /* bytes after each row; 0 = no padding is proposed */
	unsigned columns;  /* elements of a row for a swizzle by exclusive-or; 0 = not proposed */
	unsigned element;  /* bytes */
	unsigned small;	   /* bytes of the smallest element of all accesses */
	bool rows;	   /* some lanes have this stride; else the rows are only a way to count */
	bool halves;	   /* it leaves at most half of the conflicts */
	bool complete;	   /* evaluated on the addresses of every execution */
	uint32_t low;	   /* the lowest address, from which rows count */
	double before, after;		/* conflicts of all accesses to the array, in the run */
	double each_before, each_after; /* of this access, per execution */
};

/* An access to LDS, and what was found for it. */
struct array_site {
	struct advice_site site;
	const struct trial *good; /* executions without conflicts; site.trial has those with */
	uint64_t costly;	  /* executions with conflicts */
	struct array_range range;
	uint32_t id; /* for the caller */
	bool shares; /* `layout` is set */
	struct array_layout layout;
};

/* All accesses to LDS of one kernel. */
void arrays_find(struct array_site *sites, size_t count, struct probe_lds_scratch *scratch);

#endif
