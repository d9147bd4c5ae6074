/* SPDX-License-Identifier: MIT */
/* Handlers run again over the records that a run stored, in processes of their own. */
#ifndef PROBE_CMDS_RECORD_RERUN_HANDLERS_H
#define PROBE_CMDS_RECORD_RERUN_HANDLERS_H

#include <stdbool.h>

#include "cmds/record/replay.h"

struct probe_err;
struct run_config;
struct run_plugins;

struct run_replay {
	const struct run_config *config; /* its handlers */
	const struct run_plugins *plugins;
	const char *from;
	const char *to; /* NULL: into `from` */
	bool force;
	struct replay_counts counts; /* out */
	unsigned dead;		     /* out: handlers that did not get to their end */
};

/* Tables of the same handlers are replaced. Handlers that fail are named, as in a run. */
struct probe_err *run_replay(struct run_replay *replay);

#endif
