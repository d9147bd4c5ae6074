/* SPDX-License-Identifier: MIT */
/* Applies the application's host records to the recording and its database. */
#ifndef PROBE_CMDS_RECORD_HOST_RECORDS_H
#define PROBE_CMDS_RECORD_HOST_RECORDS_H

struct segment_record;
struct recording;
struct run_dispatch;

void host_record_apply(struct recording *recording, const struct segment_record *rec);
/*
 * Finishes dispatches that have completed, linked by next_complete; their rings have been drained.
 */
void host_records_finish(struct recording *recording, struct run_dispatch *list);
/* Stores the dispatches that have not been finished, so that readers of the database see them. */
void host_records_store_in_flight(struct recording *recording);

#endif
