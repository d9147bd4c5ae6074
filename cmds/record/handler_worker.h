/* SPDX-License-Identifier: MIT */
/*
 * The process of a handler as probe-run sees it. handler_workers.c starts, watches and ends it;
 * handler_messages.c reads what it sends.
 */
#ifndef PROBE_CMDS_RECORD_HANDLER_WORKER_H
#define PROBE_CMDS_RECORD_HANDLER_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cmds/record/handler_tables.h"
#include "cmds/record/replay.h"

struct handler_progress;
struct handler_run;
struct run_config;
struct run_handler_spec;
struct run_plugin;

enum { HANDLER_TABLES_MAX = 64 };

/* How probe-run ended a worker's process, if it did. */
enum worker_kill {
	WORKER_NOT_KILLED,
	WORKER_OVERDUE,
	WORKER_EXCESSIVE,
	WORKER_UNSTORED, /* its rows cannot be stored */
	WORKER_STOPPED,
	WORKER_MALFORMED,
};

struct worker {
	struct handler_workers *set;
	const struct run_plugin *plugin;
	const struct run_handler_spec *spec;
	pid_t pid; /* -1 after it has been reaped */
	int fd, wait_status;
	uint64_t memory; /* bytes that the process had at most, when it has ended */
	struct handler_progress *progress;
	enum worker_kill killed;
	bool opened, done;
	bool dead;	 /* its process failed: of what it wrote, nothing is stored */
	bool failed;	 /* it returned an error, and got no more data */
	uint64_t output; /* bytes that it has sent */
	char *why_not;	 /* error text: it cannot be opened, or cannot read the records */
	struct handler_table *tables[HANDLER_TABLES_MAX];
	size_t table_count;
	unsigned char *buffer; /* incomplete messages */
	size_t used, capacity;
	unsigned char *early; /* messages with rows, from before the run; NULL */
	size_t early_size;
	struct replay_counts counts;
};

struct handler_workers {
	const struct run_config *config;
	const struct handler_run *run; /* NULL before the run */
	struct handler_tables tables;
	size_t count;
	struct worker worker[];
};

#endif
