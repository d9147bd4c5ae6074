/* SPDX-License-Identifier: MIT */
/*
 * Calls of an API as records: when they began and ended, and which call they were made in. Nothing
 * here allocates or waits but probe_function_put(); errno is kept.
 */
#ifndef PROBE_HSA_PLUGIN_TRACE_CALLS_H
#define PROBE_HSA_PLUGIN_TRACE_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include <probe/wire_tracing.h>

struct probe_call {
	uint64_t start, id, parent;
};

/* CLOCK_BOOTTIME, ns: the clock of HSA's system time. */
uint64_t probe_trace_time(void);

/* Correlation ids are of calls, copies and dispatches together. */
uint64_t probe_correlation_next(void);

/* Of the outermost traced call that this thread is in; a new one if it is in none. */
uint64_t probe_correlation_current(void);

/* False while nothing is recorded: then there is no end either. */
bool probe_call_begin(struct probe_call *call);
void probe_call_end(const struct probe_call *call, uint32_t function);

/* Announce a function; when a library is loaded, not on a call of it. */
void probe_function_put(uint32_t id, enum probe_domain domain, const char *name);

/* A sentence for the user of probe-run. */
void probe_trace_note(const char *text);

#endif
