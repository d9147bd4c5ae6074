/* SPDX-License-Identifier: MIT */
/*
 * From a signal to the queue whose doorbell it is. Looked up at every signal store of the
 * application, so it takes no lock and mostly one probe of the hash table.
 */
#ifndef PROBE_HSA_PLUGIN_QUEUE_DOORBELLS_H
#define PROBE_HSA_PLUGIN_QUEUE_DOORBELLS_H

#include <stdint.h>

struct probe_queue;

/* Callers of add and remove hold a lock of their own. -ENOSPC. */
int probe_doorbell_add(uint64_t signal, struct probe_queue *queue);
void probe_doorbell_remove(uint64_t signal);

struct probe_queue *probe_doorbell_find(uint64_t signal);

#endif
