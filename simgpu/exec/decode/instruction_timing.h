/* SPDX-License-Identifier: MIT */
/* Facts about an instruction that the cost model needs, derived once when it is decoded. */
#ifndef PROBE_SIMGPU_EXEC_DECODE_INSTRUCTION_TIMING_H
#define PROBE_SIMGPU_EXEC_DECODE_INSTRUCTION_TIMING_H

#include "simgpu/exec/inst.h"

void sim_timing_make(const struct sim_inst *ip, struct sim_timing *ret);

/* Finds the plain instructions from the one at `at` on; `end` is the end of the page. */
void sim_timing_find_plain(struct sim_timing *at, const struct sim_timing *end);

/* SIM_TRACE_* of an instruction. */
uint8_t sim_trace_marks(const struct sim_inst *ip);

#endif
