/* SPDX-License-Identifier: MIT */
/*
 * A hardware queue: a ring in host memory, a doorbell, and a thread of its own that acts as packet
 * processor. A queue that waits (for a signal, for memory, for its own kernel) blocks only that
 * thread.
 */
#ifndef PROBE_SIMGPU_BASE_HARDWARE_QUEUE_H
#define PROBE_SIMGPU_BASE_HARDWARE_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <hsa/amd_hsa_queue.h>

#include "simgpu/base/backoff.h"
#include "simgpu/base/device_parameters.h"
#include "simgpu/base/queue_timeline.h"

/* Errors that end a queue; queue_error.c has the codes that the runtime reads. */
enum sim_error {
	SIM_ERROR_NONE,
	SIM_ERROR_DIMENSIONS,
	SIM_ERROR_GROUP_MEMORY,
	SIM_ERROR_CODE,
	SIM_ERROR_PACKET,
	SIM_ERROR_GROUP_SIZE,
	SIM_ERROR_REGISTERS,
	SIM_ERROR_VENDOR_PACKET,
	SIM_ERROR_APERTURE,
	SIM_ERROR_INSTRUCTION,
	SIM_ERROR_TRAP,
	SIM_ERROR_MEMORY, /* reported by an event, not by the queue */
};

struct sim_dispatch;

struct sim_queue {
	uint32_t id; /* doorbell slot + 1, so never 0 */
	uint32_t node;
	bool aql; /* false: SDMA */
	uint8_t *ring;
	uint64_t ring_size; /* bytes, a power of two */
	_Atomic uint64_t *doorbell;
	_Atomic uint64_t *read;
	_Atomic uint64_t *write;
	_Atomic uint64_t own_read, own_write; /* for SDMA, if the caller provides no indices */
	amd_queue_t *amd;		      /* AQL only */
	/*
	 * Where errors are stored, as bits, and the event that is then set. 0: in amd's inactive
	 * signal.
	 */
	uint64_t exceptions;
	uint32_t exception_event;
	uint32_t cu_mask[(SIM_CUS_MOST + 31) / 32];
	bool masked;
	bool pinned; /* ring and amd are protected from being freed */
	struct sim_timeline time;
	bool fresh; /* the ring was empty when its first packet arrived */

	atomic_bool quit;      /* being destroyed: abandon the current packet */
	atomic_bool suspended; /* do not start anything new */
	atomic_bool dead;      /* an error was reported; the runtime never resumes it */
	atomic_bool asleep;    /* the doorbell watcher must wake the queue's thread */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake;

	struct sim_dispatch *dispatch; /* AQL: reused for every kernel of the queue */
};

/* True if the queue is neither suspended by the runtime nor dead. */
bool sim_queue_runs(const struct sim_queue *queue);

/*
 * Pauses once in a wait loop on the queue's own thread. Returns false if the queue is being
 * destroyed, so that the wait must be abandoned.
 */
bool sim_queue_pause(const struct sim_queue *queue, struct sim_backoff *backoff);

#endif
