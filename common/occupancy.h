/* SPDX-License-Identifier: MIT */
/*
 * Occupancy: how many waves of a kernel a compute unit can hold, and which resource limits it.
 *
 * Sources: LLVM, AMDGPUBaseInfo.cpp (getTotalNumVGPRs, getVGPRAllocGranule, getTotalNumSGPRs,
 * getSGPRAllocGranule, getMaxWavesPerEU, getMaxWorkGroupsPerCU), AMD's ISA documents (LDS size).
 */
#ifndef PROBE_COMMON_OCCUPANCY_H
#define PROBE_COMMON_OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

enum probe_occupancy_limit {
	PROBE_LIMIT_SLOTS, /* number of wave slots or workgroups, not a resource */
	PROBE_LIMIT_VGPRS,
	PROBE_LIMIT_SGPRS,
	PROBE_LIMIT_LDS,
};

struct probe_occupancy_kernel {
	const char *target;	      /* "gfx90a", with or without features */
	uint32_t vgprs, agprs, sgprs; /* as the kernel's metadata states them */
	uint32_t lds;		      /* bytes per workgroup, including dynamic LDS */
	uint32_t items;		      /* of a workgroup */
};

struct probe_occupancy {
	uint32_t waves;	    /* of a compute unit */
	uint32_t waves_max; /* that it has slots for */
	enum probe_occupancy_limit limit;
	/* What the limiting resource may be at most for one workgroup more; 0: no value is enough.
	 */
	uint32_t value_next;
	uint32_t waves_next; /* with that; 0: no slot is left */
};

/* False: the registers of the target are unknown. */
bool probe_occupancy_of(const struct probe_occupancy_kernel *kernel, struct probe_occupancy *ret);

/*
 * Waves per SIMD that vector registers allow; 0: unknown. On gfx90a and later, `vgprs` includes
 * `agprs`.
 */
uint32_t probe_occupancy_waves(const char *target, uint32_t vgprs, uint32_t agprs);

/*
 * Does a compute unit have the vector registers for a workgroup of that many work-items? True also
 * if the registers of the target are unknown.
 */
bool probe_occupancy_holds(const char *target, uint32_t vgprs, uint32_t agprs, uint64_t items);

#endif
