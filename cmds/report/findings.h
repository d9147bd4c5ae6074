/* SPDX-License-Identifier: MIT */
/* Findings sorted by cost: which are shown, and how many are not. */
#ifndef PROBE_CMDS_REPORT_FINDINGS_H
#define PROBE_CMDS_REPORT_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>

struct probe_err;
struct report;
struct report_db;
struct report_query;

/* The number that `lines` shows unless --limit is given. */
enum { FINDINGS_MAX = 20 };

/* Findings of the query, at most `limit` (-1: FINDINGS_MAX); brief: one line each. */
struct probe_err *report_findings(const struct report *report, const struct report_db *db,
				  const struct report_query *query, int64_t limit, bool brief);

#endif
