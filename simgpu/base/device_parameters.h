/* SPDX-License-Identifier: MIT */
/*
 * What the simulated devices have in common, and the most that any has; simulated_device.h has what
 * they differ in.
 */
#ifndef PROBE_SIMGPU_BASE_DEVICE_PARAMETERS_H
#define PROBE_SIMGPU_BASE_DEVICE_PARAMETERS_H

#include <stdint.h>

enum {
	SIM_NODE_CPU = 0,
	SIM_NODE_GPU = 1, /* the first GPU; PROBE_SIM_GPUS sets their number */
	SIM_GPUS = 8,	  /* maximum number */
	SIM_NODES = 1 + SIM_GPUS,

	SIM_CUS_MOST = 304,
	SIM_DEVICE_CACHES = 4,
	SIM_SIMDS = 4, /* per compute unit */
	SIM_SIMD_WAVES = 8,
	SIM_CU_WAVES = SIM_SIMDS * SIM_SIMD_WAVES,
	SIM_CU_LDS = 65536,
	SIM_SIMD_VGPRS = 512, /* per lane, vector and accumulation registers together */
	SIM_GROUP_LANES = 1024,
	SIM_GROUP_WAVES = 16,

	SIM_VRAM_MIB_MOST = 196608,
	SIM_GPU_CLOCK_HZ = 100000000, /* the clock of time stamps and s_memrealtime */
	SIM_PAGE = 4096,
};

/*
 * A flat address whose high half has one of these values is in LDS or scratch; SH_MEM_BASES
 * contains both.
 */
#define SIM_LDS_APERTURE     ((uint64_t)1 << 48)
#define SIM_SCRATCH_APERTURE ((uint64_t)2 << 48)

#endif
