/* SPDX-License-Identifier: MIT */
/*
 * Parses records of the trace kind (wire_device.h section 5) into the batches that handlers
 * receive. Used when rings are drained and when stored pieces are read again; neither is trusted.
 */
#ifndef PROBE_WIRE_TRACE_PARSER_H
#define PROBE_WIRE_TRACE_PARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <probe/handler.h>
#include <probe/wire.h>

#include "wire/trace_piece.h"

/* State of a ring's stream between pieces. Initialised to zero. */
struct probe_trace_ring {
	uint64_t dispatch; /* 0 = before the first wave */
	uint32_t number;   /* of the ring; set by the caller */
	struct probe_wave_info wave;
};

/*
 * Arrays of the caller. Accesses and messages point into the parsed bytes, and all point into
 * waves[]. An array may have capacity 0 if its records cannot occur; they would be counted as
 * invalid.
 */
struct probe_trace_batch {
	struct probe_access *access;
	size_t count, capacity;
	struct probe_stamp *stamps;
	size_t stamp_count, stamp_capacity;
	struct probe_message *messages;
	size_t message_count, message_capacity;
	struct probe_wave_info *waves;
	size_t wave_count, wave_capacity;
};

enum probe_trace_stop {
	PROBE_TRACE_END,    /* all bytes are done */
	PROBE_TRACE_FULL,   /* the batch is full: empty it and continue */
	PROBE_TRACE_SWITCH, /* a wave of another dispatch has begun: ring->dispatch is the new one
			     */
	PROBE_TRACE_BAD,    /* the bytes from the position on are malformed */
};

/* Counters of the caller, added to. */
struct probe_trace_counts {
	uint64_t records; /* valid records of all forms except PAD */
	uint64_t invalid; /* of those, not in the batch: no such site, no wave, no lane */
};

/*
 * Parse the rest of the piece. `sites`: site ids below it are valid. The bytes must stay unchanged
 * until the batch has been used. On PROBE_TRACE_SWITCH the position is after the wave record; the
 * caller flushes the batch, which belongs to the dispatch before.
 */
enum probe_trace_stop probe_trace_parse(struct trace_piece *piece, uint32_t sites,
					struct probe_trace_ring *ring,
					struct probe_trace_batch *batch,
					struct probe_trace_counts *counts);

/* Empty the batch. */
void probe_trace_reset(struct probe_trace_batch *batch);

#endif
