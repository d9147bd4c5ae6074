/* SPDX-License-Identifier: MIT */
/* A database opened for reading, with the SQL functions that queries use. */
#ifndef PROBE_CMDS_REPORT_REPORT_DB_H
#define PROBE_CMDS_REPORT_REPORT_DB_H

#include <stdbool.h>

#include "common/cleanup.h"
#include "store/store_open.h"

struct report;

struct report_db {
	const char *path;
	char *name; /* the name made for --runs, or NULL */
	struct probe_reader reader;
};

struct probe_err *report_db_open(const struct report *report, const char *path,
				 struct report_db *db);
void report_db_close(struct report_db *db);

/* Registers the SQL functions that queries use. `report` must outlive the connection. */
struct probe_err *report_functions(const struct report *report, sqlite3 *db);

/* True if the database has this table of a handler. */
bool report_db_has(const struct report_db *db, const char *table);

/* The SQL comes from the program, never from user input. */
struct probe_err *report_prepare_sql(const struct report_db *db, const char *sql,
				     sqlite3_stmt **ret);
/* One step; *row: whether there is a row. */
struct probe_err *report_step(const struct report_db *db, sqlite3_stmt *stmt, bool *row);
/* True if the statement yields a row. */
struct probe_err *report_any(const struct report_db *db, const char *sql, bool *ret);

/* Calls `fn` for each row. */
typedef void (*report_row_fn)(const struct report *report, sqlite3_stmt *stmt);
struct probe_err *report_each(const struct report_db *db, const char *sql, report_row_fn fn,
			      const struct report *report);

/* The text of a cell, never NULL; valid until the next step. */
const char *report_cell(sqlite3_stmt *stmt, int column);

static inline void report_stmt_release(sqlite3_stmt **stmt)
{
	sqlite3_finalize(*stmt);
}
#define REPORT_AUTO_STMT PROBE_AUTO(report_stmt_release)

#endif
