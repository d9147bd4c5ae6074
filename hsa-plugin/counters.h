/* SPDX-License-Identifier: MIT */
/* Counters of the `memory` kind, from the device to the segment. Collector's thread only. */
#ifndef PROBE_HSA_COUNTERS_H
#define PROBE_HSA_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "hsa-plugin/relay.h"

/* Memory for a queue's arenas; without it kernels are not swapped (verdict MEMORY). */
void probe_counters_init(struct probe_queue *queue);
void probe_counters_deinit(struct probe_queue *queue);

/* The runtime has gone down, and its memory with it. */
void probe_counters_forget(void);

/* Send the arena of a completed dispatch to the host, and zeros after it. */
void probe_counters_begin(struct probe_queue *queue, struct probe_entry *entry);

/*
 * Once both are there, write the rows and open the gate: true, with how many rows were written and
 * how many were lost. False = not yet; with `late` the copy is given up.
 */
bool probe_counters_end(struct probe_queue *queue, struct probe_entry *entry, bool late,
			uint32_t *rows, uint64_t *dropped);

#endif
