/* SPDX-License-Identifier: MIT */
/*
 * Where waves waited, and what the memory system did there: samples of original kernels and
 * counters of their clones, of one database (two runs put together), by kernel, source line and
 * memory. What a fix would save is a model:
 *
 *   waiting samples x avoidable part / samples of the kernel x time of the kernel
 *
 * Samples of the kernel are all of its dispatches, also those in functions that were not inlined.
 * A sample waits for a line's accesses if it stands at an s_waitcnt that waits for them (its
 * samples are divided among them, kernel_code.h), or at one of them while it cannot issue. The
 * avoidable part is that of its LDS passes, or of its lines of 64 or 128 bytes. Waves are taken to
 * fill the kernel's time as they do now, and to find nothing else to wait for: rather an upper
 * bound. Neither samples nor probes tell what hit a cache: of lines of memory nothing may be saved,
 * so rows stand in the order of the middle.
 */
#ifndef PROBE_CMDS_REPORT_SAMPLE_JOIN_H
#define PROBE_CMDS_REPORT_SAMPLE_JOIN_H

#include <stdbool.h>

#include "cmds/report/query.h"

struct probe_err;
struct report;
struct report_db;

extern const struct report_query report_join_query;

/* Has the database samples of original kernels, and what probes counted in clones of them? */
struct probe_err *report_joined(const struct report_db *db, bool *ret);
/* If it has both but they cannot be joined, say why: in a table's text, else as a warning. */
struct probe_err *report_not_joined(const struct report *report, const struct report_db *db);

#endif
