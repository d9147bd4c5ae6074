/* SPDX-License-Identifier: MIT */
/*
 * One handler of -a in its worker process; it fulfils the contract of handler.h. Its rows and
 * messages go to probe-run through the channel. After a failure it receives no more data and is
 * closed.
 */
#ifndef PROBE_CMDS_RECORD_HANDLER_INSTANCE_H
#define PROBE_CMDS_RECORD_HANDLER_INSTANCE_H

#include <stdbool.h>
#include <stdint.h>

#include <probe/handler.h>

struct handler_channel;
struct handler_instance;
struct probe_err;
struct process_objects;
struct run_allocations;
struct run_handler_spec;
struct run_plugin;

/* The input of a handler. It outlives the instance. */
struct handler_source {
	const struct process_objects *objects; /* for sites */
	const struct run_allocations *allocations;
	uint32_t kind;	/* enum probe_kind of the run */
	uint32_t flags; /* enum probe_run_flag */
};

/* NULL without memory. All arguments outlive it. */
struct handler_instance *handler_instance_create(const struct run_plugin *plugin,
						 const struct run_handler_spec *spec,
						 struct handler_channel *channel);
/* Closes the handler if it is open. */
void handler_instance_destroy(struct handler_instance *instance);

/* Called before there is any input, so that wrong arguments stop the run. */
struct probe_err *handler_instance_open(struct handler_instance *instance);
/* Sets the input for all later calls. */
void handler_instance_attach(struct handler_instance *instance,
			     const struct handler_source *source);

void handler_instance_begin_run(struct handler_instance *instance);
void handler_instance_begin_dispatch(struct handler_instance *instance,
				     const struct probe_dispatch_info *info);
/* Skips a batch without records. */
void handler_instance_batch(struct handler_instance *instance, const struct probe_batch *batch);
void handler_instance_end_dispatch(struct handler_instance *instance,
				   const struct probe_dispatch_info *info);
/* Ends the run and closes the handler. */
void handler_instance_close(struct handler_instance *instance);

#endif
