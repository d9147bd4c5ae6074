/* SPDX-License-Identifier: MIT */
/* Prints the line on stderr that says what a failed wave did, and where. */
#ifndef PROBE_SIMGPU_DIAG_FAULT_REPORT_H
#define PROBE_SIMGPU_DIAG_FAULT_REPORT_H

#include "simgpu/group/dispatch_state.h"

/* Prints the line; returns the error that the runtime receives. */
enum sim_error sim_fault_report(const struct sim_dispatch *dispatch, const struct sim_wave *wave,
				enum sim_stop stop);

/*
 * The first byte of a faulting access that the GPU (SIM_MEM_GPU()) may not touch: the beginning of
 * the access may be valid.
 */
uint64_t sim_fault_address(const struct sim_fault *fault, uint32_t gpu);

#endif
