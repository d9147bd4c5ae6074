/* SPDX-License-Identifier: MIT */
/* State of the handler `time` per site and kernel, and the tables it writes. */
#ifndef PROBE_HANDLERS_TIME_ROWS_H
#define PROBE_HANDLERS_TIME_ROWS_H

#include "handlers/time/cycle_histogram.h"
#include "handlers/common/site_table.h"

enum {
	TIME_DEPTH = 64, /* open spans of a wave; deeper ones are counted and ignored */
	TIME_PLACES = 1024,
};

struct time_place {
	uint64_t count, cycles;
};

/* Forms of spans: a record per stamp, or one record for the span (PROBE_STAMP_ONE). */
enum { RECORD, ONE, FORMS };

struct time_site {
	bool known, valid;
	uint8_t access;
	const char *name; /* the region's; NULL = none */
	struct cycles cycles;
	uint64_t open, own[FORMS],
		inner[FORMS]; /* number of spans; number of stamps and spans inside them */
	struct time_place *places;
};

/* Per kernel. */
struct time_kernel {
	uint64_t cycles;	     /* of all waves */
	uint64_t empty[FORMS];	     /* shortest empty span; 0 = none seen */
	unsigned around_form[FORMS]; /* of the span around it */
	uint64_t around[FORMS];	     /* shortest span that contains an empty one */
	uint64_t too_deep, ends;     /* ends without a begin */
	uint32_t end_site;	     /* the site of the first of them */
};

/* Writes tables probe_time_span and probe_time_place of all kernels; 0 or -errno. */
int time_rows_write(struct sites *sites);

#endif
