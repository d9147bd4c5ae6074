/* SPDX-License-Identifier: MIT */
/*
 * The handlers of a run, each -a an instance: what handler.h promises them, and their failures
 * contained. An instance that fails is named, gets no more data and is closed; the others do not
 * notice. What they look up and write is injected: a recording and a replay use the same set.
 */
#ifndef PROBE_CMDS_RECORD_HANDLER_SET_H
#define PROBE_CMDS_RECORD_HANDLER_SET_H

#include <stdbool.h>

#include <probe/handler.h>

struct handler_set;
struct probe_err;
struct probe_store;
struct process_objects;
struct record_log;
struct run_allocations;
struct run_config;
struct run_plugins;

/* What handlers work on. It outlives the set. */
struct handler_source {
	struct probe_store *store; /* for their tables */
	struct record_log *log;
	const struct process_objects *objects; /* for sites */
	const struct run_allocations *allocations;
	bool replay; /* tables of an earlier run are replaced */
};

/* NULL without memory. Configuration and plugins outlive it. */
struct handler_set *handler_set_create(const struct run_config *config,
				       const struct run_plugins *plugins);
/* Closes instances that are open. */
void handler_set_destroy(struct handler_set *set);

/*
 * Open the instances before there is anything to work on, so that wrong arguments stop the run;
 * `instead` ends the error: "the program was not started".
 */
struct probe_err *handler_set_open(struct handler_set *set, const char *instead);
/* From now on they work on this; instances not yet open are opened. */
void handler_set_attach(struct handler_set *set, const struct handler_source *source);

/* Once the process is known. A second call does nothing. */
void handler_set_begin_run(struct handler_set *set);
void handler_set_begin_dispatch(struct handler_set *set, const struct probe_dispatch_info *info);
/* A batch without records is left out. */
void handler_set_batch(struct handler_set *set, const struct probe_batch *batch);
void handler_set_end_dispatch(struct handler_set *set, const struct probe_dispatch_info *info);
/* Ends the run and closes the instances. */
void handler_set_close(struct handler_set *set);

#endif
