/* SPDX-License-Identifier: MIT */
/*
 * The one voice of the simulated GPU: whole lines on stderr that begin with "probe-sim: ".
 * Real hardware has no voice; faults and refusals need one (what, where, what to do next).
 */
#ifndef PROBE_SIMGPU_BASE_SIM_LOG_H
#define PROBE_SIMGPU_BASE_SIM_LOG_H

void sim_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Only with PROBE_SIM_LOG >= level. */
void sim_debug(unsigned level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
