/* SPDX-License-Identifier: MIT */
/* Queries for trace viewers: tracks, events on them, and arrows from calls to what they launched.
 */
#ifndef PROBE_CMDS_REPORT_VIEWER_EVENTS_H
#define PROBE_CMDS_REPORT_VIEWER_EVENTS_H

#include <stdint.h>

#include "cmds/report/report_db.h"

struct probe_err;
struct report;

/* A track has a process and a thread: a device and a queue, or a process and a thread. */
enum track_field { T_PID, T_TID, T_PROCESS, T_THREAD };
extern const char viewer_tracks_sql[];

/* Copies of a device have this thread. */
#define VIEWER_COPIES 1000000
/* Processes of the host begin here; devices are below. */
#define VIEWER_HOST	1000000
#define VIEWER_PER_FILE 10000000 /* of the host, per process with --merge */

/* Times are ns (CLOCK_BOOTTIME); rows are in the order of their start. */
enum dispatch_field {
	D_KERNEL,
	D_AGENT,
	D_QUEUE,
	D_START,
	D_DURATION,
	D_DISPATCH,
	D_CLONE,
	D_GRID,
	D_GROUP,
	D_LDS,
	D_CORRELATION,
};
extern const char viewer_dispatches_sql[];
/* With names as the HTML page shows them (text_sql.h). */
extern const char viewer_dispatches_cut_sql[];

/* Copies, calls, ranges and marks; of those with the same start, the longest first. */
enum event_field { E_CATEGORY, E_NAME, E_PID, E_TID, E_START, E_DURATION, E_CORRELATION, E_BYTES };
extern const char viewer_events_sql[];

/* The same of waves, and regions, functions and blocks in them; also the dispatch. */
enum { E_DISPATCH = E_BYTES + 1 };
extern const char viewer_waves_sql[];

/* Id, then process, thread and time of both ends. */
extern const char viewer_arrows_sql[];

/*
 * Values that change: dispatches in flight by queue, bytes in flight and bytes per second by
 * direction of copies, and memory that is allocated, which is known at dispatches only. A row for
 * each change, by process and name in the order of time. C_PROCESS: its name, if it may have no
 * track; else NULL.
 */
enum counter_field { C_PID, C_PROCESS, C_NAME, C_UNIT, C_TIME, C_VALUE };
extern const char viewer_counters_sql[];
#define VIEWER_UNIT_DISPATCHES "dispatches"
#define VIEWER_UNIT_BYTES      "bytes"

/* Before any of these queries. */
struct probe_err *viewer_open(const struct report_db *db);

/* Calls `fn` for each row of one of these queries, of the kernels that the options select. */
struct probe_err *viewer_each(const struct report *report, const struct report_db *db,
			      const char *sql, void (*fn)(void *user, sqlite3_stmt *stmt),
			      void *user);

/* Start of the first event, ns. */
struct probe_err *viewer_first(const struct report_db *db, int64_t *ret);

#endif
