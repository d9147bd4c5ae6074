/* SPDX-License-Identifier: MIT */
/* Which wave PROBE_SIM_TRACE_WAVE asks for. */
#ifndef PROBE_SIMGPU_GROUP_TRACE_SELECTION_H
#define PROBE_SIMGPU_GROUP_TRACE_SELECTION_H

#include "simgpu/group/dispatch.h"

/* Once per dispatch, before its waves start. */
void sim_trace_select_dispatch(const struct sim_dispatch *dispatch);

/* Before a wave starts: from now on it is logged, if it is the one. */
void sim_trace_select_wave(const struct sim_dispatch *dispatch, struct sim_wave *wave);

#endif
