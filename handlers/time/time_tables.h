/* SPDX-License-Identifier: MIT */
/* What the handler `time` knows of sites and kernels, and the tables it makes of that. */
#ifndef PROBE_HANDLERS_TIME_ROWS_H
#define PROBE_HANDLERS_TIME_ROWS_H

#include "handlers/time/cycle_histogram.h"
#include "handlers/common/site_table.h"

enum {
	TIME_DEPTH = 64, /* spans open at the same time in a wave; deeper ones are counted and left
			    out */
	TIME_PLACES = 1024,
};

struct time_place {
	uint64_t count, cycles;
};

/* Numbers of stamps, or cycles of theirs: that are records, and spans that are one. */
enum { RECORD, ONE, FORMS };

struct time_site {
	bool known, valid;
	uint8_t access;
	const char *name; /* the region's; NULL = none */
	struct cycles cycles;
	uint64_t open, own[FORMS], inner[FORMS]; /* spans; stamps and spans in them */
	struct time_place *places;
};

/* Per kernel. */
struct time_kernel {
	uint64_t cycles;	     /* of all waves */
	uint64_t empty[FORMS];	     /* least time of an empty span; 0 = not seen */
	unsigned around_form[FORMS]; /* of that span itself */
	uint64_t around[FORMS];	     /* of a span by records that holds an empty one */
	uint64_t too_deep, ends;     /* ends without a begin */
};

/* Tables probe_time_span and probe_time_place, of all kernels; < 0 = they could not be written. */
int time_rows_write(struct sites *sites);

#endif
