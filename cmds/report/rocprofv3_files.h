/* SPDX-License-Identifier: MIT */
/*
 * rocprofv3's CSV files about kernels, column by column (rocprofiler-sdk 1.0.0), for existing
 * scripts. PREFIX_kernel_trace.csv has a row per dispatch, PREFIX_kernel_stats.csv one per kernel.
 */
#ifndef PROBE_CMDS_REPORT_ROCPROFV3_FILES_H
#define PROBE_CMDS_REPORT_ROCPROFV3_FILES_H

struct probe_err;
struct report;
struct report_db;

struct probe_err *rocprofv3_write_files(const struct report *report, const struct report_db *db);

#endif
