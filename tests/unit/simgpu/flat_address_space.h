/* SPDX-License-Identifier: MIT */
#ifndef PROBE_TESTS_UNIT_SIMGPU_FLAT_ADDRESS_SPACE_H
#define PROBE_TESTS_UNIT_SIMGPU_FLAT_ADDRESS_SPACE_H

#include <stddef.h>
#include <stdint.h>

/* The memory map that sim_mem_find() answers from. */
void host_memory_reset(void);
void host_memory_add(const void *base, size_t size, uint32_t flags);

#endif
