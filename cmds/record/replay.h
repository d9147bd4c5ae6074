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

struct probe_err;
struct run_config;
struct run_plugins;

struct run_replay {
	const struct run_config *config; /* its handlers */
	const struct run_plugins *plugins;
	const char *from;
	const char *to; /* NULL: into `from` */
	bool force;
	uint64_t dispatches, counters, records,
		invalid;  /* out: fed to handlers, or not understood */
	uint64_t missing; /* out: that the run stored, and that are not in the file any more */
};

/* Tables of the same handlers are replaced. Handlers that fail are named, as in a run. */
struct probe_err *run_replay(struct run_replay *replay);

#endif
