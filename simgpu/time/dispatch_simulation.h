/* SPDX-License-Identifier: MIT */
/* Runs a dispatch in simulated time. */
#ifndef PROBE_SIMGPU_TIME_DISPATCH_SIMULATION_H
#define PROBE_SIMGPU_TIME_DISPATCH_SIMULATION_H

#include "simgpu/time/cost_model.h"

/*
 * Runs every workgroup of a prepared dispatch. 0, also if it was stopped; -ENOMEM if it could not
 * start, in which case it is stopped.
 */
int sim_time_run(struct sim_dispatch *dispatch);
int sim_time_run_avx2(struct sim_dispatch *dispatch); /* the same, for hosts with AVX2 */
void sim_time_destroy(struct sim_time *time);

#endif
