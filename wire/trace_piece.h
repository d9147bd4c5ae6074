/* SPDX-License-Identifier: MIT */
/* Consecutive bytes of a trace ring, and the position of the reader. */
#ifndef PROBE_WIRE_TRACE_PIECE_H
#define PROBE_WIRE_TRACE_PIECE_H

#include <stddef.h>

/* `bytes` is aligned to 8, as are records in it. */
struct trace_piece {
	const unsigned char *bytes;
	size_t size, pos;
};

#endif
