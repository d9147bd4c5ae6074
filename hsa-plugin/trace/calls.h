/* SPDX-License-Identifier: MIT */
/*
 * Records calls of an API: when they began and ended, and in which call they were made. Nothing
 * here allocates or waits, except probe_function_put(); errno is preserved.
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

/* Calls, copies and dispatches share the sequence of correlation ids. */
uint64_t probe_correlation_next(void);

/* The id of the outermost traced call that this thread is in; a new id if it is in none. */
uint64_t probe_correlation_current(void);

/* False while nothing is recorded: then probe_call_end() must not be called. */
bool probe_call_begin(struct probe_call *call);
void probe_call_end(const struct probe_call *call, uint32_t function);

/*
 * Announces a function. To be called when a library is loaded, not during a call of the function.
 */
void probe_function_put(uint32_t id, enum probe_domain domain, const char *name);

#endif
