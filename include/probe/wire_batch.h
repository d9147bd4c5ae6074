/* SPDX-License-Identifier: MIT */
/*
 * Batches of measured accesses: between the code that the pass emits and the device library. Other
 * programs do not see them.
 *
 * In loops, optimised code of kind `memory` measures executions in batches. A wave stores
 * PROBE_BATCH_RECORDS of them, and then counts them together (devlib/access_batch.c). A record has
 * PROBE_BATCH_LANES entries of 8 bytes, of which the first ones are used, one for each active
 * lane, in the order of the lanes. An entry is the low half of the address, then the fields below.
 * Behind them, if PROBE_BATCH_ALSO is set, is the mask of further rows (measure_access.h).
 */
#ifndef PROBE_WIRE_BATCH_H
#define PROBE_WIRE_BATCH_H

enum {
	PROBE_BATCH_RECORDS = 32,
	PROBE_BATCH_LANES = 64,
	PROBE_BATCH_ENTRY = 8,
	PROBE_BATCH_STRIDE = (PROBE_BATCH_LANES + 1) * PROBE_BATCH_ENTRY, /* bytes of a record */
};
enum {
	PROBE_BATCH_LANE = 0x3f,  /* mask: number of the lane */
	PROBE_BATCH_LANES_AT = 6, /* bit from which on there is the number of active lanes */
	PROBE_BATCH_ALL = 0x7f,	  /* its mask; from here on bits: */
	PROBE_BATCH_ALSO = 13,	  /* are there further rows? */
	PROBE_BATCH_UNIT = 14,	  /* bytes per lane */
	PROBE_BATCH_ROW = 19,	  /* row of counters, relative to the first site's of the kernel */
	PROBE_BATCH_ROWS = 1 << 13,
};

#endif
