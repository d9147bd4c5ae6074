/* SPDX-License-Identifier: MIT */
/*
 * Expands the device's compact records (wire_device.h: BLOCK and below) to those that handlers use:
 * one record per access. Done when rings are drained, to count records, and in a replay.
 */
#ifndef PROBE_WIRE_TRACE_EXPAND_H
#define PROBE_WIRE_TRACE_EXPAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wire/trace_group.h"
#include "wire/trace_piece.h"

/* What is needed to expand the records of a dispatch. */
struct probe_trace_key {
	const struct probe_trace_groups *groups; /* NULL = none */
	uint32_t grid[3], group[3];		 /* work-items, of the launch and a workgroup */
	uint64_t rows;				 /* probe_trace_rows() of the launch */
	const unsigned char *arguments;		 /* of the kernel; NULL = unknown */
	uint32_t argument_bytes;
};

/* State of a ring's stream between pieces. Initialised to zero. */
struct probe_trace_expander {
	uint64_t dispatch;  /* of the last wave */
	uint64_t exec;	    /* of it, or of the EXEC record since */
	uint64_t rows;	    /* lanes of its ROWS record; 0 = there was none */
	uint32_t item;	    /* of its first lane, as in WAVE_ITEM */
	uint32_t size[2];   /* x and y of its workgroup */
	uint64_t records;   /* read so far, a BLOCK as its accesses */
	uint64_t bad_bytes; /* bytes of malformed records, and the rest of their pieces */
	size_t rest;	    /* at the end of the last piece: bytes that are no records */
};

/* Minimum capacity: the sites of a group with 64 addresses each. */
#define PROBE_TRACE_EXPAND_MIN (PROBE_GROUP_SITES * (sizeof(struct probe_rec_lanes) + 512))

/*
 * Expand the whole records of the rest of the piece, and return the bytes written, a multiple of 8.
 * It stops at the end, without capacity for the next record, and before a wave of another dispatch
 * unless that is the first record. `key` is that of probe_trace_expand_dispatch(). From a malformed
 * record on, bytes are copied unchanged, for the parser to reject; these, and those after a PAD,
 * are state->rest. Expanding what is already expanded changes nothing.
 */
size_t probe_trace_expand(struct trace_piece *piece, const struct probe_trace_key *key,
			  struct probe_trace_expander *state, unsigned char *out, size_t capacity);

/* The dispatch of the next record, if it is a wave; else state->dispatch. */
uint64_t probe_trace_expand_dispatch(const struct trace_piece *piece,
				     const struct probe_trace_expander *state);

#endif
