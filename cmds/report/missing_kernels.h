/* SPDX-License-Identifier: MIT */
/* What to say where -k matches no kernel that ran. */
#ifndef PROBE_CMDS_REPORT_MISSING_KERNELS_H
#define PROBE_CMDS_REPORT_MISSING_KERNELS_H

#include <stdbool.h>

struct probe_err;
struct report;
struct report_db;

/* "no kernel matches 'x'; kernels that ran: a; b": in a table, else as a warning. */
struct probe_err *report_no_kernel(const struct report *report, const struct report_db *db,
				   bool *none);

#endif
