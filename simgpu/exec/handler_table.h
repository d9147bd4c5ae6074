/* SPDX-License-Identifier: MIT */
/* The execute entry of each operation. */
#ifndef PROBE_SIMGPU_EXEC_HANDLER_TABLE_H
#define PROBE_SIMGPU_EXEC_HANDLER_TABLE_H

#include "simgpu/exec/inst.h"

/*
 * Adds the entries of tables (the list ends with NULL, each table with op 0). To be called before
 * any code is decoded.
 */
void sim_handler_table_add(const struct sim_exec *const *tables);

/* The entry of an operation; NULL if there is none, or if nothing was added yet. */
const struct sim_exec *sim_handler_table_find(enum sim_op op);

#endif
