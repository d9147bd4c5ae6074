/* SPDX-License-Identifier: MIT */
/*
 * The processes of a run: their databases, and what is known of those that are complete, so that
 * nothing else of them is kept until the run ends. In memory that probe-run and the recorder share:
 * a recorder in place of one that has died knows what that one has done.
 */
#ifndef PROBE_CMDS_RUN_RUN_LEDGER_H
#define PROBE_CMDS_RUN_RUN_LEDGER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "cmds/record/recording.h"

enum ledger_state {
	LEDGER_OPEN = 0, /* being recorded; its spool may have all that was read */
	LEDGER_COMPLETE, /* the database is closed, and has all records */
	LEDGER_FAILED,	 /* the database could not be written; its spool has all records */
	LEDGER_DISCARDED,
};

struct ledger_entry {
	_Atomic enum ledger_state state;
	uint32_t size; /* in bytes, with the path */
	pid_t pid;
	uint64_t device, inode; /* of the database, once it is complete */
	uint32_t handler_runs;	/* recorders that began to run handlers over it */
	/* If complete or failed: */
	struct recording_outcome outcome;
	uint64_t summary; /* its offset; 0 = none */
	char path[];	  /* of the database */
};

struct run_ledger;

/* NULL without memory. */
struct run_ledger *run_ledger_create(void);
void run_ledger_destroy(struct run_ledger *ledger);
/* NULL if it is full. */
struct ledger_entry *run_ledger_add(struct run_ledger *ledger, pid_t pid, const char *path);
/* The entry after `entry`, in the order of their addition; NULL: the first, or no more. */
struct ledger_entry *run_ledger_next(struct run_ledger *ledger, const struct ledger_entry *entry);
/* The same of those whose recording has ended. */
struct ledger_entry *run_ledger_ended(struct run_ledger *ledger, const struct ledger_entry *entry);
/* The recording has ended: `summary` is that of accounting_summary(), or NULL. */
void run_ledger_end(struct run_ledger *ledger, struct ledger_entry *entry,
		    const struct recording *recording, const char *summary, size_t summary_size);
/* Whether the complete database is still at its path. It is the user's, who may have moved it. */
bool run_ledger_in_place(const struct ledger_entry *entry);
/* "" if there is none. */
const char *run_ledger_summary(const struct run_ledger *ledger, const struct ledger_entry *entry);

#endif
