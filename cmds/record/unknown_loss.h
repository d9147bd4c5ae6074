/* SPDX-License-Identifier: MIT */
/*
 * What can only be bounded: records of dispatches that never ended, which waves had not handed over
 * or the application had not fetched, and those in bytes of a ring that are malformed or unread.
 */
#ifndef PROBE_CMDS_RECORD_UNKNOWN_LOSS_H
#define PROBE_CMDS_RECORD_UNKNOWN_LOSS_H

#include <stdbool.h>
#include <stdint.h>

struct recording;

/* Of a stream. */
struct unknown_loss {
	uint64_t sources; /* dispatches, rings and samplers with records that nobody counted */
	uint64_t most;	  /* of these records */
	bool unbounded;	  /* there is no bound */
};

/* At the end, before the accounting: fills recording->counts.unknown. */
void unknown_loss_find(struct recording *recording);

#endif
