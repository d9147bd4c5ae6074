/* SPDX-License-Identifier: MIT */
/*
 * Handlers in processes of their own, one for each -a. They are fed from the database once the
 * records of a run are committed, so that nothing a handler does can lose records or change what
 * another handler writes. A handler that crashes, exits, takes too long for a call, or too much
 * memory, is named; `probe-report replay` runs it again over the same records.
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

/* Somebody wants to end early: poll `fd`; when it is readable, ask. */
struct handler_stop {
	int fd; /* -1 = nobody */
	bool (*requested)(void *user);
	void *user;
};

/* What the handlers of a run work on, and where what they write goes. */
struct handler_run {
	const char *database; /* read by the workers: all records are committed */
	struct probe_store *store;
	struct record_log *log;
	uint32_t kind;	   /* enum probe_kind */
	bool used;	   /* the process used a GPU: there was a run */
	bool replay;	   /* tables of an earlier run are replaced */
	const char *rerun; /* the file to run a handler again on */
	struct handler_stop stop;
};

/*
 * Start the processes and open the handlers in them, so that wrong arguments stop the run;
 * `instead` ends the error: "the program was not started". Configuration and plugins outlive them.
 * Not while other threads of this program run.
 */
struct probe_err *handler_workers_open(const struct run_config *config,
				       const struct run_plugins *plugins, const char *instead,
				       struct handler_workers **ret);
/*
 * Run all handlers to their ends, once. Returns how many did not get there, which the log names;
 * `counts` are those of the first that did.
 */
unsigned handler_workers_run(struct handler_workers *workers, const struct handler_run *run,
			     struct replay_counts *counts);
/* Ends the processes. */
void handler_workers_destroy(struct handler_workers *workers);

#endif
