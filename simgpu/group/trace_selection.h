/* SPDX-License-Identifier: MIT */
/* Selects the wave that PROBE_SIM_TRACE_WAVE names. */
#ifndef PROBE_SIMGPU_GROUP_TRACE_SELECTION_H
#define PROBE_SIMGPU_GROUP_TRACE_SELECTION_H

#include "simgpu/group/dispatch_state.h"

/* Called once per dispatch, before its waves start. */
void sim_trace_select_dispatch(const struct sim_dispatch *dispatch);

/* Called before a wave starts: traces it if it is the selected one. */
void sim_trace_select_wave(const struct sim_dispatch *dispatch, struct sim_wave *wave);

#endif
