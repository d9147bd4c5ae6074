/* SPDX-License-Identifier: MIT */
/* What to say, and to do, where no instrumented kernel ran. */
#ifndef PROBE_CMDS_REPORT_MISSING_CLONES_H
#define PROBE_CMDS_REPORT_MISSING_CLONES_H

#include <stdbool.h>

struct probe_err;
struct report;
struct report_db;

/* Prints it; *missing = false: an instrumented kernel ran, and nothing was printed. */
struct probe_err *report_no_clones(const struct report *report, const struct report_db *db,
				   bool *missing);

#endif
