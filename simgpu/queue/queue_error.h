/* SPDX-License-Identifier: MIT */
/* Reports errors of queues to the runtime. */
#ifndef PROBE_SIMGPU_QUEUE_QUEUE_ERROR_H
#define PROBE_SIMGPU_QUEUE_QUEUE_ERROR_H

#include "simgpu/group/dispatch_state.h"

/* Reports an error of the queue, which is dead from now on. */
void sim_queue_error(struct sim_queue *queue, enum sim_error error);

/* The device accessed memory without permission: the runtime ends the process. */
void sim_memory_error(struct sim_queue *queue, const struct sim_fault *fault);

#endif
