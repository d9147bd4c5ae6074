/* SPDX-License-Identifier: MIT */
/*
 * Compares two databases: a database in memory gets one row per value measured in either, with the
 * value before and after.
 *
 * Kernels are matched by their demangled names. Source lines are matched by kernel, file name, kind
 * of access and text; equal lines by position first, then in order. A line whose text changed is
 * matched by its position, an access without a line by kernel, kind, size, function and order. Rows
 * without a match have NULL on the other side.
 */
#ifndef PROBE_CMDS_REPORT_COMPARE_RUNS_H
#define PROBE_CMDS_REPORT_COMPARE_RUNS_H

#include <stddef.h>

#include "cmds/report/query.h"
#include "cmds/report/report_db.h"

enum compare_scope {
	COMPARE_LINE,
	COMPARE_KERNEL,
};

struct compare_metric {
	enum compare_scope scope;
	const char *name; /* for a line, a column of `lines` */
	const char *text;
};

extern const struct compare_metric compare_metrics[];
extern const size_t compare_metric_count;

/* Expressions over table `change` of the database in memory, from which the columns are made. */
#define COMPARE_CHANGE "(coalesce(after, 0) - coalesce(before, 0))"
#define COMPARE_COLUMNS                                                                                                           \
	{"scope", "scope", REPORT_TEXT, false, "scope", "line or kernel"},                                                        \
		{"file", "file", REPORT_TEXT, true, "file", "source file in the newer run"},                                      \
		{"line", "line", REPORT_INT, true, "line", "line in the newer run"},                                              \
		{"line_before", "line before", REPORT_INT,                                                                        \
		 false,		"line_before", "line in the older run; empty: it is new"},                                        \
		{"column", "col", REPORT_INT, false, "\"column\"", "byte in the line, from 1"},                                   \
		{"kernel", "kernel", REPORT_TEXT, true, "kernel", "demangled"},                                                   \
		{"variant",                                                                                                       \
		 "variant",                                                                                                       \
		 REPORT_TEXT,                                                                                                     \
		 true,                                                                                                            \
		 "variant",                                                                                                       \
		 "of kernels: original, or instrumented (its clone, which runs longer)"},                                         \
		{"access", "access", REPORT_TEXT, true, "access", "load, store, atomic"},                                         \
		{"space", "space", REPORT_TEXT, true, "space", "global, lds, flat, ..."},                                         \
		{"metric", "metric", REPORT_TEXT, true, "metric", "what was counted or measured"},                                \
		{"before", "before", REPORT_REAL, true, "before", "empty: not in the older run"},                                 \
		{"after", "after", REPORT_REAL, true, "after", "empty: not in the newer run"},                                    \
		{"change",                                                                                                        \
		 "change",                                                                                                        \
		 REPORT_REAL,                                                                                                     \
		 true,                                                                                                            \
		 "CASE WHEN why IS NULL THEN " COMPARE_CHANGE " END",                                                             \
		 "after minus before; empty: not measured"},                                                                      \
		{"percent",                                                                                                       \
		 "%",                                                                                                             \
		 REPORT_REAL,                                                                                                     \
		 true,                                                                                                            \
		 "CASE WHEN before <> 0 AND why IS NULL THEN round(100.0 * " COMPARE_CHANGE                                       \
		 " / before, 2) END",                                                                                             \
		 "change relative to before; empty if that was 0"},                                                               \
		{"noise",                                                                                                         \
		 "noise",                                                                                                         \
		 REPORT_REAL,                                                                                                     \
		 false,                                                                                                           \
		 "round(noise, 1)",                                                                                               \
		 "changes up to this are not significant: twice the standard error; 0: exact; empty: measured "                   \
		 "once"},                                                                                                         \
		{"note",                                                                                                          \
		 "note",                                                                                                          \
		 REPORT_TEXT,                                                                                                     \
		 true,                                                                                                            \
		 "CASE WHEN why IS NOT NULL THEN why "                                                                            \
		 "WHEN before IS NULL AND EXISTS (SELECT 1 FROM kernel WHERE run = 0) THEN 'new' WHEN after IS NULL THEN 'gone' " \
		 "WHEN noise IS NULL THEN 'noise unknown: one dispatch' "                                                         \
		 "WHEN before IS NOT NULL AND noise > 0 AND abs(" COMPARE_CHANGE                                                  \
		 ") <= noise THEN 'within noise' ELSE '' END",                                                                    \
		 "new, gone, not measured with the reason, within noise, or empty"},                                              \
		{"source", "source", REPORT_TEXT,                                                                                 \
		 false,	   "source", "text of the line, without indentation"},
#define COMPARE_SORT "-scope,file,+line,kernel,variant,access,space,metric,+column"

/* The rows that changed; with --all also the unchanged ones. */
extern const struct report_query report_compare_query;

/*
 * Compares two files; `before` may be NULL, which compares with an empty run. The new database
 * refers to `report`, which must outlive it.
 */
struct probe_err *report_compare_open(const struct report *report, const char *before,
				      const char *after, struct report_db *ret);
/* The tables without rows, for the results of a comparison that failed. */
struct probe_err *report_compare_none(const struct report *report, struct report_db *ret);

#endif
