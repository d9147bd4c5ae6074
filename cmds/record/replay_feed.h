/* SPDX-License-Identifier: MIT */
/* Declarations shared by the files of a replay; see replay.h. */
#ifndef PROBE_CMDS_RECORD_REPLAY_FEED_H
#define PROBE_CMDS_RECORD_REPLAY_FEED_H

#include <stdbool.h>
#include <stdint.h>

#include <sqlite3.h>

#include "cmds/record/process_objects.h"
#include "cmds/record/replay.h"
#include "store/record_block.h"
#include "store/store_open.h"
#include "wire/trace_expand.h"
#include "wire/trace_parser.h"

struct handler_instance;
struct run_allocations;

/* The stream of a ring. */
struct replay_ring {
	struct probe_trace_expander expander;
	struct probe_trace_ring ring;
};

/* The number of the last span of a dispatch; spans are numbered from 1. */
struct replay_last {
	uint64_t dispatch, span;
};

struct replay_feed {
	struct replay_counts *counts;
	struct probe_reader reader;
	struct process_objects objects;
	struct run_allocations *allocations;
	struct handler_instance *handler;
	sqlite3_stmt *dispatches; /* rows not begun yet, sorted by id */
	bool dispatches_left;
	struct replay_last *last; /* sorted by dispatch */
	size_t last_count;
	uint64_t spans; /* numbered so far */
	struct replay_ring *rings;
	uint32_t ring_count;
	struct probe_trace_batch batch;
	struct probe_block block;
	unsigned char *expanded;	     /* a part of a span */
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

/* replay_dispatches.c: the number of a dispatch's last span, 0 = it has none. */
uint64_t replay_last_span(const struct replay_feed *feed, uint64_t dispatch);
struct probe_err *replay_open_dispatches(struct replay_feed *feed);
/* Begins all dispatches up to one, in launch order. */
struct probe_err *replay_begin_up_to(struct replay_feed *feed, uint64_t id);
void replay_end_dispatch(struct replay_feed *feed, struct run_dispatch *dispatch);
void replay_end_all(struct replay_feed *feed);

/* replay_trace.c: finds the last spans; feeds the trace records; frees all of it. */
struct probe_err *replay_read_spans(struct replay_feed *feed);
struct probe_err *replay_trace(struct replay_feed *feed);
void replay_trace_deinit(struct replay_feed *feed);

/* Reads what the process announced (agents, kernels, code, allocations). */
struct probe_err *replay_read(struct replay_feed *feed);

/* Counts the wave records and counter rows that the run stored but that were not found. */
struct probe_err *replay_missing(struct replay_feed *feed);

#endif
