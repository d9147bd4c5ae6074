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
/*
 * An empty database in memory, which is filled from others; takes ownership of `name`, which is for
 * messages. NULL: out of memory.
 */
struct probe_err *report_db_memory(char *name, struct report_db *db);
/* A database that is all zero is not open. */
void report_db_close(struct report_db *db);

/* Registers the SQL functions that queries use. `report` must outlive the connection. */
struct probe_err *report_functions(const struct report *report, sqlite3 *db);

/* Makes the view probe_equal (equal_dispatches.h). */
struct probe_err *report_equal_dispatches(const struct report_db *db);

/* True if the database has this table of a handler. */
bool report_db_has(const struct report_db *db, const char *table);

/* The SQL comes from the program, never from user input. */
struct probe_err *report_prepare_sql(const struct report_db *db, const char *sql,
				     sqlite3_stmt **ret);
/* Before printing: what standard output shows must not stand on a progress line. */
void report_hide_progress(void);
/* One step; *row: whether there is a row. */
struct probe_err *report_step(const struct report_db *db, sqlite3_stmt *stmt, bool *row);
/* For loops: steps to the next row. False at the end, and if it fails, with an error in *err. */
bool report_next(const struct report_db *db, sqlite3_stmt *stmt, struct probe_err **err);
/* Prepares a query and steps to its first row; *row: whether there is one. */
struct probe_err *report_first_row(const struct report_db *db, const char *sql, sqlite3_stmt **ret,
				   bool *row);
/* True if the statement yields a row. */
struct probe_err *report_any(const struct report_db *db, const char *sql, bool *ret);
/* Executes statements that change a database in memory; `doing` is for the error. */
struct probe_err *report_run_sql(const struct report_db *db, const char *sql, const char *doing);

/* Calls `fn` for each row. */
typedef void (*report_row_fn)(const struct report *report, sqlite3_stmt *stmt);
struct probe_err *report_each(const struct report_db *db, const char *sql, report_row_fn fn,
			      const struct report *report);

/* The text of a cell, never NULL; valid until the next step. */
const char *report_cell(sqlite3_stmt *stmt, int column);

PROBE_DEFINE_RELEASE(report_stmt_release, sqlite3_stmt *, sqlite3_finalize)
#define REPORT_AUTO_STMT PROBE_AUTO(report_stmt_release)

/* For text from sqlite3_mprintf(). */
PROBE_DEFINE_RELEASE(report_sql_release, char *, sqlite3_free)
#define REPORT_AUTO_SQL PROBE_AUTO(report_sql_release)

/* Closed at the end of the scope; zero until it is opened. */
#define REPORT_AUTO_DB PROBE_AUTO(report_db_close)

#endif
