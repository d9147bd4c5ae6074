/* SPDX-License-Identifier: MIT */
/* Runs handlers again on the records of a run, in processes of their own. */
#ifndef PROBE_CMDS_RECORD_RERUN_HANDLERS_H
#define PROBE_CMDS_RECORD_RERUN_HANDLERS_H

#include <stdbool.h>

#include "cmds/record/replay.h"

struct probe_err;
struct run_config;
struct run_plugins;

struct run_replay {
	const struct run_config *config; /* its handlers are run */
	const struct run_plugins *plugins;
	const char *from;
	const char *to; /* NULL: write into `from` */
	bool force;
	bool idle; /* a handler may have nothing to take, as in a run */
	struct replay_counts counts; /* out */
	unsigned failed;	     /* out: number of handlers that failed */
};

/* Replaces the tables of the same handlers. Handlers that fail are named, as in a run. */
struct probe_err *run_replay(struct run_replay *replay);

#endif
