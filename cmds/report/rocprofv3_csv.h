/* SPDX-License-Identifier: MIT */
/* One PC sample per row, as rocprofv3 writes its CSV. */
#ifndef PROBE_CMDS_REPORT_ROCPROFV3_CSV_H
#define PROBE_CMDS_REPORT_ROCPROFV3_CSV_H

#include <stdbool.h>

struct probe_err;
struct report;
struct report_db;

struct probe_err *report_rocprofv3(const struct report *report, const struct report_db *db,
				   bool first);

#endif
