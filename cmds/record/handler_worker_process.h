/* SPDX-License-Identifier: MIT */
/* The code that runs in a handler's process (handler_workers.h). */
#ifndef PROBE_CMDS_RECORD_HANDLER_WORKER_PROCESS_H
#define PROBE_CMDS_RECORD_HANDLER_WORKER_PROCESS_H

#include <stdint.h>

struct handler_progress;
struct run_handler_spec;
struct run_plugin;

struct handler_worker_task {
	const struct run_plugin *plugin;
	const struct run_handler_spec *spec;
	int fd; /* to and from probe-run */
	struct handler_progress *progress;
	uint64_t memory; /* limit in bytes beyond what is already mapped; UINT64_MAX = no limit */
};

/* Sent by probe-run once; the path of the database follows. */
struct handler_worker_order {
	uint32_t kind, flags; /* of the run: enum probe_kind, enum probe_run_flag */
	uint32_t used;
	uint32_t path_size; /* including its NUL */
};

/* Called after fork(). */
__attribute__((noreturn)) void handler_worker_main(const struct handler_worker_task *task);

#endif
