/* SPDX-License-Identifier: MIT */
/*
 * Writes the rows of a query as a table, CSV or JSON. A format is a row of functions in the .c
 * file.
 */
#ifndef PROBE_CMDS_REPORT_ROW_FORMATS_H
#define PROBE_CMDS_REPORT_ROW_FORMATS_H

#include <stdbool.h>

#include <sqlite3.h>

struct probe_err;
struct report;
struct report_db;
struct report_query;

/*
 * The version of the columns in CSV and JSON. It is the first column unless --fields is given. It
 * rises when a column is removed or changes its meaning, not when one is added.
 */
enum { REPORT_SCHEMA = 1 };

/*
 * Writes all rows of a query in the report's format. CSV and JSON span several files: `first` and
 * `last` control the header and the brackets.
 */
struct probe_err *report_rows(const struct report *report, const struct report_db *db,
			      const struct report_query *query, bool first, bool last);

/*
 * The rows of a statement that was prepared; of `query`, only the columns are used, which are those of
 * the statement.
 */
struct probe_err *report_statement_rows(const struct report *report, const struct report_db *db,
					const struct report_query *query, sqlite3_stmt *stmt,
					bool first, bool last);

/*
 * The same for a database without such a table. A column that -f misspells is an error here, too.
 */
struct probe_err *report_no_rows(const struct report *report, const struct report_db *db,
				 const struct report_query *query, bool first, bool last);

#endif
