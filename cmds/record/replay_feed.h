/* SPDX-License-Identifier: MIT */
/* Declarations shared by the files of a replay; see replay.h. */
#ifndef PROBE_CMDS_RECORD_REPLAY_FEED_H
#define PROBE_CMDS_RECORD_REPLAY_FEED_H

#include <stdbool.h>
#include <stdint.h>

#include <sqlite3.h>

#include "cmds/record/process_objects.h"
#include "cmds/record/replay.h"
#include "store/store_open.h"
#include "wire/trace_parser.h"

struct handler_instance;
struct run_allocations;

struct replay_feed {
	struct replay_counts *counts;
	struct probe_reader reader;
	struct process_objects objects;
	struct run_allocations *allocations;
	struct handler_instance *handler;
	sqlite3_stmt *dispatches; /* rows not begun yet, sorted by id */
	bool dispatches_left;
	uint64_t *last; /* pairs (dispatch, id of its last record), sorted by dispatch */
	size_t last_count;
	struct probe_trace_ring *rings;
	uint32_t ring_count;
	struct probe_trace_batch batch;
	unsigned char *bytes;		     /* of one piece */
	uint64_t wave_records, counter_rows; /* found, including malformed ones */
};

struct probe_err *replay_prepare(const struct replay_feed *feed, const char *sql,
				 sqlite3_stmt **ret);
/* *row = false at the end. */
struct probe_err *replay_step(const struct replay_feed *feed, sqlite3_stmt *stmt, bool *row);
/* Calls `take` for each row of a query; rows that it refuses are counted. */
struct probe_err *replay_each(struct replay_feed *feed, const char *sql,
			      bool (*take)(struct replay_feed *feed, sqlite3_stmt *stmt));

static inline uint64_t replay_number(sqlite3_stmt *stmt, int column)
{
	return (uint64_t)sqlite3_column_int64(stmt, column);
}

/*
 * Reads what the process announced (agents, kernels, code, allocations), and the last record of
 * each dispatch.
 */
struct probe_err *replay_read(struct replay_feed *feed);

/* Counts the wave records and counter rows that the run stored but that were not found. */
struct probe_err *replay_missing(struct replay_feed *feed);

#endif
