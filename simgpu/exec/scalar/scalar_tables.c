/* SPDX-License-Identifier: MIT */
#include "simgpu/exec/scalar/scalar_tables.h"

const struct sim_exec *const sim_scalar_tables[] = {
	sim_exec_salu, sim_exec_flow, sim_exec_fork, sim_exec_smem, NULL,
};
