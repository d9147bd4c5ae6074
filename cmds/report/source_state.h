/* SPDX-License-Identifier: MIT */
/*
 * Are the lines of a source file those that ran? It may have been changed before the run, when the
 * program had been built, or since: the stored text is that of the run.
 */
#ifndef PROBE_CMDS_REPORT_SOURCE_STATE_H
#define PROBE_CMDS_REPORT_SOURCE_STATE_H

#include <sqlite3.h>

struct report;

/* SQL function probe_source_state(file): NULL, or one of these. */
int report_source_state_register(const struct report *report, sqlite3 *db);
extern const char report_source_newer[], report_source_changed[];

#endif
