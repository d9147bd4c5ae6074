/* SPDX-License-Identifier: MIT */
/* Creates and frees a queue (queue.h): soft queue, hardware queue and their memory. */
#ifndef PROBE_HSA_PLUGIN_QUEUE_QUEUE_PAIR_H
#define PROBE_HSA_PLUGIN_QUEUE_QUEUE_PAIR_H

#include "hsa-plugin/queue/queue.h"

/* Arguments of hsa_queue_create; with a descriptor, of hsa_amd_queue_create. */
struct probe_queue_request {
	struct probe_agent *agent;
	uint32_t size; /* from probe_queue_pair_size() */
	hsa_queue_type32_t type;
	void (*callback)(hsa_status_t status, hsa_queue_t *source, void *data);
	void *callback_data;
	uint32_t private_size, group_size;
	const struct probe_queue_descriptor *descriptor; /* NULL = by hsa_queue_create */
};

/*
 * The size that the runtime would use: some versions round small sizes up to their minimum, some
 * refuse them. 0 = refused.
 */
uint32_t probe_queue_pair_size(const struct probe_agent *agent, uint32_t size,
			       hsa_queue_type32_t type);

/* NULL on failure. Without memory for counters or arguments the queue runs original kernels. */
struct probe_queue *probe_queue_pair_create(const struct probe_queue_request *request);
void probe_queue_pair_destroy(struct probe_queue *queue);

#endif
