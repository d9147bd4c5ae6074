/* SPDX-License-Identifier: MIT */
/* Reports that -k matches no kernel that ran. */
#ifndef PROBE_CMDS_REPORT_MISSING_KERNELS_H
#define PROBE_CMDS_REPORT_MISSING_KERNELS_H

#include <stdbool.h>

struct probe_err;
struct report;
struct report_db;

/* Writes "no kernel matches 'x'; kernels that ran: a; b": in a table as text, else as a warning. */
struct probe_err *report_no_kernel(const struct report *report, const struct report_db *db,
				   bool *none);

#endif
