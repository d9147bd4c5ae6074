/* SPDX-License-Identifier: MIT */
/* Exports a run in the formats of trace viewers. */
#ifndef PROBE_CMDS_REPORT_EXPORT_TRACE_H
#define PROBE_CMDS_REPORT_EXPORT_TRACE_H

#include <stdio.h>

struct probe_err;
struct report;
struct report_db;

/*
 * Trace Event Format of Chrome, which Perfetto also reads: a process per GPU, a thread per queue, a
 * complete event per dispatch. Times are microseconds since the first dispatch.
 */
struct probe_err *export_chrome(const struct report *report, const struct report_db *db, FILE *out);

/*
 * Perfetto's own format (protobuf): a track per queue, for the copies of a device, and per thread;
 * flows from calls to kernels and copies. Times are absolute, CLOCK_BOOTTIME, as in traces of the
 * system.
 */
struct probe_err *export_perfetto(const struct report *report, const struct report_db *db,
				  FILE *out);

/* The file format of speedscope: PC samples by stack. */
struct probe_err *export_speedscope(const struct report *report, const struct report_db *db,
				    FILE *out);

#endif
