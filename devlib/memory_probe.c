/* SPDX-License-Identifier: MIT */
/*
 * The `memory` kind: exact counters per site, computed on the device (wire_device.h section 3).
 *
 * The wave's value is the address of its replica of the counter table minus the offset of the first
 * site. The 16 counters of site s are at that value + s * 128.
 */
#include "devlib/measure_access.h"
#include "devlib/counter_replica.h"
#include "devlib/wave_ids.h"

DEV_ENTRY uint64_t __probe_dev_memory_enter(const struct probe_ctx DEV_CONSTANT *ctx)
{
	return replica_of(ctx);
}

/*
 * Random bits by which a wave of a sampled kernel chooses the executions to measure: the same in
 * every run, but different in each wave and dispatch.
 */
DEV_ENTRY uint32_t __probe_dev_memory_seed(const struct probe_ctx DEV_CONSTANT *ctx)
{
	uint32_t item = __builtin_amdgcn_workitem_id_x() + __builtin_amdgcn_workitem_id_y() * 1024 +
			__builtin_amdgcn_workitem_id_z() * (1u << 20);
	uint32_t seed = dev_uniform32(item) + (uint32_t)ctx->dispatch * 0x9e3779b1;

	seed = (seed ^ seed >> 15) * 0x85ebca6b + __builtin_amdgcn_workgroup_id_x();
	seed = (seed ^ seed >> 13) * 0xc2b2ae35 + __builtin_amdgcn_workgroup_id_y();
	seed = (seed ^ seed >> 16) * 0x27d4eb2f + __builtin_amdgcn_workgroup_id_z();
	return dev_uniform32(seed ^ seed >> 15);
}

DEV_ENTRY uint64_t __probe_dev_uniform(uint64_t value)
{
	return dev_uniform64(value);
}

DEV_SHARED void __probe_dev_memory_any(uint64_t counters, uint64_t address, uint32_t offset,
				       uint32_t shape)
{
	measure_unit(counters, address, offset, shape);
}

/*
 * Measure the first unit of an access. Called as measure_access.h describes: the counters are in
 * s[4:5] and s7. Sets v0 to 1 if only the first row was counted.
 */
DEV_SHARED void __probe_dev_memory_first(uint64_t none, uint64_t address, uint32_t shape)
{
	(void)none;
	measure_first(address, shape);
}

/* As `any`, for a wave that computes the address of its replica only when it measures an access. */
DEV_SHARED void __probe_dev_memory_site(uint64_t ctx, uint64_t address, uint32_t offset,
					uint32_t site, uint32_t shape)
{
	uint64_t replica = replica_of((const struct probe_ctx DEV_CONSTANT *)dev_uniform64(ctx));

	/* A table has at most 64 MiB. */
	measure_unit(replica + dev_uniform32(site) * (uint32_t)(PROBE_COUNTERS * 8), address,
		     offset, shape);
}
