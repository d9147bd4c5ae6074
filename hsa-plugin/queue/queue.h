/* SPDX-License-Identifier: MIT */
/*
 * A queue of the application, made of two: a soft queue (hsa_soft_queue_create) of exactly the
 * requested size, and a hardware queue to which its packets are relayed (packet_relay.h).
 *
 * Every kernel dispatch has a record (struct probe_inflight) from the moment its packet is relayed
 * until the collector is done with it. With counters it also uses one of the queue's counter
 * tables.
 */
#ifndef PROBE_HSA_PLUGIN_QUEUE_QUEUE_H
#define PROBE_HSA_PLUGIN_QUEUE_QUEUE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>

#include "hsa-plugin/code/kernel_table.h"
#include "hsa-plugin/process/tool.h"

enum {
	PROBE_INFLIGHT_MAX = 1024, /* dispatches per queue; a power of two */
	PROBE_GATES = 2 * PROBE_INFLIGHT_MAX,
	PROBE_HARDWARE_MIN = 2048, /* packets of the hardware ring, at least */
	PROBE_KERNARG_BYTES = 1 << 20,
	/* Counter tables per queue. With 4, short kernels wait: 1.5 times the CPU time. */
	PROBE_TABLES = 8,
	PROBE_TABLE_BYTES = 512 << 10,
	PROBE_REPLICAS_MAX = 64,
};

/* Collector only: what a dispatch waits for. */
enum probe_inflight_state {
	PROBE_INFLIGHT_RUNNING = 0, /* the end of its kernel */
	PROBE_INFLIGHT_COPYING,	    /* the copy of its counters to the host, and of zeros back */
	PROBE_INFLIGHT_DONE,	    /* older dispatches; otherwise done */
};

struct probe_inflight {
	uint64_t id; /* id of the dispatch */
	const struct probe_kernel *kernel;
	hsa_signal_t application; /* the packet's own completion signal; 0 = none */
	uint64_t kernarg_end;	  /* kernarg_tail after this dispatch is collected */
	uint32_t kind;		  /* of the clone that runs; NONE = the original */
	uint32_t replicas;	  /* of the counter table; 0 = uses none */
	uint64_t table_use;	  /* number of this use of the queue's counter
				   * tables */
	uint64_t packet;	  /* of its packet in the hardware ring */
	uint8_t state;		  /* enum probe_inflight_state; collector only */
	const struct probe_wave_storage *storage; /* for its waves; NULL = they write into rings */
	uint32_t storage_waves;
	uint64_t copy_start; /* CLOCK_MONOTONIC */
};

struct probe_counter_table {
	uint8_t *device;
	uint8_t *host; /* host copy of the table */
	hsa_signal_t copied, zeroed;
	bool broken; /* a copy failed, so the table holds old counters; collector only */
};

struct probe_queue {
	struct probe_queue *next_queue; /* in the collector's list */
	hsa_queue_t *soft, *real;
	hsa_signal_t doorbell;
	struct probe_agent *agent;
	uint32_t id;
	void (*callback)(hsa_status_t status, hsa_queue_t *source, void *data);
	void *callback_data;
	bool counted;	     /* by hsa_amd_counted_queue_acquire */
	atomic_bool failed;  /* the runtime reported an error: nothing will complete */
	atomic_bool stalled; /* packets stay in the soft ring because there is no space */

	pthread_mutex_t lock; /* protects the five fields that follow */
	uint64_t next;	      /* first packet of the soft ring that is not relayed */
	uint64_t written;     /* write index of the hardware ring */
	uint64_t kernarg_head;
	uint64_t table_uses; /* uses of counter tables so far */

	struct probe_inflight *inflight;
	amd_signal_t *completions; /* one per dispatch in flight, memory shared with the GPU */
	_Atomic uint64_t head;	   /* dispatches begun; writer: relay, under the lock */
	_Atomic uint64_t tail;	   /* dispatches collected; writer: collector */
	uint8_t *kernargs;
	_Atomic uint64_t kernarg_tail; /* writer: collector */
	/* PC sampling: all samples of packets below this index are delivered. Writer: collector. */
	_Atomic uint64_t flushed;

	/* Kinds with counters (counter_tables.c); NULL if there is no memory for them. */
	uint8_t *device_memory, *host_memory; /* of all counter tables */
	uint8_t *sink;			      /* workgroups that are not selected count into it */
	struct probe_counter_table tables[PROBE_TABLES];
	amd_signal_t *gates; /* one per use, modulo PROBE_GATES; becomes 0 when its counters are
			      * read */
	bool counters;	     /* all these fields are valid */
	bool direct;	     /* the CPU reads device memory as fast as its own */
	atomic_bool counters_broken; /* a counter table is broken */
};

static inline struct probe_inflight *probe_queue_inflight(const struct probe_queue *queue,
							  uint64_t index)
{
	return &queue->inflight[index & (PROBE_INFLIGHT_MAX - 1)];
}

static inline amd_signal_t *probe_queue_completion(const struct probe_queue *queue, uint64_t index)
{
	return &queue->completions[index & (PROBE_INFLIGHT_MAX - 1)];
}

static inline amd_signal_t *probe_queue_gate(const struct probe_queue *queue, uint64_t table_use)
{
	return &queue->gates[table_use & (PROBE_GATES - 1)];
}

static inline struct probe_counter_table *probe_queue_table(struct probe_queue *queue,
							    uint64_t table_use)
{
	return &queue->tables[table_use % PROBE_TABLES];
}

/*
 * Signals that Probe makes itself. Only the packet processor and Probe read them, so the 64 bytes
 * of the ABI suffice (amd_hsa_signal.h) and no kernel event is needed.
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
