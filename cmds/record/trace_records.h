/* SPDX-License-Identifier: MIT */
/*
 * Reads pieces of trace rings (spool.h). A piece is stored unchanged; it is expanded
 * (trace_expand.h) and parsed only to count its records. Handlers get the records from the database
 * (replay.h).
 */
#ifndef PROBE_CMDS_RECORD_TRACE_RECORDS_H
#define PROBE_CMDS_RECORD_TRACE_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/trace_parser.h"
#include "wire/trace_expand.h"

struct handler_instance;
struct segment_reader;
struct recording;
struct run_dispatch;

/* The dispatch that bytes belong to, with the state needed to read them. */
struct trace_dispatch {
	uint64_t id;
	struct run_dispatch *dispatch; /* NULL = unknown */
	uint32_t site_limit;	       /* 0 if it is unknown */
	struct probe_trace_key key;
};

struct process_objects;
struct trace_dispatch trace_dispatch_find(const struct process_objects *objects, uint64_t id);

struct trace_state {
	struct segment_reader *segment;
	struct probe_trace_ring *rings;
	struct probe_trace_expander *expanders; /* by ring */
	struct probe_trace_batch batch;
	struct trace_dispatch current; /* cached until another dispatch begins */
	unsigned char *piece;	       /* bytes for trace_read_waves() */
	unsigned char *expanded;       /* a part of it */
};

/* The segment must outlive it. */
struct probe_err *trace_init(struct trace_state *trace, struct segment_reader *segment);
void trace_deinit(struct trace_state *trace);

/* Reads a piece of a ring; the dispatches of its waves have been announced. */
void trace_read_ring(struct recording *recording, uint32_t ring, const unsigned char *bytes,
		     size_t size);
/* After the last piece of a round (spool.h), before dispatches end. */
void trace_end_pass(struct recording *recording);
/*
 * Reads the first bytes of trace.piece, which do not come from a ring: whole waves of a known
 * dispatch.
 */
void trace_read_waves(struct recording *recording, size_t size);

/* Initialises an empty batch; false without memory. Call deinit in either case. */
bool trace_batch_init(struct probe_trace_batch *batch);
void trace_batch_deinit(struct probe_trace_batch *batch);
size_t trace_batch_count(const struct probe_trace_batch *batch);
/*
 * Delivers a batch to a handler, stream by stream, and empties it. dispatch NULL: only empties it.
 */
void trace_batch_deliver(struct probe_trace_batch *batch, const struct run_dispatch *dispatch,
			 struct handler_instance *handler);

#endif
