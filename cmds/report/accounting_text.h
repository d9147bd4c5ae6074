/* SPDX-License-Identifier: MIT */
/* The first and last lines of every text report: how far its numbers can be trusted. */
#ifndef PROBE_CMDS_REPORT_ACCOUNTING_TEXT_H
#define PROBE_CMDS_REPORT_ACCOUNTING_TEXT_H

#include <stdbool.h>

struct probe_err;
struct report;
struct report_db;
struct report_query;

/* First lines: whether and why the run is partial, the program, the device. */
struct probe_err *report_head(const struct report *report, const struct report_db *db);
/* Warns of sources that are not those of the run in this file. */
struct probe_err *report_warn_sources(const struct report *report, const char *path);
/* Last lines: dispatches, accesses without probes, lost records, notes, messages of the run. */
struct probe_err *report_account(const struct report *report, const struct report_db *db);
/*
 * The number of accesses without probes that report_account() lists; needs table probe_uncovered.
 */
extern const char report_uncovered_count_sql[];
/* report_rows() as a table, with both around it. */
struct probe_err *report_framed_rows(const struct report *report, const struct report_db *db,
				     const struct report_query *query, bool first, bool last);

#endif
