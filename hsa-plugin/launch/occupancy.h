/* SPDX-License-Identifier: MIT */
/*
 * How many waves of a kernel a SIMD holds, as far as its vector registers decide.
 *
 * The workgroups of a cooperative kernel wait for each other, and the application has made sure
 * that all are resident. With the clone's registers they might not be, and would wait forever.
 */
#ifndef PROBE_HSA_PLUGIN_LAUNCH_OCCUPANCY_H
#define PROBE_HSA_PLUGIN_LAUNCH_OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

/*
 * `target`: gfx90a or so; `vgprs`, `agprs`: as the kernel's metadata states them. 0 = a target
 * whose registers are not known here. Source: LLVM, AMDGPUBaseInfo.cpp (getTotalNumVGPRs,
 * getVGPRAllocGranule, getMaxWavesPerEU).
 */
uint32_t probe_occupancy_waves(const char *target, uint32_t vgprs, uint32_t agprs);

struct probe_occupancy_launch {
	const char *target;
	uint32_t vgprs, agprs;		   /* of the original */
	uint32_t clone_vgprs, clone_agprs; /* of its clone */
	uint32_t group_size;		   /* LDS of a workgroup, bytes */
	uint32_t lds_max;		   /* LDS of a compute unit, bytes; 0 = not known */
	uint32_t compute_units;
	uint32_t items; /* of a workgroup */
	uint64_t groups;
};

/*
 * Are all workgroups of the clone resident at a time if those of the original are? False, too, if
 * that is not known.
 */
bool probe_occupancy_keeps(const struct probe_occupancy_launch *launch);

#endif
