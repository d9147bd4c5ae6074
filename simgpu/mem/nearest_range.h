/* SPDX-License-Identifier: MIT */
/*
 * Finds what is near an invalid address, for error messages only. The newest freed ranges are
 * remembered, so that a use after free can be reported as such.
 */
#ifndef PROBE_SIMGPU_MEM_NEAREST_RANGE_H
#define PROBE_SIMGPU_MEM_NEAREST_RANGE_H

#include <stddef.h>

#include "simgpu/mem/gpu_allocations.h"

enum sim_near_state {
	SIM_NEAR_LIVE,
	SIM_NEAR_UNMAPPED, /* allocated, but not mapped to the GPU */
	SIM_NEAR_FREED,
};

/* A range as its owner knows it, [base, end). */
struct sim_near {
	uint64_t base, end;
	enum sim_near_state state;
	enum sim_block_kind kind;
	uint32_t node;
	uint32_t access;
	uint64_t gpu; /* the GPU's address for `base` */
};

/* Bytes between the range and addr; 0 if the range contains it. */
uint64_t sim_near_distance(const struct sim_near *near, uint64_t addr);

/*
 * Remembers a range of addresses that was freed; called under the lock of gpu_allocations.c. The
 * number is limited; old ones are dropped.
 */
void sim_near_freed(const struct sim_near *freed);
/* For addresses in use again, under that lock: drops freed ranges that contain them. */
void sim_near_reused(uint64_t base, uint64_t end);
/* The newest freed range that contains addr, else the nearest; also under that lock. */
bool sim_near_find_freed(uint64_t addr, struct sim_near *ret);

/*
 * Writes "64 bytes past the end of device memory 0x..-0x.. (4096 bytes)" or similar, for an address
 * and its nearest range, or NULL if there is none.
 */
void sim_near_describe(uint64_t addr, const struct sim_near *near, char *buf, size_t size);

#endif
