/* SPDX-License-Identifier: MIT */
/* Checks the signals that packets refer to. */
#ifndef PROBE_SIMGPU_QUEUE_AQL_SIGNALS_H
#define PROBE_SIMGPU_QUEUE_AQL_SIGNALS_H

#include "simgpu/base/hardware_queue.h"

/*
 * True if every signal of a packet is null or in memory of the device. Otherwise it has reported a
 * memory fault.
 */
bool sim_aql_check_signals(struct sim_queue *queue, const uint8_t *packet, unsigned type);

#endif
