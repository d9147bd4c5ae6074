/* SPDX-License-Identifier: MIT */
/*
 * What was counted: one row per source position, kind of access and kernel; of a run of the kind
 * `count`, per position of a block. Sites at the same position (loops unrolled) are added up; cause
 * and fix are those of the site with the highest cost. The columns are the same whatever was
 * recorded, NULL where it is not known.
 */
#ifndef PROBE_CMDS_REPORT_LINES_QUERY_H
#define PROBE_CMDS_REPORT_LINES_QUERY_H

#include "cmds/report/query.h"

struct probe_err;
struct report;
struct report_db;

/* Without a database: the columns. */
struct probe_err *report_lines_query(const struct report *report, const struct report_db *db,
				     const struct report_query **ret);

#endif
