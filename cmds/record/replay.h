/* SPDX-License-Identifier: MIT */
/*
 * Feeds handlers with the records of a database in the order of the original run. Agents, kernels
 * and code objects are read first, then the raw records in the order in which they were stored. The
 * database is not trusted: malformed records are counted and skipped.
 */
#ifndef PROBE_CMDS_RECORD_REPLAY_H
#define PROBE_CMDS_RECORD_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

struct handler_instance;
struct probe_err;

struct replay_counts {
	uint64_t dispatches, counters, records; /* delivered to the handler */
	uint64_t invalid;			/* malformed */
	uint64_t missing;			/* stored by the run, but no longer in the file */
};

/* What a worker process reads. */
struct replay_source {
	const char *path;
	uint32_t kind, flags; /* of the run: enum probe_kind, enum probe_run_flag */
	bool used;	      /* false: the process used no GPU, so there is nothing to deliver */
};

/* In a worker process: delivers the records to an open handler. */
struct probe_err *replay_into(struct handler_instance *handler, const struct replay_source *source,
			      struct replay_counts *counts);

#endif
