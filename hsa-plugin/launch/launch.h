/* SPDX-License-Identifier: MIT */
/*
 * The state of a kernel dispatch while its packet is relayed. It is used under the queue's lock and
 * is on the caller's stack.
 */
#ifndef PROBE_HSA_PLUGIN_LAUNCH_LAUNCH_H
#define PROBE_HSA_PLUGIN_LAUNCH_LAUNCH_H

#include "hsa-plugin/queue/queue.h"

struct probe_launch {
	struct probe_queue *queue;
	const hsa_kernel_dispatch_packet_t *packet; /* the application's packet */
	struct probe_kernel *kernel;		    /* NULL = unknown */
	uint64_t id;
	uint64_t index; /* of its packet in the hardware ring */
	/* from launch_verdict.c */
	uint32_t verdict;
	uint32_t group_size, private_size; /* of the clone's packet */
	uint32_t replicas;		   /* of the counter table; 0 = uses none */
	/* from launch_block.c */
	uint64_t kernarg_end; /* after this launch's block */
	uint8_t *block;
	struct probe_wave_storage *storage; /* for its waves; NULL = they write into rings */
	uint32_t storage_waves;
};

#endif
