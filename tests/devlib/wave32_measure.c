/* SPDX-License-Identifier: MIT */
/*
 * The generic probes for waves of 32 lanes, as a gfx90a kernel whose workgroups have 32 work-items.
 */
#define DEV_PORTABLE  32
#define DEV_IN_WAVE64 1

#include "devlib/measure_unit.h"

/* Workgroup i makes the access of wave i: lanes of exec[i] at address[32 * i + lane]. */
__attribute__((amdgpu_kernel, visibility("protected"))) void
wave32(const uint64_t DEV_GLOBAL *address, const uint64_t DEV_GLOBAL *exec,
       uint64_t DEV_GLOBAL *counters, uint32_t shape)
{
	uint32_t group = __builtin_amdgcn_workgroup_id_x(), lane = __builtin_amdgcn_workitem_id_x();
	uint32_t unit = shape & 0xff, units = shape >> 8 & 0xff;

	if (!(exec[group] >> lane & 1))
		return;
	for (uint32_t k = 0; k < units; k++)
		count_unit((uint64_t)counters + group * (PROBE_COUNTERS * 8),
			   address[32 * group + lane], k * unit, shape);
}
