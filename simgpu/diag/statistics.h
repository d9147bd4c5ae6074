/* SPDX-License-Identifier: MIT */
/* Counters of finished dispatches: for tools (probe_sim.h) and as JSON lines (PROBE_SIM_STATS). */
#ifndef PROBE_SIMGPU_DIAG_STATISTICS_H
#define PROBE_SIMGPU_DIAG_STATISTICS_H

#include "simgpu/group/dispatch_state.h"

void sim_statistics_add(const struct sim_dispatch *dispatch);

#endif
