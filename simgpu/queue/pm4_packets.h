/* SPDX-License-Identifier: MIT */
/*
 * The PM4 packets that ROCr sends to a compute queue inside a vendor packet: cache flushes after it
 * wrote code, and the exchange of the buffers of PC sampling.
 */
#ifndef PROBE_SIMGPU_QUEUE_PM4_PACKETS_H
#define PROBE_SIMGPU_QUEUE_PM4_PACKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "simgpu/base/hardware_queue.h"

enum sim_pm4_result {
	SIM_PM4_DONE,
	SIM_PM4_REFUSED, /* an unknown packet, or memory that is not the GPU's; already printed */
	SIM_PM4_QUIT,	 /* the queue is being destroyed while a packet waits */
};

/* True if the packet with this header flushes caches. */
bool sim_pm4_flushes(uint32_t header);

/* Executes `count` dwords. */
enum sim_pm4_result sim_pm4_run(struct sim_queue *queue, const uint32_t *words, uint32_t count);

#endif
