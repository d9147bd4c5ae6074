/* SPDX-License-Identifier: MIT */
/*
 * The collector: our one thread, which notices that dispatches have completed. It passes their time
 * stamps and completion on to the application's signals, reads the counters, writes COMPLETE
 * records and moves packets on that had to wait.
 *
 * It begins with the first queue, sleeps for good while nothing is in flight, and looks in steps
 * that grow with the waiting (a sixteenth of it, within bounds), so a completion is noticed at most
 * about 6 % late and a long kernel costs next to nothing. Not in ROCr's own handler thread: reading
 * counters waits for copies, and a handler there would hold up everybody's.
 */
#ifndef PROBE_HSA_COMPLETION_H
#define PROBE_HSA_COMPLETION_H

#include <stdbool.h>
#include <stdint.h>

struct probe_queue;

/* 0 or -errno. */
int probe_collector_start(void);

/* Something is in flight. Any thread; a few ns unless the collector sleeps. */
void probe_collector_wake(void);

/* Let the collector know a queue, or forget it: then it will not be touched any more. */
void probe_collector_add(struct probe_queue *queue);
void probe_collector_remove(struct probe_queue *queue);

/* Wait until the queue (NULL: every queue) has nothing in flight, at most this long without any
 * progress. */
bool probe_collector_drain(struct probe_queue *queue, uint64_t patience_ns);

/* End the thread; what is in flight is no longer followed. */
void probe_collector_stop(void);

/* In a forked child: the thread is not there. */
void probe_collector_forget(void);

#endif
