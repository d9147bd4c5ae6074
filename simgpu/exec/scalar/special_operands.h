/* SPDX-License-Identifier: MIT */
/*
 * Source operands that are neither register nor constant: apertures, VCCZ, EXECZ, SCC ("Scalar
 * operands", 235..253).
 */
#ifndef PROBE_SIMGPU_EXEC_SCALAR_SPECIAL_OPERANDS_H
#define PROBE_SIMGPU_EXEC_SCALAR_SPECIAL_OPERANDS_H

#include "simgpu/exec/inst.h"

/* Reads the special operands of an instruction into wave->special, then runs ip->inner. */
sim_handler sim_exec_special;

#endif
