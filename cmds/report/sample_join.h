/* SPDX-License-Identifier: MIT */
/*
 * Where waves waited, and the requests to memory there: samples of original kernels and counters of
 * their clones, of one database (or two runs joined), by kernel, source line and memory. What a fix
 * would save is a model:
 *
 *   waiting samples x avoidable share / samples of the kernel x time of the kernel
 *
 * summed over launch shapes.
 *
 * Samples of the kernel are those of all its dispatches, including functions that were not inlined.
 * A sample waits for a line's accesses if it is at an s_waitcnt that waits for them (its samples
 * are divided among them: codeobj/wait_producers.h), or at one of them while it cannot issue. The
 * avoidable share is that of its LDS passes, or of its requests for cache lines of 64 or 128 bytes.
 * The model assumes that waves fill the kernel's time as they do now and find nothing else to wait
 * for. It bounds nothing: where other waves wait at a barrier for the one that waits here, or few
 * waves work at that time, a fix saves more. Neither samples nor probes know what hit in a cache:
 * requests to global memory may save nothing, so rows are sorted by the middle of the range.
 */
#ifndef PROBE_CMDS_REPORT_SAMPLE_JOIN_H
#define PROBE_CMDS_REPORT_SAMPLE_JOIN_H

#include <stdbool.h>

#include "cmds/report/query.h"

struct probe_err;
struct report;
struct report_db;

/* True if the database has samples of original kernels and counters of their clones. */
struct probe_err *report_joined(const struct report_db *db, bool *ret);
/* If it has both but they cannot be joined, says why: in a table as text, else as a warning. */
struct probe_err *report_not_joined(const struct report *report, const struct report_db *db);
/* The same for `lines`, whose queries of some dispatches or of launch shapes use no samples. */
struct probe_err *report_lines_not_joined(const struct report *report, const struct report_db *db);

#endif
