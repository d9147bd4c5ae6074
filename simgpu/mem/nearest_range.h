/* SPDX-License-Identifier: MIT */
/*
 * What is near an address that must not be touched: for error messages only. The newest freed
 * ranges are remembered, so that a use after free can be called one.
 */
#ifndef PROBE_SIMGPU_MEM_NEAREST_RANGE_H
#define PROBE_SIMGPU_MEM_NEAREST_RANGE_H

#include <stddef.h>

#include "simgpu/mem/gpu_allocations.h"

enum sim_near_state {
	SIM_NEAR_LIVE,
	SIM_NEAR_UNMAPPED, /* allocated, but the GPU has no mapping of it */
	SIM_NEAR_FREED,
};

/* A range as its owner knows it, [base, end). */
struct sim_near {
	uint64_t base, end;
	enum sim_near_state state;
	enum sim_block_kind kind;
	uint32_t node;
	uint32_t access;
};

/* Bytes between the range and addr; 0 if it holds addr. */
uint64_t sim_near_distance(const struct sim_near *near, uint64_t addr);

/*
 * Of a range of addresses that went away; called under the lock of gpu_allocations.c. Bounded: old
 * ones are forgotten.
 */
void sim_near_freed(const struct sim_near *freed);
/* Addresses in use again, under that lock: freed ranges that hold them are forgotten. */
void sim_near_reused(uint64_t base, uint64_t end);
/* The newest freed range that holds addr, else the nearest; also under that lock. */
bool sim_near_find_freed(uint64_t addr, struct sim_near *ret);

/*
 * "64 bytes past the end of device memory 0x..-0x.. (4096 bytes)", and the like, for an address and
 * the range nearest to it, or NULL if there is none.
 */
void sim_near_describe(uint64_t addr, const struct sim_near *near, char *buf, size_t size);

#endif
