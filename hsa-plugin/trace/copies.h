/* SPDX-License-Identifier: MIT */
/*
 * Asynchronous copies in flight. A copy runs with a completion signal of Probe, from a fixed pool.
 * When it has completed, the collector records it, sets the time stamps of the application's signal
 * and completes that signal. Requesting a copy takes no lock and allocates nothing.
 */
#ifndef PROBE_HSA_PLUGIN_TRACE_COPIES_H
#define PROBE_HSA_PLUGIN_TRACE_COPIES_H

#include <stdbool.h>
#include <stdint.h>

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <probe/wire_tracing.h>

struct probe_copy {
	hsa_signal_t signal;	  /* Probe's signal; kept as long as the runtime */
	hsa_signal_t application; /* 0 = none */
	struct probe_hr_copy row;
};

/* Creates the signals, if copies are traced. */
void probe_copies_init(void);

/* NULL if none is free, which is counted, or if copies are not traced now. */
struct probe_copy *probe_copy_take(void);
/* The runtime has accepted the copy: from now on the collector owns it. */
void probe_copy_begin(struct probe_copy *copy);
/* The runtime has rejected the copy. */
void probe_copy_release(struct probe_copy *copy);

/* Collector: records completed copies; true if there were any. */
bool probe_copies_collect(void);
bool probe_copies_in_flight(void);
uint64_t probe_copies_done(void);

/*
 * Times of the copy that last completed with this signal of the application, for the application's
 * own queries: the runtime has them only for Probe's signal.
 */
bool probe_copy_times(hsa_signal_t application, hsa_amd_profiling_async_copy_time_t *ret);

/* Number of copies for which no signal was free. */
uint64_t probe_copies_untraced(void);

/* For a forked child, or without a runtime. */
void probe_copies_forget(void);

#endif
