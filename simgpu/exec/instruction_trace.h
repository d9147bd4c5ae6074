/* SPDX-License-Identifier: MIT */
/*
 * The instruction trace of one wave (PROBE_SIM_TRACE): a line per instruction with its address,
 * text, EXEC behind it and what it changed. The machine chooses the wave (trace_selection.c);
 * the others pay one comparison per call.
 */
#ifndef PROBE_SIMGPU_EXEC_INSTRUCTION_TRACE_H
#define PROBE_SIMGPU_EXEC_INSTRUCTION_TRACE_H

#include <stdatomic.h>
#include <stdio.h>

#include "simgpu/exec/wave.h"

/* The wave in question while it lives, or NULL. */
extern struct sim_wave *_Atomic sim_traced_wave;

/* Where it is written; NULL: nowhere. */
void sim_instruction_trace_to(FILE *file);

/* sim_wave_run() of the logged wave; forgets it when it ends. */
enum sim_stop sim_instruction_trace_run(struct sim_wave *wave, uint32_t budget);

#endif
