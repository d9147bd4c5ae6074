/* SPDX-License-Identifier: MIT */
/* Finds why a kernel has no clone, from its code object's site table. */
#ifndef PROBE_CMDS_RECORD_UNPROBED_KERNELS_H
#define PROBE_CMDS_RECORD_UNPROBED_KERNELS_H

#include <stdint.h>

#include <probe/wire.h>

struct probe_sites;
struct recording;

enum run_unprobed {
	RUN_UNPROBED_PLAIN = 0, /* no site table: not compiled with the plugin */
	RUN_UNPROBED_KIND,	/* has clones, but of other kinds */
	RUN_UNPROBED_EMPTY,	/* contains nothing that can be probed */
	RUN_UNPROBED_RUNTIME,	/* the HIP runtime's own: never compiled with the plugin */
	RUN_UNPROBED_REASONS,
};

/*
 * sites may be NULL; `symbol` is the original's, with or without ".kd". If the kinds of the code
 * object are the reason, they are or-ed to *kinds.
 */
enum run_unprobed run_unprobed_reason(const struct probe_sites *sites, const char *symbol,
				      enum probe_kind wanted, uint32_t *kinds);

struct run_unprobed_counts {
	uint64_t dispatches[RUN_UNPROBED_REASONS]; /* sum of dispatches that ran uninstrumented for
						    * lack of a clone */
	char kinds[64];				   /* "memory,trace", for RUN_UNPROBED_KIND */
};
void run_unprobed_count(const struct recording *recording, struct run_unprobed_counts *ret);

#endif
