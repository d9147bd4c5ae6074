/* SPDX-License-Identifier: MIT */
#include "simgpu/exec/handler_table.h"

static const struct sim_exec *entries[SIM_OP_COUNT];

void sim_handler_table_add(const struct sim_exec *const *tables)
{
	for (; *tables; tables++)
		for (const struct sim_exec *e = *tables; e->op; e++)
			entries[e->op] = e;
}

const struct sim_exec *sim_handler_table_find(enum sim_op op)
{
	return entries[op];
}
