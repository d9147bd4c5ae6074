/* SPDX-License-Identifier: MIT */
/* Private memory of kernels: the queue's scratch. */
#ifndef PROBE_SIMGPU_QUEUE_SCRATCH_MEMORY_H
#define PROBE_SIMGPU_QUEUE_SCRATCH_MEMORY_H

#include "simgpu/group/dispatch_state.h"

/* Gets the queue's scratch memory, enlarged if necessary. False if the queue ends meanwhile. */
bool sim_scratch_acquire(struct sim_dispatch *dispatch);
/* After the dispatch: returns scratch that was granted for this dispatch only. */
void sim_scratch_release(struct sim_dispatch *dispatch);

#endif
