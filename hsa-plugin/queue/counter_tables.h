/* SPDX-License-Identifier: MIT */
/*
 * Counters of a dispatch, from the device to the segment. A queue has PROBE_TABLES tables, which
 * its dispatches use one after the other; a gate (a signal) keeps a kernel from a table until its
 * previous use is read. begin() and end() are for the collector's thread only.
 */
#ifndef PROBE_HSA_PLUGIN_QUEUE_COUNTER_TABLES_H
#define PROBE_HSA_PLUGIN_QUEUE_COUNTER_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "hsa-plugin/queue/queue.h"

/* Memory for a queue's tables; without it kernels are not swapped (verdict MEMORY). */
void probe_counters_init(struct probe_queue *queue);
void probe_counters_deinit(struct probe_queue *queue);

/* The runtime has shut down, and its memory is gone. */
void probe_counters_forget(void);

/* Start the copy of a completed dispatch's table to the host, and that of zeros to the table. */
void probe_counters_begin(struct probe_queue *queue, struct probe_inflight *dispatch);

/*
 * Once both have ended, write the rows and open the gate: true, with how many rows were written and
 * how many were lost. False = not yet; with `give_up` the copy is abandoned.
 */
bool probe_counters_end(struct probe_queue *queue, struct probe_inflight *dispatch, bool give_up,
			uint32_t *rows, uint64_t *dropped);

#endif
