/* SPDX-License-Identifier: MIT */
/* Tables of the operations that do not depend on the vector level; terminated by NULL. */
#ifndef PROBE_SIMGPU_EXEC_SCALAR_SCALAR_TABLES_H
#define PROBE_SIMGPU_EXEC_SCALAR_SCALAR_TABLES_H

#include "simgpu/exec/inst.h"

extern const struct sim_exec *const sim_scalar_tables[];

extern const struct sim_exec sim_exec_salu[], sim_exec_flow[], sim_exec_fork[], sim_exec_smem[];

#endif
