/* SPDX-License-Identifier: MIT */
/* Handlers that have not run over a recording yet: of a run that ends, or that was killed. */
#ifndef PROBE_CMDS_RUN_PENDING_HANDLERS_H
#define PROBE_CMDS_RUN_PENDING_HANDLERS_H

#include <stdbool.h>

struct handler_stop;
struct ledger_entry;
struct probe_err;
struct run_server;

/* State of a stored run. */
struct run_end {
	bool handlers_ran;
	char *handlers; /* pending handlers in the form of -a; NULL = none */
	char *why;	/* partial_reason; NULL = none */
};

struct probe_err *run_end_read(const char *path, struct run_end *ret);
void run_end_deinit(struct run_end *end);

/* Runs the handlers over a complete database of this run. No thread records any more. */
void run_handlers_pending(struct run_server *server, struct ledger_entry *entry,
			  const struct handler_stop *stop);

#endif
