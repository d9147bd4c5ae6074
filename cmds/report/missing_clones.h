/* SPDX-License-Identifier: MIT */
/* Explains why no instrumented kernel ran, and what to do. */
#ifndef PROBE_CMDS_REPORT_MISSING_CLONES_H
#define PROBE_CMDS_REPORT_MISSING_CLONES_H

#include <stdbool.h>

struct probe_err;
struct report;
struct report_db;

/* Prints it. *missing = false means that an instrumented kernel ran; nothing is printed then. */
struct probe_err *report_no_clones(const struct report *report, const struct report_db *db,
				   bool *missing);

#endif
