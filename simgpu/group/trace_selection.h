/* SPDX-License-Identifier: MIT */
/* Selection of the wave that PROBE_SIM_TRACE_WAVE names. */
#ifndef PROBE_SIMGPU_GROUP_TRACE_SELECTION_H
#define PROBE_SIMGPU_GROUP_TRACE_SELECTION_H

#include "simgpu/group/dispatch_state.h"

/* Once per dispatch, before its waves start. */
void sim_trace_select_dispatch(const struct sim_dispatch *dispatch);

/* Before a wave starts: trace it from now on, if it is the selected one. */
void sim_trace_select_wave(const struct sim_dispatch *dispatch, struct sim_wave *wave);

#endif
