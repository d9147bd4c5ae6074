/* SPDX-License-Identifier: MIT */
/* Schedules workgroups onto host threads. */
#ifndef PROBE_SIMGPU_GROUP_WORKGROUP_SCHEDULER_H
#define PROBE_SIMGPU_GROUP_WORKGROUP_SCHEDULER_H

#include "simgpu/group/dispatch_state.h"

void sim_schedule_init(struct sim_schedule *schedule);
void sim_schedule_deinit(struct sim_schedule *schedule);

/*
 * To be called before each run: resets the state. -ENOSPC if the scratch memory is too small;
 * -ENOMEM.
 */
int sim_schedule_reset(struct sim_dispatch *dispatch);

/* Runs all workgroups, without the cost model, and returns. */
void sim_schedule_run(struct sim_dispatch *dispatch);

#endif
