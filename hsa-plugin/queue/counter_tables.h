/* SPDX-License-Identifier: MIT */
/*
 * Moves the counters of a dispatch from the device to the segment. A queue has PROBE_TABLES tables,
 * which its dispatches use in rotation. A gate (a signal) delays a kernel until the table's
 * previous use has been read. Only the collector's thread calls begin() and end().
 */
#ifndef PROBE_HSA_PLUGIN_QUEUE_COUNTER_TABLES_H
#define PROBE_HSA_PLUGIN_QUEUE_COUNTER_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "hsa-plugin/queue/queue.h"

/*
 * Allocates a queue's tables; without memory for them, kernels run uninstrumented (verdict MEMORY).
 */
void probe_counters_init(struct probe_queue *queue);
void probe_counters_deinit(struct probe_queue *queue);

/*
 * Starts the copy of a completed dispatch's table to the host, and then that of zeros to the table.
 */
void probe_counters_begin(struct probe_queue *queue, struct probe_inflight *dispatch);

/*
 * Once both copies have ended, writes the rows, opens the gate and returns true, with the numbers
 * of rows written and lost. False = not yet. With `give_up` the copy is abandoned.
 */
bool probe_counters_end(struct probe_queue *queue, struct probe_inflight *dispatch, bool give_up,
			uint32_t *rows, uint64_t *dropped);

#endif
