/* SPDX-License-Identifier: MIT */
/*
 * The collector: the only thread of this library apart from the samplers'. It polls the queues for
 * completed dispatches (completion.h) and relays packets that had to wait.
 *
 * It starts with the first queue and sleeps while nothing is in flight. The interval between polls
 * grows with the time waited (a sixteenth of it, within bounds). A completion is therefore noticed
 * at most about 6 % late, and a long kernel costs almost no CPU time. ROCr's signal-handler thread
 * is not used: reading counters waits for copies, and would delay all other handlers.
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
 * Waits until the queue (NULL: every queue) has nothing in flight. False after patience_ns without
 * progress.
 */
bool probe_collector_drain(struct probe_queue *queue, uint64_t patience_ns);

/* Ends the thread; dispatches in flight are not completed. */
void probe_collector_stop(void);

/* For a forked child, which does not have the thread, and for a runtime that has shut down. */
void probe_collector_forget(void);

#endif
