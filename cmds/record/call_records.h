/* SPDX-License-Identifier: MIT */
/*
 * Host records of tracing: calls of HSA and HIP, memory copies, marks and ranges of ROCTx
 * (probe/wire_tracing.h). They become rows of ROCpd's tables as they arrive.
 */
#ifndef PROBE_CMDS_RECORD_CALL_RECORDS_H
#define PROBE_CMDS_RECORD_CALL_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmds/record/process_objects.h"

struct segment_record;
struct recording;

struct call_range {
	uint64_t start, range; /* range: 0 = pushed by its thread */
	uint32_t tid, name;
};

struct call_state {
	struct run_table functions; /* struct call_function, by id */
	struct call_range *ranges;  /* ranges that have not ended, sorted by start */
	size_t range_count, range_capacity;
};

void calls_deinit(struct call_state *calls);

/* Handle host records; false if malformed. */
bool calls_function(struct recording *recording, const struct segment_record *rec);
bool calls_call(struct recording *recording, const struct segment_record *rec);
bool calls_copy(struct recording *recording, const struct segment_record *rec);
bool calls_marker(struct recording *recording, const struct segment_record *rec);

/* String of the range that the thread pushed last and has not popped; 0 = none. */
uint32_t calls_range(const struct call_state *calls, uint32_t tid);

/* At the end: sets the end of ranges that have none. */
void calls_end_ranges(struct recording *recording, uint64_t time);

/* Adds the thread's row, if this is its first record. */
void calls_note_thread(struct recording *recording, uint32_t tid);

#endif
