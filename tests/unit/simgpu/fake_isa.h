/* SPDX-License-Identifier: MIT */
/*
 * An instruction set for tests of the machine: a wave's whole program is one C function, called for
 * each quantum and returning like sim_wave_run(). It keeps its place in wave->pc - entry.
 */
#ifndef PROBE_TESTS_UNIT_SIMGPU_FAKE_ISA_H
#define PROBE_TESTS_UNIT_SIMGPU_FAKE_ISA_H

#include "simgpu/exec/wave.h"

typedef enum sim_stop (*fake_program)(struct sim_wave *wave, uint64_t step);

extern fake_program fake_current;

/* Go to the next step. */
void fake_advance(struct sim_wave *wave);

#endif
