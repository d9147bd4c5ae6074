/* SPDX-License-Identifier: MIT */
/* Counters of the `memory` kind, from the device to the segment. Collector's thread only. */
#ifndef PROBE_HSA_COUNTERS_H
#define PROBE_HSA_COUNTERS_H

#include <stdint.h>

#include "relay.h"

/* Memory for a queue's arenas; without it kernels are not swapped (verdict MEMORY). */
void probe_counters_init(struct probe_queue *queue);
void probe_counters_deinit(struct probe_queue *queue);

/*
 * Read the arena of a completed dispatch, write its rows, zero it and open its gate. `rows` is how
 * many were written, `dropped` how many were not.
 */
void probe_counters_collect(struct probe_queue *queue, const struct probe_entry *entry,
			    uint32_t *rows, uint64_t *dropped);

/* Add the rows of replica 1.. to replica 0: sums, and maxima where the counter is one. */
void probe_counters_sum(uint64_t *table, uint32_t replicas, uint32_t sites);

#endif
