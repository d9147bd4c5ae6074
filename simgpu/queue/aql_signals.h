/* SPDX-License-Identifier: MIT */
/* Checks of the signals that packets name. */
#ifndef PROBE_SIMGPU_QUEUE_AQL_SIGNALS_H
#define PROBE_SIMGPU_QUEUE_AQL_SIGNALS_H

#include "simgpu/base/hardware_queue.h"

/*
 * Whether every signal a packet names is null or memory of the device. If not, that was reported as
 * the memory fault it is.
 */
bool sim_aql_check_signals(struct sim_queue *queue, const uint8_t *packet, unsigned type);

#endif
