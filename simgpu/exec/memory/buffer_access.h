/* SPDX-License-Identifier: MIT */
/* Addresses of MUBUF instructions; see buffer_access.c. */
#ifndef PROBE_SIMGPU_EXEC_MEMORY_BUFFER_ACCESS_H
#define PROBE_SIMGPU_EXEC_MEMORY_BUFFER_ACCESS_H

#include "simgpu/exec/memory/vector_access.h"

/*
 * Like mem_prepare(), for an untyped buffer access. Lanes beyond num_records are removed from
 * acc->exec (loads give them 0). Scratch descriptors (add-tid) address the wave's private memory.
 */
bool LEVEL(buffer_prepare)(struct sim_wave *w, const struct sim_inst *ip, struct access *acc,
			   unsigned int bytes, u32 need);

#endif
