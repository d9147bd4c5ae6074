/* SPDX-License-Identifier: MIT */
/*
 * One layout for all accesses to an array in LDS. A layout that helps one access may harm another,
 * so all accesses that share an array get the layout with the fewest conflicts over all of them, in
 * all launch shapes of the kernel.
 *
 * Accesses share an array if their recorded addresses overlap (struct recorded_addresses). With
 * counters only, or if not all executions were recorded, they do if the compiler knew the variable
 * (lds_variables.h).
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
	/* An access in several launch shapes counts as one. */
	unsigned accesses; /* number of accesses that share the array and were evaluated */
	unsigned costly;   /* `most`: number of those that have conflicts now */
	unsigned unknown;  /* number of other accesses to it */
	unsigned launches; /* number of launch shapes with an access that was evaluated */
	bool together;	   /* several accesses or launch shapes were evaluated together */
	bool partly;	   /* in some launch shapes, some of the accesses were not evaluated */
	bool mapped;	   /* rows are of other lengths in other launch shapes */
	unsigned pitch;	   /* bytes of a row in the present layout */
	unsigned pad;	   /* bytes after each row; 0 = no padding is proposed */
	unsigned columns;  /* elements per row for a swizzle by exclusive-or; 0 = not proposed */
	unsigned element;  /* bytes per element */
	unsigned small;	   /* bytes of the smallest element among all accesses */
	/* Bytes of rows and elements that accesses to a flat array show; 0 = none. */
	uint32_t flat_row, flat_element;
	bool rows;     /* some lanes have this stride; otherwise the rows exist only for
			* counting */
	bool halves;   /* it removes at least half of the conflicts */
	bool complete; /* evaluated on the addresses of every execution */
	bool most;     /* `after` and `each_after` are upper bounds */
	bool alike;    /* an estimate: other executions are like those recorded */
	/* The lowest address, at which row 0 begins, and the end of the highest; 0 = unknown. */
	uint32_t low, outside;
	/* Conflicts in the whole run: of all accesses to the array; with `most`, of those that
	 * have some now, and at most of the others. */
	double before, after, others;
	double each_before, each_after; /* conflicts of this access, per execution */
};

/* An access to LDS, and its result. */
struct array_site {
	struct advice_site site;
	const struct recorded_addresses *good; /* executions without conflicts; those with conflicts
						* are in site.recorded */
	uint64_t costly;		       /* executions with conflicts */
	struct array_range range;
	uint32_t id;	 /* of the access */
	unsigned launch; /* number of the launch shape, from 0 on */
	/* Set by arrays_find(): the same access in the first shape, and in that one: has it
	 * conflicts in any? */
	struct array_site *first;
	bool costs;
	unsigned shape; /* used by lds_variables.c */
	bool shares;	/* `layout` is set */
	struct array_layout layout;
};

/* All accesses to LDS of one kernel, in the order of its launch shapes. */
void arrays_find(struct array_site *sites, size_t count, struct probe_lds_scratch *scratch);

#endif
