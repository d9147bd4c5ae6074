/* SPDX-License-Identifier: MIT */
/*
 * Bounds for losses that cannot be counted: records of dispatches that never ended, which waves had
 * not published or the library had not fetched, and records in malformed or unread bytes of a ring.
 */
#ifndef PROBE_CMDS_RECORD_UNKNOWN_LOSS_H
#define PROBE_CMDS_RECORD_UNKNOWN_LOSS_H

#include <stdbool.h>
#include <stdint.h>

struct recording;

/* The bounds of one stream. */
struct unknown_loss {
	uint64_t
		sources; /* dispatches, rings and samplers with records that could not be counted */
	uint64_t most;	 /* upper bound of the number of these records */
	bool unbounded;	 /* there is no bound */
};

/* At the end, before the accounting: fills recording->counts.unknown. */
void unknown_loss_find(struct recording *recording);

#endif
