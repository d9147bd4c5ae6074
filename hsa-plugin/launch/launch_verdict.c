/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/launch/launch_verdict.h"

#include "hsa-plugin/launch/launch_block.h"
#include "hsa-plugin/launch/cooperative_fit.h"

#include "common/occupancy.h"

enum { WAVE_LANES = 64 };

/*
 * The wave's scratch is at most 8191 KiB (COMPUTE_TMPRING_SIZE.WAVESIZE, 13 bits of KiB), so this
 * many bytes for each of 64 lanes.
 */
#define PRIVATE_MAX (8191u * 1024 / 64)

/*
 * Number of replicas: a power of two, as many as fit into a counter table, and no more than the
 * launch has waves, because all of them are copied, cleared and added up. 0 = not even one fits.
 */
static uint32_t replicas_for(uint32_t sites, const hsa_kernel_dispatch_packet_t *packet)
{
	uint32_t fit = PROBE_TABLE_BYTES / (PROBE_COUNTERS * 8) / (sites ? sites : 1);
	uint64_t waves = (uint64_t)packet->grid_size_x * packet->grid_size_y * packet->grid_size_z /
			 WAVE_LANES;
	uint32_t replicas = PROBE_REPLICAS_MAX;

	while (replicas > fit || (replicas > 1 && replicas / 2 >= waves))
		replicas /= 2;
	return replicas;
}

static uint32_t check_memory(struct probe_launch *launch)
{
	const struct probe_kernel *kernel = launch->kernel;

	if (!kernel->site_count)
		return PROBE_V_SWAPPED;
	if (!launch->queue->counters ||
	    atomic_load_explicit(&launch->queue->counters_broken, memory_order_relaxed))
		return PROBE_V_MEMORY;
	launch->replicas = replicas_for(kernel->site_count, launch->packet);
	return launch->replicas ? PROBE_V_SWAPPED : PROBE_V_TOO_MANY_SITES;
}

/*
 * Stack bytes per lane, including what callees of the clone may need in addition, up to the
 * hardware's limit.
 */
static uint32_t private_size(const hsa_kernel_dispatch_packet_t *packet,
			     const struct probe_kernel *kernel)
{
	uint32_t clone = kernel->clone->private_size;
	uint32_t size = packet->private_segment_size > clone ? packet->private_segment_size : clone;

	if (size >= PRIVATE_MAX)
		return size;
	return kernel->stack_growth > PRIVATE_MAX - size ? PRIVATE_MAX
							 : size + kernel->stack_growth;
}

static bool has_registers(const struct probe_launch *launch, const struct probe_kernel *clone,
			  uint64_t items)
{
	/* Of up to four waves, each is on a SIMD of its own and may have all of its registers. */
	return items <= 4 * WAVE_LANES || probe_occupancy_holds(launch->queue->agent->target,
								clone->vgprs, clone->agprs, items);
}

static uint32_t check_resources(struct probe_launch *launch)
{
	const hsa_kernel_dispatch_packet_t *packet = launch->packet;
	const struct probe_kernel *kernel = launch->kernel, *clone = kernel->clone;
	uint32_t dynamic = packet->group_segment_size > kernel->group_size
				   ? packet->group_segment_size - kernel->group_size
				   : 0;
	uint64_t items = (uint64_t)packet->workgroup_size_x * packet->workgroup_size_y *
			 packet->workgroup_size_z;

	launch->group_size = clone->group_size + dynamic;
	launch->private_size = private_size(packet, kernel);
	if (launch->private_size > PRIVATE_MAX)
		return PROBE_V_SCRATCH;
	if ((clone->max_group && items > clone->max_group) || !has_registers(launch, clone, items))
		return PROBE_V_WORKGROUP;
	if (launch->queue->agent->lds_max && launch->group_size > launch->queue->agent->lds_max)
		return PROBE_V_LDS;
	return PROBE_V_SWAPPED;
}

/*
 * On a cooperative queue all workgroups of the clone must be resident, as those of the original
 * are.
 */
static bool stays_resident(const struct probe_launch *launch)
{
	const hsa_kernel_dispatch_packet_t *packet = launch->packet;
	const struct probe_kernel *kernel = launch->kernel, *clone = kernel->clone;
	const struct probe_agent *agent = launch->queue->agent;
	struct probe_cooperative_launch occupancy = {
		.target = agent->target,
		.vgprs = kernel->vgprs,
		.agprs = kernel->agprs,
		.clone_vgprs = clone->vgprs,
		.clone_agprs = clone->agprs,
		.group_size = launch->group_size,
		.lds_max = agent->lds_max,
		.compute_units = agent->compute_units,
		.items = (uint32_t)packet->workgroup_size_x * packet->workgroup_size_y *
			 packet->workgroup_size_z,
	};

	if (launch->queue->soft->type != HSA_QUEUE_TYPE_COOPERATIVE || !occupancy.items)
		return true;
	occupancy.groups = (uint64_t)(packet->grid_size_x / packet->workgroup_size_x) *
			   (packet->grid_size_y / packet->workgroup_size_y) *
			   (packet->grid_size_z / packet->workgroup_size_z);
	return probe_cooperative_fits(&occupancy);
}

static uint32_t decide(struct probe_launch *launch)
{
	struct probe_kernel *kernel = launch->kernel;
	uint32_t verdict;
	uint64_t number;

	if (!kernel)
		return PROBE_V_UNKNOWN_KERNEL;
	if (kernel->verdict != PROBE_V_SWAPPED)
		return kernel->verdict;
	if (atomic_load_explicit(&probe_tool.supervisor_gone, memory_order_relaxed))
		return PROBE_V_NO_SEGMENT;
	if (!launch->queue->kernargs ||
	    probe_launch_block_bytes(kernel) > PROBE_KERNARG_BYTES / 2 ||
	    !launch->packet->kernarg_address)
		return PROBE_V_MEMORY;
	if (probe_kind_has_rings(probe_tool.config.kind) && !launch->queue->agent->ring_count)
		return PROBE_V_NO_SEGMENT;
	verdict = check_resources(launch);
	if (verdict == PROBE_V_SWAPPED && !stays_resident(launch))
		verdict = PROBE_V_COOPERATIVE;
	if (verdict == PROBE_V_SWAPPED && probe_kind_has_counters(probe_tool.config.kind))
		verdict = check_memory(launch);
	if (verdict != PROBE_V_SWAPPED)
		return verdict;
	number = atomic_fetch_add_explicit(&kernel->seen, 1, memory_order_relaxed) + 1;
	if (!probe_selection_has(&probe_tool.config.selection, number))
		return PROBE_V_DISPATCH;
	return PROBE_V_SWAPPED;
}

void probe_launch_decide(struct probe_launch *launch)
{
	launch->verdict = decide(launch);
	if (launch->verdict != PROBE_V_SWAPPED)
		launch->replicas = 0;
}
