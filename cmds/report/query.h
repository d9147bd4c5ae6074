/* SPDX-License-Identifier: MIT */
/* Columns as data, and queries made from them: translates -f, -s, -k and -n to SQL. */
#ifndef PROBE_CMDS_REPORT_QUERY_H
#define PROBE_CMDS_REPORT_QUERY_H

#include <stdbool.h>
#include <stddef.h>

#include <sqlite3.h>

struct probe_err;
struct report;
struct report_db;

enum report_type {
	REPORT_INT,
	REPORT_REAL,
	REPORT_TEXT,
	REPORT_JSON_TEXT, /* a JSON array or object, as text */
	REPORT_ANY,	  /* as SQLite says of each cell */
};

/* As shown by `list` and in the data of the HTML page. */
const char *report_type_name(enum report_type type);

struct report_column {
	const char *name;  /* in -f, -s, CSV and JSON */
	const char *title; /* above a table */
	enum report_type type;
	bool standard;	  /* shown in tables by default */
	const char *sql;  /* from the program, never from user input */
	const char *help; /* for `list` */
};

struct report_query {
	const char *verb;
	const char
		*when; /* NULL, or for `list`: the option with which the verb has these columns */
	const struct report_column *columns;
	size_t count;
	const char *from;	   /* what follows SELECT columns FROM, with all joins */
	const char *where;	   /* NULL, or a condition on columns that applies unless --all is
				    * given */
	const char *kernel_column; /* the column that -k matches; NULL = -k does not apply */
	const char *sort;	   /* default order, in the syntax of -s */
	const char *none;	   /* NULL, or a sentence instead of a table without rows */
};

/* Of a call stack, a line for each call: the innermost one. */
#define REPORT_FIRST_FRAME(frames)                                                                 \
	"CASE instr(" frames ", char(10)) WHEN 0 THEN " frames " ELSE substr(" frames              \
	", 1, instr(" frames ", char(10)) - 1) END"

#define REPORT_COLUMNS_MAX 160

/* The number of a query's columns; does not compile if they are more than REPORT_COLUMNS_MAX. */
#define REPORT_COLUMN_COUNT(columns)                                                               \
	(sizeof(columns) / sizeof(*(columns)) +                                                    \
	 0 * sizeof(char[sizeof(columns) <= REPORT_COLUMNS_MAX * sizeof(*(columns)) ? 1 : -1]))

/* The columns selected by -f or by the format, as indices; all of them with `all`. */
struct probe_err *report_choose(const struct report *report, const struct report_query *query,
				bool all, unsigned char *chosen, size_t *count);

/* Prepares a query for the columns of -f, or for those shown in tables by default. */
struct probe_err *report_prepare_chosen(const struct report *report, const struct report_db *db,
					const struct report_query *query, sqlite3_stmt **ret);

/* Checks that the columns of -f and -s belong to the query; the error names one that does not. */
struct probe_err *report_check(const struct report *report, const struct report_query *query);
bool report_fits(const struct report *report, const struct report_query *query);

/* Prepares the query with filter, order and limit; columns in the order of `chosen`. */
struct probe_err *report_prepare(const struct report *report, const struct report_db *db,
				 const struct report_query *query, const unsigned char *chosen,
				 size_t count, sqlite3_stmt **ret);

/* True if the query yields a row. */
struct probe_err *report_any_row(const struct report *report, const struct report_db *db,
				 const struct report_query *query, bool *ret);

#endif
