/* SPDX-License-Identifier: MIT */
/*
 * How many waves of a kernel a compute unit holds at a time, and what keeps it from holding more.
 *
 * Sources: LLVM, AMDGPUBaseInfo.cpp (getTotalNumVGPRs, getVGPRAllocGranule, getTotalNumSGPRs,
 * getSGPRAllocGranule, getMaxWavesPerEU, getMaxWorkGroupsPerCU), AMD's ISA documents (LDS size).
 */
#ifndef PROBE_COMMON_OCCUPANCY_H
#define PROBE_COMMON_OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

enum probe_occupancy_limit {
	PROBE_LIMIT_SLOTS, /* wave slots, or workgroups: no resource is short */
	PROBE_LIMIT_VGPRS,
	PROBE_LIMIT_SGPRS,
	PROBE_LIMIT_LDS,
};

struct probe_occupancy_kernel {
	const char *target;	      /* gfx90a, perhaps with features behind it */
	uint32_t vgprs, agprs, sgprs; /* as the kernel's metadata states them */
	uint32_t lds;		      /* bytes of a workgroup, dynamic ones included */
	uint32_t items;		      /* of a workgroup */
};

struct probe_occupancy {
	uint32_t waves;	    /* of a compute unit */
	uint32_t waves_max; /* that it has slots for */
	enum probe_occupancy_limit limit;
	uint32_t waves_next; /* with one workgroup more; 0: there is no slot for it */
	/* What the limiting resource may be at most for that; 0: no value of it is enough. */
	uint32_t value_next;
};

/* False: a target whose registers are not known here. */
bool probe_occupancy_of(const struct probe_occupancy_kernel *kernel, struct probe_occupancy *ret);

/* Waves of a SIMD, as far as vector registers decide; 0: not known. */
uint32_t probe_occupancy_waves(const char *target, uint32_t vgprs, uint32_t agprs);

#endif
