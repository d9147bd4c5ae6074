/* SPDX-License-Identifier: MIT */
/* Addresses of MUBUF instructions; see buffer_access.c. */
#ifndef PROBE_SIMGPU_EXEC_MEMORY_BUFFER_ACCESS_H
#define PROBE_SIMGPU_EXEC_MEMORY_BUFFER_ACCESS_H

#include "simgpu/exec/memory/vector_access.h"

/*
 * As mem_prepare(), for an untyped buffer access. Lanes beyond num_records leave acc->exec (loads
 * give them 0); scratch descriptors (add-tid) lead to the wave's private memory.
 */
bool LEVEL(buffer_prepare)(struct sim_wave *w, const struct sim_inst *ip, struct access *acc,
			   unsigned int bytes, u32 need);

#endif
