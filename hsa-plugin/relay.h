/* SPDX-License-Identifier: MIT */
/*
 * Queues. The application gets a soft queue (hsa_soft_queue_create) of exactly the size it asked
 * for; behind it is a hardware queue of our own. Ringing the soft queue's doorbell - a store to a
 * signal, which goes through the API table - moves packets from one ring to the other.
 *
 * Why not hsa_amd_queue_intercept_create: on ROCr 5.2 its ring overflows under a burst (second
 * overflow: assertion; without assertions packets overtake each other), each added packet makes
 * that likelier, asking for a larger ring shows in queue->size, and a handler must never wait. Here
 * packets for which there is no room simply stay in the application's ring, as on hardware, and the
 * collector's thread moves them on when something has completed. Nobody waits, nothing overtakes.
 *
 * Every kernel dispatch occupies an entry from the moment it is relayed until it is collected.
 */
#ifndef PROBE_HSA_RELAY_H
#define PROBE_HSA_RELAY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>

#include "hsa-plugin/kernel_table.h"
#include "hsa-plugin/tool.h"

enum {
	PROBE_ENTRIES = 1024, /* dispatches in flight per queue; a power of two */
	PROBE_GATES = 2 * PROBE_ENTRIES,
	PROBE_HARDWARE_MIN = 2048, /* packets of the hardware ring */
	PROBE_KERNARG_BYTES = 1 << 20,
	PROBE_ARENAS = 4, /* counter tables per queue */
	PROBE_ARENA_BYTES = 512 << 10,
	PROBE_REPLICAS_MAX = 64,
};

struct probe_entry {
	uint64_t id; /* of the dispatch */
	const struct probe_kernel *kernel;
	hsa_signal_t application;      /* the packet's own completion signal; 0 = none */
	uint64_t kernarg_end;	       /* kernarg_tail once this entry is collected */
	uint32_t kind;		       /* of the clone that runs; NONE = the original */
	uint32_t replicas;	       /* of the counters; 0 = uses no arena */
	uint64_t turn;		       /* number of its use of an arena */
	uint64_t packet;	       /* its index in the hardware ring */
	uint8_t state;		       /* enum probe_entry_state; collector only */
	const struct probe_late *late; /* what its waves leave; NULL = they go into rings */
	uint32_t late_waves;
	uint64_t since; /* CLOCK_MONOTONIC: when its counters began to travel */
};

/* Collector only: what an entry waits for. */
enum probe_entry_state {
	PROBE_ENTRY_RUNNING = 0, /* its kernel */
	PROBE_ENTRY_COPYING,	 /* its counters, on their way to the host, and zeros back */
	PROBE_ENTRY_DONE,	 /* older entries */
};

/* One of a queue's counter tables. */
struct probe_arena {
	uint8_t *device;
	uint8_t *host; /* where it is copied to */
	hsa_signal_t copied, zeroed;
};

struct probe_queue {
	struct probe_queue *next_queue;
	hsa_queue_t *soft, *real;
	hsa_signal_t doorbell;
	struct probe_agent *agent;
	uint32_t id;
	void (*callback)(hsa_status_t status, hsa_queue_t *source, void *data);
	void *callback_data;
	atomic_bool failed;  /* the runtime reported an error: nothing will complete */
	atomic_bool stalled; /* packets stay in the soft ring for lack of room */

	pthread_mutex_t lock; /* for what follows, up to the collector's part */
	uint64_t next;	      /* first packet of the soft ring not relayed */
	uint64_t written;     /* write index of the hardware ring */
	uint64_t kernarg_head;
	uint64_t turns; /* uses of arenas so far */

	struct probe_entry *entries;
	amd_signal_t *completions; /* one per entry, memory shared with the GPU */
	_Atomic uint64_t head;	   /* entries begun; writer: relay, under the lock */
	_Atomic uint64_t tail;	   /* entries collected; writer: collector */
	uint8_t *kernargs;
	_Atomic uint64_t kernarg_tail; /* writer: collector */
	/* PC sampling: of the packets below, all samples are delivered. Writer: collector. */
	_Atomic uint64_t flushed;

	/* the `memory` kind; NULL if there is no memory for it */
	uint8_t *device_memory, *host_memory; /* of all arenas */
	uint8_t *sink;			      /* where workgroups that are not chosen count */
	struct probe_arena arenas[PROBE_ARENAS];
	amd_signal_t *gates; /* one per turn, modulo PROBE_GATES: 0 once its counters are read */
	bool counters;	     /* all of this is there */
	bool direct;	     /* the CPU reads device memory as fast as its own */
	atomic_bool counters_broken; /* an arena could not be zeroed again */
};

/*
 * Move packets from the soft ring to the hardware's, as many as there is room for. Any thread;
 * returns false if some had to stay.
 */
bool probe_relay(struct probe_queue *queue);

static inline amd_signal_t *probe_queue_completion(const struct probe_queue *queue, uint64_t entry)
{
	return &queue->completions[entry & (PROBE_ENTRIES - 1)];
}

static inline amd_signal_t *probe_queue_gate(const struct probe_queue *queue, uint64_t turn)
{
	return &queue->gates[turn & (PROBE_GATES - 1)];
}

static inline struct probe_arena *probe_queue_arena(struct probe_queue *queue, uint64_t turn)
{
	return &queue->arenas[turn % PROBE_ARENAS];
}

/*
 * Signals we make ourselves: only the packet processor and we look at them, so the 64 bytes of the
 * ABI suffice (amd_hsa_signal.h) and no kernel event is spent.
 */
static inline void probe_signal_set(amd_signal_t *signal, int64_t value)
{
	signal->kind = AMD_SIGNAL_KIND_USER;
	signal->event_mailbox_ptr = 0;
	signal->start_ts = signal->end_ts = 0;
	__atomic_store_n(&signal->value, value, __ATOMIC_RELEASE);
}

static inline int64_t probe_signal_get(const amd_signal_t *signal)
{
	return __atomic_load_n(&signal->value, __ATOMIC_ACQUIRE);
}

static inline hsa_signal_t probe_signal_handle(const amd_signal_t *signal)
{
	return (hsa_signal_t){(uint64_t)(uintptr_t)signal};
}

#endif
