/* SPDX-License-Identifier: MIT */
/*
 * The simulated GPU's view of memory: which host ranges it may touch, and how.
 *
 * CPU address = GPU address, so a device access is a plain host access once the address is
 * known to lie in a range that was mapped to the GPU (allocated through the thunk, registered,
 * managed, or one of the thunk's own event pages).
 */
#ifndef PROBE_SIMGPU_MEMORY_H
#define PROBE_SIMGPU_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sim_mem_flags {
	SIM_MEM_READ = 1,
	SIM_MEM_WRITE = 2,
	SIM_MEM_EXEC = 4,
};

/* A range of addresses the GPU may touch: [base, end), with sim_mem_flags. */
struct sim_range {
	uint64_t base;
	uint64_t end;
	uint32_t flags;
};

/*
 * Bumped (release) whenever a range is added, removed or changes its flags. A caller may keep a
 * struct sim_range as long as the generation it read (acquire) before the look-up still stands.
 */
uint64_t sim_mem_generation(void);

/*
 * The mapped range that holds addr. Thread-safe. Returns 0, or -EFAULT and leaves *ret alone.
 * Adjacent ranges are not merged: an access across two of them is two look-ups.
 */
int sim_mem_find(uint64_t addr, struct sim_range *ret);

#endif
