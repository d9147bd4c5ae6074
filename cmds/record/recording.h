/* SPDX-License-Identifier: MIT */
/*
 * The recording of one process: the objects it has announced, its database, and the losses.
 * recorder.h decides where records come from, and when.
 *
 * Data from the process is not trusted (segment_reader.h). Malformed records are counted.
 */
#ifndef PROBE_CMDS_RECORD_RECORDING_H
#define PROBE_CMDS_RECORD_RECORDING_H

#include "cmds/record/call_records.h"
#include "cmds/record/counter_records.h"
#include "cmds/record/launch_stacks.h"
#include "cmds/record/loss_accounting.h"
#include "cmds/record/process_objects.h"
#include "cmds/record/record_log.h"
#include "cmds/record/sample_records.h"
#include "cmds/record/source_files.h"
#include "cmds/record/trace_records.h"
#include "store/store.h"
#include "store/store_facts.h"

struct handler_stop;
struct handler_workers;
struct run_allocations;
struct run_config;

struct recording {
	const struct run_config *config;
	const char
		*name; /* which no other recording has; "" if no recorder could continue this one */
	struct probe_store *store;
	struct probe_facts *facts;
	struct record_log log;
	struct process_objects objects;
	struct run_allocations *allocations;
	struct counter_state counters;
	struct trace_state trace;
	struct sample_state samples;
	struct call_state calls;
	struct launch_stacks stacks;
	struct record_counts counts;
	struct source_files sources;
	char *foreign; /* foreign_code_reason(), at the end */
};

/* What is known of a recording when its database is closed. */
struct recording_outcome {
	uint64_t lost;	   /* accounting_lost() */
	uint64_t stored;   /* accounting_stored() */
	bool tables;	   /* the database has its tables */
	bool failed;	   /* it could not be written to its end */
	bool used;	   /* the process used a GPU, so handlers have a run */
	bool probed;	   /* instrumented kernels ran */
	char partial[160]; /* "" = not partial */
};

/* Takes ownership of the store; call deinit also after an error. The segment must outlive it. */
struct probe_err *recording_init(struct recording *recording, const struct run_config *config,
				 pid_t pid, struct probe_store *store,
				 struct segment_reader *segment);
void recording_deinit(struct recording *recording);

/* Creates the schema and stores the settings of the run. */
void recording_begin(struct recording *recording);
/*
 * All records have been read: commits them. `ended`: why there may be fewer than the process made,
 * or NULL.
 */
void recording_end(struct recording *recording, const char *ended);
/* After that: leaves a single file. Only handlers add to it. */
void recording_finish(struct recording *recording);
void recording_outcome(const struct recording *recording, struct recording_outcome *ret);
/*
 * Runs handlers over the finished file `path`, and stores their tables in it. `outcome`: its own,
 * which gets to be partial if a handler fails.
 */
struct probe_err *recording_run_handlers(const char *path, struct recording_outcome *outcome,
					 const struct run_config *config,
					 struct handler_workers *workers,
					 const struct handler_stop *stop);

#endif
