/* SPDX-License-Identifier: MIT */
/*
 * Compares a source file with the one that was compiled. It may have been changed after the build
 * and before the run, or since the run; the stored text is that of the run.
 */
#ifndef PROBE_CMDS_REPORT_SOURCE_STATE_H
#define PROBE_CMDS_REPORT_SOURCE_STATE_H

#include <sqlite3.h>

struct report;

/* SQL function probe_source_state(file): returns NULL or one of these. */
int report_source_state_register(const struct report *report, sqlite3 *db);
extern const char report_source_newer[], report_source_changed[];

#endif
