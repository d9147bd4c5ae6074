/* SPDX-License-Identifier: MIT */
/* Runs kernels of a queue, from a prepared dispatch to its end. */
#ifndef PROBE_SIMGPU_QUEUE_DISPATCH_RUN_H
#define PROBE_SIMGPU_QUEUE_DISPATCH_RUN_H

#include "simgpu/group/dispatch_state.h"

struct sim_dispatch *sim_dispatch_create(struct sim_queue *queue);
void sim_dispatch_destroy(struct sim_dispatch *dispatch);

/*
 * Runs all workgroups of a prepared dispatch. False if it was stopped: by a fault, which has been
 * reported to the runtime, or because the queue is being destroyed.
 */
bool sim_dispatch_run(struct sim_dispatch *dispatch);

#endif
