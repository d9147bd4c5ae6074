/* SPDX-License-Identifier: MIT */
/*
 * The instruction trace of one wave (PROBE_SIM_TRACE): a line per instruction with its address,
 * text, EXEC after it, and the changed registers. The machine chooses the wave (trace_selection.c);
 * for other waves it costs one comparison per call.
 */
#ifndef PROBE_SIMGPU_EXEC_INSTRUCTION_TRACE_H
#define PROBE_SIMGPU_EXEC_INSTRUCTION_TRACE_H

#include <stdatomic.h>
#include <stdio.h>

#include "simgpu/exec/wave.h"

/* The traced wave while it runs, or NULL. */
extern struct sim_wave *_Atomic sim_traced_wave;

/* The file to write; NULL: none. */
void sim_instruction_trace_to(FILE *file);

/* sim_wave_run() of the traced wave; resets sim_traced_wave when it ends. */
enum sim_stop sim_instruction_trace_run(struct sim_wave *wave, uint32_t budget);

#endif
