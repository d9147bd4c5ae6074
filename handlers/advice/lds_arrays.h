/* SPDX-License-Identifier: MIT */
/*
 * One layout for all that touch an array in LDS. What helps one access may break another, so where
 * several accesses share an array, the layout proposed to each is the one that leaves the fewest
 * conflicts in all of them together, counted for each of them.
 *
 * Accesses share an array if the addresses they touched overlap (struct trial). From counters,
 * which hold no addresses, those of a kernel are taken together whose lanes are equally far apart.
 */
#ifndef PROBE_HANDLERS_ARRAYS_H
#define PROBE_HANDLERS_ARRAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <probe/handler.h>

#include "handlers/advice/advice.h"
#include "handlers/advice/recorded_addresses.h"

/* Bytes of LDS that an access touched: from the first to behind the last; all 0 = none. */
struct array_range {
	uint32_t low, outside;
};

void array_range_add(struct array_range *range, const struct probe_access *access, unsigned bytes);

struct array_layout {
	unsigned accesses; /* that share the array */
	unsigned pitch;	   /* bytes of a row as it is */
	unsigned pad;	   /* bytes behind each row; 0 = no padding is proposed */
	unsigned columns;  /* elements of a row, moved by exclusive-or; 0 = not proposed */
	unsigned element;  /* bytes */
	unsigned small;	   /* bytes of the smallest element of all that share it */
	bool rows;	   /* some lanes are such a row apart; else it is only a way to count */
	bool halves;	   /* it leaves half of the array's conflicts or less */
	bool addresses;	   /* tried on addresses, rows counted from the lowest, `low` */
	uint32_t low;
	double before, after;		/* conflicts of all accesses to the array, in the run */
	double each_before, each_after; /* of this access, per execution */
};

/* An access to LDS, and what was found for it. */
struct array_site {
	struct advice_site site;
	const struct trial *good; /* executions without conflicts; those with are site.trial */
	uint64_t costly;	  /* executions with conflicts */
	struct array_range range;
	uint32_t id; /* the caller's */
	bool shares; /* `layout` is set */
	struct array_layout layout;
};

/* All accesses to LDS of one kernel. */
void arrays_find(struct array_site *sites, size_t count, struct probe_lds_scratch *scratch);

#endif
