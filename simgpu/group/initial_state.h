/* SPDX-License-Identifier: MIT */
/*
 * The state derived from a packet and its kernel descriptor, once for all workgroups, and the
 * initial registers of each wave.
 */
#ifndef PROBE_SIMGPU_GROUP_INITIAL_STATE_H
#define PROBE_SIMGPU_GROUP_INITIAL_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "simgpu/base/device_parameters.h"
#include "simgpu/base/hardware_queue.h"
#include "simgpu/exec/wave.h"

struct sim_dispatch;

/* The kernel descriptor, decoded (LLVM "AMDGPU usage", code object v3 kernel descriptor). */
struct sim_kernel {
	uint64_t descriptor, entry;
	uint32_t lds, scratch, kernarg;
	uint32_t rsrc1, rsrc2, rsrc3, properties, preload;
	uint32_t vgprs; /* allocated vector registers, v0... */
	uint32_t agprs; /* and accumulation registers, a0... */
};

/* The queue's scratch memory as a dispatch uses it; wave_bytes = 0 means none. */
struct sim_scratch {
	uint64_t base;
	uint32_t wave_bytes, waves;
};

struct sim_launch {
	struct sim_kernel kernel;
	struct sim_scratch scratch;
	uint32_t size[3];   /* of a whole workgroup */
	uint32_t groups[3]; /* in the grid, including partial ones */
	uint64_t total;	    /* workgroups */
	uint32_t waves;	    /* of a whole workgroup */
	uint32_t lds_bytes;

	/* Initial state of every wave. */
	uint32_t sgpr[SIM_SGPRS];
	uint32_t group_sgpr; /* first SGPR of the workgroup ids */
	uint32_t mode, lds_alloc, gpr_alloc, status;
	uint32_t lane_size[3], lane_mask; /* workgroup size and mask lane_ids[] was computed for */
	uint32_t lane_ids[SIM_GROUP_WAVES][SIM_LANES]; /* v0: x | y << 10 | z << 20, masked */
};

/*
 * Checks the dispatch's packet and fills in dispatch->launch, except the scratch memory, which must
 * be set. If it refuses the packet, it prints the reason.
 */
enum sim_error sim_launch_prepare(struct sim_dispatch *dispatch);

/*
 * Lanes of workgroup id that are inside the grid, per dimension; returns the number of their waves.
 */
uint32_t sim_launch_extent(const struct sim_dispatch *dispatch, const uint32_t id[3],
			   uint32_t extent[3]);

struct sim_wave_start {
	const uint32_t *extent;
	uint32_t waves;	       /* of this workgroup */
	uint32_t scratch_wave; /* index of the wave in the scratch memory */
	uint32_t hw_id;
	uint32_t xcc;
};

/* Initialises wave->in_group of wave->group; vgprs beyond the kernel's keep their contents. */
void sim_wave_init(const struct sim_dispatch *dispatch, struct sim_wave *wave,
		   const struct sim_wave_start *start);

#endif
