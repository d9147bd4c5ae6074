/* SPDX-License-Identifier: MIT */
/* The fidelity report: which instructions ran, and how each is known to be right. */
#ifndef PROBE_SIMGPU_DIAG_FIDELITY_H
#define PROBE_SIMGPU_DIAG_FIDELITY_H

#include <stdio.h>

#include "simgpu/isa/opcodes.h"

/* Directed tests that run an operation, their names parted by spaces; NULL: none. */
const char *sim_fidelity_tests(enum sim_op op);

/* While sim_pc_counting(): executions of every instruction whose page was not replaced. */
void sim_code_ops(void (*visit)(void *ctx, enum sim_op op, uint64_t execs), void *ctx);

/* Operations that ran since sim_pc_counting(true), most executions first. */
void sim_fidelity_report(FILE *to);

#endif
