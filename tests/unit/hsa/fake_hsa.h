/* SPDX-License-Identifier: MIT */
/*
 * A runtime in memory for unit tests of the tool: a CPU and a GPU agent, queues, signals, memory
 * pools and copies, and a packet processor that does one step when the test says so. It fills in
 * probe_tool with itself, and is the reader of the segment.
 */
#ifndef PROBE_TESTS_UNIT_HSA_FAKE_HSA_H
#define PROBE_TESTS_UNIT_HSA_FAKE_HSA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hsa-plugin/queue/queue.h"
#include "tests/unit/wire/segment_file.h"

enum {
	FAKE_RUNNING_MAX = 4096,
	FAKE_COPIES_MAX = 64,
	FAKE_QUEUE_MIN = 64,   /* packets; smaller requests are rounded up */
	FAKE_QUEUE_MAX = 4096, /* packets */
	FAKE_TICK = 1000,      /* a kernel's start; it ends 10 ticks later */
};

struct fake_copy {
	void *to;
	const void *from;
	size_t size;
	hsa_signal_t after, done;
};

struct fake_hsa {
	struct segment_file file; /* the reader's end of the segment */

	/* Failures: the n-th call that may fail does; with fail_on, so do all later ones. 0 = none.
	 */
	unsigned fail_at, calls;
	bool fail_on;
	bool fail_calloc;  /* count the tool's own allocations as such calls, too */
	bool hold_copies;  /* copies are made by fake_hsa_copy() only */
	bool lose_copies;  /* copies are accepted and never made */
	bool large_queues; /* of any size, not FAKE_QUEUE_MAX at most */
	bool direct;	   /* the CPU may read device memory */
	unsigned live;	   /* queues, signals and allocations that exist */
	unsigned locked;   /* calls of memory_lock that succeeded */
	uint64_t doorbell; /* last value that the tool stored to a hardware doorbell */
	hsa_queue_t *last; /* queue of the last call that takes one */

	/* Kernels that have started and not ended, in order of their start. */
	hsa_kernel_dispatch_packet_t running[FAKE_RUNNING_MAX];
	size_t running_count;
	/* Headers of all packets that were processed, modulo FAKE_RUNNING_MAX. */
	uint16_t processed[FAKE_RUNNING_MAX];
	size_t processed_count;

	struct fake_copy copies[FAKE_COPIES_MAX];
	size_t copy_count;
};

extern struct fake_hsa fake;

/* The tool's state as after loading, with a host ring of that many bytes and 8 rings of 4 KiB. */
void fake_hsa_init(uint32_t kind, uint64_t host_bytes);
/* Fails the test if a queue, signal or allocation of the runtime still exists. */
void fake_hsa_deinit(void);

struct probe_agent *fake_gpu(void);

/* A queue as the tool makes it, which the collector does not know. */
struct probe_queue *fake_queue_create(uint32_t size);

uint64_t fake_write_index(const hsa_queue_t *queue);

/* Write a packet to the application's ring, without the doorbell. */
void fake_submit(struct probe_queue *queue, const void *packet);

/*
 * Start kernels and process barriers as a packet processor does, until a packet must wait or there
 * is none. A kernel that starts goes to fake.running.
 */
void fake_hsa_process(hsa_queue_t *hardware);

/* End a running kernel: its time stamps, then its completion signal. */
void fake_hsa_end(size_t index);
void fake_hsa_end_all(void);

/* Make the copies whose condition holds. */
void fake_hsa_copy(void);

/*
 * Next record of that type in the segment; others before it are skipped. False: none. `payload`
 * gets up to `size` bytes.
 */
bool fake_record(uint32_t type, void *payload, size_t size);

/* A kernel with a clone: arguments of 8 and 4 bytes, and the context. In the kernel table. */
struct fake_kernel {
	struct probe_kernel original, clone;
	uint8_t arguments[64];
};
void fake_kernel_init(struct fake_kernel *kernel, uint32_t sites);
void fake_kernel_deinit(struct fake_kernel *kernel);

/* One workgroup of 64 work-items, with system-scope release and the given completion signal. */
hsa_kernel_dispatch_packet_t fake_packet(struct fake_kernel *kernel, hsa_signal_t signal);

hsa_signal_t fake_signal(hsa_signal_value_t value);
hsa_signal_value_t fake_signal_value(hsa_signal_t signal);

#endif
