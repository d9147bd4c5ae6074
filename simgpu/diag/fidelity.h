/* SPDX-License-Identifier: MIT */
/* The fidelity report: which instructions ran, and which tests show that each is correct. */
#ifndef PROBE_SIMGPU_DIAG_FIDELITY_H
#define PROBE_SIMGPU_DIAG_FIDELITY_H

#include <stdio.h>

#include "simgpu/isa/opcodes.h"

/* Names of the directed tests that run an operation, separated by spaces; NULL: none. */
const char *sim_fidelity_tests(enum sim_op op);

/* Operations that ran since sim_pc_counting(true), the most frequent first. */
void sim_fidelity_report(FILE *to);

#endif
