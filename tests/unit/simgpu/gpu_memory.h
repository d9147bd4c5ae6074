/* SPDX-License-Identifier: MIT */
/* Memory of the simulated GPU, as a client of the driver gets it: pages of the process, mapped. */
#ifndef PROBE_TESTS_UNIT_SIMGPU_GPU_MEMORY_H
#define PROBE_TESTS_UNIT_SIMGPU_GPU_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Host memory that GPU 1 may read, write and execute; whole pages. Fails the test without memory.
 */
void *gpu_memory(size_t size);
/* 0, or -errno of sim_mem_disown(); then the pages stay. */
int gpu_free(void *memory, size_t size);

/* Pages of the process that GPU 1 sees at this same address as registered host memory. */
void gpu_register(void *memory, size_t size, uint32_t access);
void gpu_deregister(void *memory);

#endif
