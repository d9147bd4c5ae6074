/* SPDX-License-Identifier: MIT */
/*
 * The collector: our one thread. It polls the queues for dispatches that have completed
 * (completion.h) and relays packets that had to wait.
 *
 * It starts with the first queue and sleeps while nothing is in flight. The time between two polls
 * grows with the time waited (a sixteenth of it, within bounds), so a completion is noticed at most
 * about 6 % late and a long kernel costs next to nothing. ROCr's own handler thread will not do:
 * reading counters waits for copies, and a handler there would delay all others.
 */
#ifndef PROBE_HSA_PLUGIN_COLLECTOR_COLLECTOR_H
#define PROBE_HSA_PLUGIN_COLLECTOR_COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>

struct probe_queue;

/* 0 or -errno. */
int probe_collector_start(void);

/* From add() to remove() the collector uses the queue. */
void probe_collector_add(struct probe_queue *queue);
void probe_collector_remove(struct probe_queue *queue);

/*
 * Wait until the queue (NULL: every queue) has nothing in flight. False after patience_ns without
 * progress.
 */
bool probe_collector_drain(struct probe_queue *queue, uint64_t patience_ns);

/* End the thread; dispatches in flight are not completed. */
void probe_collector_stop(void);

/* In a forked child, which has no such thread, or when the runtime has shut down. */
void probe_collector_forget(void);

#endif
