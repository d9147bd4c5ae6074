/* SPDX-License-Identifier: MIT */
/* --dispatches, --start and --end: parsing, and SQL functions for the queries of samples. */
#ifndef PROBE_CMDS_REPORT_DISPATCH_FILTER_H
#define PROBE_CMDS_REPORT_DISPATCH_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include <sqlite3.h>

struct probe_err;
struct report;

struct probe_err *report_set_dispatches(struct report *report, const char *text);
struct probe_err *report_set_time(const char *option, const char *text, int64_t *ret);

/* Whether any of them is given; whether one of the times is given. */
bool report_filtered(const struct report *report);
bool report_timed(const struct report *report);

/*
 * SQL: probe_chosen(dispatch); probe_timely(from, to); probe_users_file(file): true for the user's
 * files, false for headers of HIP. `report` must outlive the connection.
 */
int report_filter_register(const struct report *report, sqlite3 *db);

#endif
