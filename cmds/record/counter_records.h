/* SPDX-License-Identifier: MIT */
/*
 * Rows of counters, of kinds `memory` and `count`. If the code object has proofs (wire.h section
 * 3), the rows of a dispatch are kept until it has completed, and those for handlers and the
 * database are derived from all of them.
 */
#ifndef PROBE_CMDS_RECORD_COUNTER_RECORDS_H
#define PROBE_CMDS_RECORD_COUNTER_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct segment_record;
struct model_scratch;
struct recording;
struct run_dispatch;

#define COUNTERS_NAMED_MAX 16

struct counter_state {
	struct model_scratch *model;	    /* NULL until it is needed */
	uint64_t named[COUNTERS_NAMED_MAX]; /* sites without counters that the log has named */
	size_t named_count;
};

/* Host records; false: malformed. */
bool counters_take(struct recording *recording, const struct segment_record *rec);
bool counters_take_arguments(struct recording *recording, const struct segment_record *rec);

/* The dispatch has completed: there will be no more rows. */
void counters_finish(struct recording *recording, struct run_dispatch *dispatch);
/* Rows kept for dispatches that never completed are lost. */
void counters_abandon(struct recording *recording);

void counters_deinit(struct counter_state *counters);

#endif
