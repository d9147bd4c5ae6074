/* SPDX-License-Identifier: MIT */
/*
 * The rows of `lines`: one per source position, kind of access and kernel; with kind `count`, one
 * per position of a block. Sites at the same position (unrolled loops) are added up; cause and fix
 * are those of the site with the highest cost. The columns are the same for every run, with NULL
 * for unknown values.
 */
#ifndef PROBE_CMDS_REPORT_LINES_QUERY_H
#define PROBE_CMDS_REPORT_LINES_QUERY_H

#include "cmds/report/query.h"

struct probe_err;
struct report;
struct report_db;

/* Without a database, it returns only the columns. */
struct probe_err *report_lines_query(const struct report *report, const struct report_db *db,
				     const struct report_query **ret);

#endif
