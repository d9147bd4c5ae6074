/* SPDX-License-Identifier: MIT */
/* The packet processor of a compute queue. */
#ifndef PROBE_SIMGPU_QUEUE_AQL_PACKETS_H
#define PROBE_SIMGPU_QUEUE_AQL_PACKETS_H

#include "simgpu/base/hardware_queue.h"

/* True if there is a packet at the read index. */
bool sim_aql_ready(const struct sim_queue *queue);

/*
 * Processes packets until there is none left, or the queue is suspended, dead or being destroyed.
 */
void sim_aql_process(struct sim_queue *queue);

#endif
