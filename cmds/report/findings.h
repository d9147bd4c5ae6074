/* SPDX-License-Identifier: MIT */
/* Findings as text: position, source line, caret, cost, cause, fix. */
#ifndef PROBE_CMDS_REPORT_FINDINGS_H
#define PROBE_CMDS_REPORT_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>

struct probe_err;
struct report;
struct report_db;

/* Findings of the report's lines, at most `limit` (-1 = all); brief: one line each. */
struct probe_err *report_findings(const struct report *report, const struct report_db *db,
				  int64_t limit, bool brief);

#endif
