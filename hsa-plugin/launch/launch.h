/* SPDX-License-Identifier: MIT */
/* A kernel dispatch while its packet is relayed: under the queue's lock, on the caller's stack. */
#ifndef PROBE_HSA_PLUGIN_LAUNCH_LAUNCH_H
#define PROBE_HSA_PLUGIN_LAUNCH_LAUNCH_H

#include "hsa-plugin/queue/queue.h"

struct probe_launch {
	struct probe_queue *queue;
	const hsa_kernel_dispatch_packet_t *packet; /* the application's */
	struct probe_kernel *kernel;		    /* NULL = unknown */
	uint64_t id;
	uint64_t index; /* of the packet in the hardware ring */
	/* launch_verdict.c */
	uint32_t verdict;
	uint32_t group_size, private_size; /* of the clone's packet */
	uint32_t replicas;		   /* of the counters; 0 = uses no counter table */
	/* launch_block.c */
	uint64_t kernarg_end; /* after this launch's block */
	uint8_t *block;
	struct probe_wave_storage *storage; /* of its waves; NULL = they write into rings */
	uint32_t storage_waves;
};

#endif
