/* SPDX-License-Identifier: MIT */
/* Host records of the application, applied to the recording and its database. */
#ifndef PROBE_CMDS_RECORD_HOST_RECORDS_H
#define PROBE_CMDS_RECORD_HOST_RECORDS_H

struct segment_record;
struct recording;
struct run_dispatch;

void host_record_apply(struct recording *recording, const struct segment_record *rec);
/* Finish dispatches that have completed, as a list by next_complete; their rings are drained. */
void host_records_finish(struct recording *recording, struct run_dispatch *list);

#endif
