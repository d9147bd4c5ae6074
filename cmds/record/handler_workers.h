/* SPDX-License-Identifier: MIT */
/*
 * Runs handlers in processes of their own, one for each -a. They read the database after the
 * records of a run are committed. A handler can therefore neither lose records nor change the
 * output of another handler. If a handler crashes, exits, or exceeds its time or memory limit,
 * probe-run names it; `probe-report replay` runs it again on the same records.
 */
#ifndef PROBE_CMDS_RECORD_HANDLER_WORKERS_H
#define PROBE_CMDS_RECORD_HANDLER_WORKERS_H

#include <stdbool.h>
#include <stdint.h>

#include "cmds/record/replay.h"

struct handler_workers;
struct probe_err;
struct probe_store;
struct record_log;
struct run_config;
struct run_plugins;

/* Lets the caller end the handlers early: poll `fd`, and when it is readable, call the function. */
struct handler_stop {
	int fd; /* -1 = none */
	bool (*requested)(void *user);
	void *user;
};

/* The input of a run's handlers, and the destination of their output. */
struct handler_run {
	const char *database; /* read by the workers: all records are committed */
	struct probe_store *store;
	struct record_log *log;
	uint32_t kind;	   /* enum probe_kind */
	bool used;	   /* the process used a GPU, so there was a run */
	bool replay;	   /* replace tables of an earlier run */
	const char *rerun; /* the file on which to run a handler again */
	struct handler_stop stop;
};

/*
 * Starts the processes and opens the handlers in them, so that wrong arguments stop the run;
 * `instead` ends the error message: "the program was not started". Configuration and plugins must
 * outlive them. Do not call while other threads of this program run.
 */
struct probe_err *handler_workers_open(const struct run_config *config,
				       const struct run_plugins *plugins, const char *instead,
				       struct handler_workers **ret);
/*
 * Runs all handlers to their ends, once. Returns how many failed; the log names them. `counts` are
 * those of the first that succeeded.
 */
unsigned handler_workers_run(struct handler_workers *workers, const struct handler_run *run,
			     struct replay_counts *counts);
/* Ends the processes. */
void handler_workers_destroy(struct handler_workers *workers);

#endif
