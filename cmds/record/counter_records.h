/* SPDX-License-Identifier: MIT */
/*
 * Counter rows of kinds `memory` and `count`. If the code object has proofs (wire_device.h section
 * 3), the rows of a dispatch are kept until it has completed. The rows for handlers and the
 * database are then derived from all of them.
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
	struct model_scratch *model;	    /* NULL until first use */
	uint64_t named[COUNTERS_NAMED_MAX]; /* sites without counters that the log has already named
					     */
	size_t named_count;
};

/* Handles a host record; false if it is malformed. */
bool counters_read(struct recording *recording, const struct segment_record *rec);
bool counters_read_arguments(struct recording *recording, const struct segment_record *rec);

/* The dispatch has completed: no more rows will arrive. */
void counters_finish(struct recording *recording, struct run_dispatch *dispatch);
/* Counts the rows of dispatches that never completed as lost. */
void counters_abandon(struct recording *recording);

void counters_deinit(struct counter_state *counters);

#endif
