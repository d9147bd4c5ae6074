/* SPDX-License-Identifier: MIT */
/*
 * Every time the simulated GPU shows to anybody comes from here: GetClockCounters, time stamps of
 * signals and SDMA, s_memtime and s_memrealtime. Today that is the host's clock; the file is the
 * place where simulated time takes over.
 */
#ifndef PROBE_SIMGPU_SIM_CLOCK_H
#define PROBE_SIMGPU_SIM_CLOCK_H

#include <stdint.h>

/* Nanoseconds of the system clock; all other clocks derive from it. */
uint64_t sim_clock_ns(void);

/* The 100 MHz clock of time stamps and s_memrealtime. */
uint64_t sim_clock_ticks(void);

/* Shader core cycles, for s_memtime. */
uint64_t sim_clock_cycles(void);

#endif
