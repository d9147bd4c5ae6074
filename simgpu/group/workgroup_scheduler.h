/* SPDX-License-Identifier: MIT */
/* Scheduling of workgroups onto host threads. */
#ifndef PROBE_SIMGPU_GROUP_WORKGROUP_SCHEDULER_H
#define PROBE_SIMGPU_GROUP_WORKGROUP_SCHEDULER_H

#include "simgpu/group/dispatch_state.h"

void sim_schedule_init(struct sim_schedule *schedule);
void sim_schedule_deinit(struct sim_schedule *schedule);

/* Before each run: nothing is started. -ENOSPC if the scratch memory is too small; -ENOMEM. */
int sim_schedule_reset(struct sim_dispatch *dispatch);

/* Run all workgroups, without the cost model, and return. */
void sim_schedule_run(struct sim_dispatch *dispatch);

#endif
