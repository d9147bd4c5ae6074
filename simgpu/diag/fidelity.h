/* SPDX-License-Identifier: MIT */
/* The fidelity report: which instructions ran, and how each is known to be right. */
#ifndef PROBE_SIMGPU_DIAG_FIDELITY_H
#define PROBE_SIMGPU_DIAG_FIDELITY_H

#include <stdio.h>

#include "simgpu/isa/opcodes.h"

/* Directed tests that run an operation, their names parted by spaces; NULL: none. */
const char *sim_fidelity_tests(enum sim_op op);

/* Operations that ran since sim_pc_counting(true), most executions first. */
void sim_fidelity_report(FILE *to);

#endif
