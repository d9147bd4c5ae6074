/* SPDX-License-Identifier: MIT */
/*
 * Asynchronous copies in flight. A copy runs with a completion signal of ours, from a fixed pool;
 * the collector records it when it has completed, gives the application's signal its time stamps
 * and completes it. Requesting a copy takes no lock and allocates nothing.
 */
#ifndef PROBE_HSA_PLUGIN_TRACE_COPIES_H
#define PROBE_HSA_PLUGIN_TRACE_COPIES_H

#include <stdbool.h>
#include <stdint.h>

#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>

#include <probe/wire_tracing.h>

struct probe_copy {
	hsa_signal_t signal;	  /* ours; lives as long as the runtime */
	hsa_signal_t application; /* 0 = none */
	struct probe_hr_copy row;
};

/* Make the signals, if copies are traced. */
void probe_copies_init(void);

/* NULL: none is free, which is counted, or copies are not traced now. */
struct probe_copy *probe_copy_take(void);
/* The runtime has accepted it: the collector's from now on. */
void probe_copy_begin(struct probe_copy *copy);
/* The runtime has refused it. */
void probe_copy_release(struct probe_copy *copy);

/* Collector: record what has completed; true if anything had. */
bool probe_copies_collect(void);
bool probe_copies_in_flight(void);
uint64_t probe_copies_done(void);

/*
 * Times of the copy that last completed with this signal of the application's, for its own
 * question about them: the runtime knows them of our signal only.
 */
bool probe_copy_times(hsa_signal_t application, hsa_amd_profiling_async_copy_time_t *ret);

/* Copies that found no signal. */
uint64_t probe_copies_untraced(void);

/* In a forked child, or without a runtime. */
void probe_copies_forget(void);

#endif
