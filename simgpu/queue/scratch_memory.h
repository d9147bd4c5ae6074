/* SPDX-License-Identifier: MIT */
/* Private memory of kernels: the queue's scratch. */
#ifndef PROBE_SIMGPU_QUEUE_SCRATCH_MEMORY_H
#define PROBE_SIMGPU_QUEUE_SCRATCH_MEMORY_H

#include "simgpu/group/dispatch_state.h"

/* The queue's scratch memory, grown if need be. False if the queue quits meanwhile. */
bool sim_scratch_acquire(struct sim_dispatch *dispatch);
/* After the dispatch: returns what was granted for this one only. */
void sim_scratch_release(struct sim_dispatch *dispatch);

#endif
