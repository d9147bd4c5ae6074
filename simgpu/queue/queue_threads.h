/* SPDX-License-Identifier: MIT */
/* The table of hardware queues, their threads, and the watcher of their doorbells. */
#ifndef PROBE_SIMGPU_QUEUE_QUEUE_THREADS_H
#define PROBE_SIMGPU_QUEUE_QUEUE_THREADS_H

#include "simgpu/base/hardware_queue.h"

struct sim_queue_request {
	uint32_t node;
	bool aql; /* false: SDMA */
	void *ring;
	uint64_t ring_size;
	/*
	 * AQL: indices, which are parts of an amd_queue_t. SDMA: of the caller; NULL: the queue's
	 * own.
	 */
	uint64_t *read, *write;
	uint64_t exceptions; /* see struct sim_queue */
	uint32_t exception_event;
};

/*
 * The page of doorbells, 8 KiB with the same alignment, to be set before there is any queue.
 * Without this call it is created with the first queue.
 */
void sim_queue_set_doorbells(void *page);

/*
 * Creates a queue with a doorbell and a thread. 0, -EFAULT if its ring or indices are not in memory
 * of the GPU, -EBUSY if there is no free doorbell, -ENOMEM. The other functions return -ENOENT if
 * there is no such queue.
 */
int sim_queue_create(const struct sim_queue_request *want, struct sim_queue **ret);
int sim_queue_destroy(uint32_t id);

bool sim_queue_exists(uint32_t id);

/* A suspended queue starts no packet. */
int sim_queue_suspend(uint32_t id, bool suspend);

/* Sets which compute units its kernels may use; all if no bit is set. */
int sim_queue_set_cu_mask(uint32_t id, const uint32_t *mask, uint32_t words);

#endif
