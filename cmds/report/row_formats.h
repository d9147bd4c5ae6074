/* SPDX-License-Identifier: MIT */
/* The rows of a query as a table, CSV or JSON: a format is a row of functions in the .c file. */
#ifndef PROBE_CMDS_REPORT_ROW_FORMATS_H
#define PROBE_CMDS_REPORT_ROW_FORMATS_H

#include <stdbool.h>

struct probe_err;
struct report;
struct report_db;
struct report_query;

/*
 * The version of the columns in CSV and JSON, the first column unless --fields chooses some. It is
 * raised when a column goes or changes its meaning; new ones may be added.
 */
enum { REPORT_SCHEMA = 1 };

/*
 * All rows of a query in the report's format. CSV and JSON span files: `first` and `last` say
 * where the header and the brackets belong.
 */
struct probe_err *report_rows(const struct report *report, const struct report_db *db,
			      const struct report_query *query, bool first, bool last);

/* The same where the database has no such table. A column that -f misspells is an error here, too.
 */
struct probe_err *report_no_rows(const struct report *report, const struct report_db *db,
				 const struct report_query *query, bool first, bool last);

#endif
