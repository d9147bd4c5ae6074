/* SPDX-License-Identifier: MIT */
/*
 * Maps a signal to the queue whose doorbell it is. Every signal store of the application looks it
 * up, so it takes no lock and mostly needs one probe of the hash table.
 */
#ifndef PROBE_HSA_PLUGIN_QUEUE_DOORBELLS_H
#define PROBE_HSA_PLUGIN_QUEUE_DOORBELLS_H

#include <stdint.h>

struct probe_queue;

/* Callers of add and remove hold a lock of their own. Returns -ENOSPC if the table is full. */
int probe_doorbell_add(uint64_t signal, struct probe_queue *queue);
void probe_doorbell_remove(uint64_t signal);

struct probe_queue *probe_doorbell_find(uint64_t signal);

#endif
