/* SPDX-License-Identifier: MIT */
/*
 * Feed handlers from the records of a database, as they were fed when the program ran. Agents,
 * kernels and code objects are read first, then the raw records in the order in which they were
 * stored. The database is not trusted: what is malformed is counted and left out.
 */
#ifndef PROBE_CMDS_RECORD_REPLAY_H
#define PROBE_CMDS_RECORD_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

struct handler_instance;
struct probe_err;

struct replay_counts {
	uint64_t dispatches, counters, records; /* fed to the handler */
	uint64_t invalid;			/* malformed */
	uint64_t missing; /* that the run stored, and that are not in the file any more */
};

/* What a worker process reads. */
struct replay_source {
	const char *path;
	uint32_t kind, flags; /* of the run: enum probe_kind, enum probe_run_flag */
	bool used;	      /* false: the process used no GPU, there is nothing to feed */
};

/* In a worker process: feed an open handler. */
struct probe_err *replay_into(struct handler_instance *handler, const struct replay_source *source,
			      struct replay_counts *counts);

#endif
