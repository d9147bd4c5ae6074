/* SPDX-License-Identifier: MIT */
/*
 * Messages of the simulated GPU: whole lines on stderr that begin with "probe-sim: ". Hardware
 * prints nothing; the simulator explains faults and refused calls: what, where, what to do next.
 */
#ifndef PROBE_SIMGPU_BASE_SIM_LOG_H
#define PROBE_SIMGPU_BASE_SIM_LOG_H

void sim_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Sets the highest level that sim_debug() prints; initially 0, none. */
void sim_log_set_level(unsigned level);

void sim_debug(unsigned level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
