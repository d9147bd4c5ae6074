/* SPDX-License-Identifier: MIT */
/* Tables of the operations that do not depend on the vector level. */
#include "simgpu/exec/inst.h"

extern const struct sim_exec sim_exec_salu[], sim_exec_flow[], sim_exec_fork[], sim_exec_smem[];

const struct sim_exec *const sim_scalar_tables[] = {
	sim_exec_salu, sim_exec_flow, sim_exec_fork, sim_exec_smem, NULL,
};
