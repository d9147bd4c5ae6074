/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/launch/launch_block.h"

#include <string.h>

#include "common/regular_waves.h"
#include "hsa-plugin/queue/rings.h"
#include "hsa-plugin/launch/wave_storage.h"
#include "wire/trace_rows.h"

static uint32_t align_up(uint32_t n, uint32_t to)
{
	return (n + to - 1) & ~(to - 1);
}

static uint32_t context_bytes(void)
{
	uint32_t contexts = probe_tool.config.workgroups_restricted ? 2 : 1;

	return contexts * (uint32_t)sizeof(struct probe_ctx) +
	       (probe_tool.config.kind == PROBE_KIND_TIME
			? (uint32_t)sizeof(struct probe_ctx_wave_storage)
			: 0);
}

static uint32_t arguments_at(const struct probe_kernel *kernel)
{
	return align_up(context_bytes(), kernel->plan->align);
}

uint32_t probe_launch_block_bytes(const struct probe_kernel *kernel)
{
	return align_up(arguments_at(kernel) + kernel->plan->size, 64);
}

/* 0 with a workgroup filter, because each wave must then test whether it records. */
static uint64_t ring_rows(const hsa_kernel_dispatch_packet_t *packet)
{
	const uint32_t grid[3] = {packet->grid_size_x, packet->grid_size_y, packet->grid_size_z};
	const uint32_t group[3] = {packet->workgroup_size_x, packet->workgroup_size_y,
				   packet->workgroup_size_z};

	if (probe_tool.config.workgroups_restricted)
		return 0;
	return probe_tool.config.kind == PROBE_KIND_TRACE ? probe_trace_rows(grid, group) : 1;
}

/*
 * Takes bytes from the ring of argument blocks; a block never wraps. At most `capacity` bytes are
 * in use.
 */
static bool reserve_bytes(struct probe_launch *launch, uint32_t size, uint32_t capacity)
{
	struct probe_queue *queue = launch->queue;
	uint64_t head = queue->kernarg_head;
	/* Pairs with the collector's release: the kernel has read its block. */
	uint64_t tail = atomic_load_explicit(&queue->kernarg_tail, memory_order_acquire);
	uint64_t rest = PROBE_KERNARG_BYTES - head % PROBE_KERNARG_BYTES;

	if (rest < size)
		head += rest;
	if (head + size - tail > capacity)
		return false;
	launch->block = queue->kernargs + head % PROBE_KERNARG_BYTES;
	launch->kernarg_end = head + size;
	return true;
}

static bool wants_storage(const struct probe_launch *launch)
{
	return probe_tool.config.kind == PROBE_KIND_TIME && ring_rows(launch->packet);
}

/* Per-wave storage may use the half of the ring that other launches are unlikely to need soon. */
bool probe_launch_block_reserve(struct probe_launch *launch)
{
	uint32_t size = probe_launch_block_bytes(launch->kernel);
	uint32_t waves = wants_storage(launch) ? probe_wave_storage_waves(launch->packet) : 0;

	if (waves && reserve_bytes(launch, size + probe_wave_storage_bytes(waves),
				   PROBE_KERNARG_BYTES / 2)) {
		launch->storage = (struct probe_wave_storage *)(void *)(launch->block + size);
		launch->storage_waves = waves;
		return true;
	}
	return reserve_bytes(launch, size, PROBE_KERNARG_BYTES);
}

/* Sets the fields from which probe-run derives counters of this launch. */
static void fill_derived(const hsa_kernel_dispatch_packet_t *packet, struct probe_ctx *ret)
{
	const uint32_t grid[3] = {packet->grid_size_x, packet->grid_size_y, packet->grid_size_z};
	const uint32_t group[3] = {packet->workgroup_size_x, packet->workgroup_size_y,
				   packet->workgroup_size_z};
	uint64_t waves;

	ret->regular = probe_regular_exec(grid, group, &waves);
	ret->enumerated = probe_launch_enumerable(grid, group);
}

static void set_table(struct probe_ctx *ctx, uint64_t table)
{
	const uint32_t row = PROBE_COUNTERS * 8;

	ctx->counters = table;
	ctx->first_row = table - (uint64_t)ctx->site_first * row;
	ctx->replica_mask_and_size = (uint64_t)ctx->site_count * row << 32 | ctx->replica_mask;
}

/*
 * True if each wave finds a large ring of its own. Workgroups are distributed over shader engines
 * and compute units, and their waves over SIMDs.
 */
static bool is_small(const hsa_kernel_dispatch_packet_t *packet, uint32_t rings)
{
	const uint32_t grid[3] = {packet->grid_size_x, packet->grid_size_y, packet->grid_size_z};
	const uint32_t group[3] = {packet->workgroup_size_x, packet->workgroup_size_y,
				   packet->workgroup_size_z};
	uint64_t groups = 1, items = 1;

	for (int i = 0; i < 3; i++) {
		groups *= group[i] ? ((uint64_t)grid[i] + group[i] - 1) / group[i] : 0;
		items *= group[i];
	}
	return items <= 4 * 64 && groups <= rings / 4;
}

static void fill_rings(const struct probe_launch *launch, struct probe_ctx *ret)
{
	const struct probe_agent *agent = launch->queue->agent;
	const struct probe_ctx *rings = &agent->rings[is_small(launch->packet, agent->large_count)];

	ret->row_lanes = ring_rows(launch->packet);
	ret->ring_states = rings->ring_states;
	ret->ring_heads = rings->ring_heads;
	ret->ring_data = rings->ring_data;
	ret->ring_mask = rings->ring_mask;
	ret->ring_size = rings->ring_size;
	ret->ring_slot_mask = rings->ring_slot_mask;
	ret->wave = rings->wave;
	ret->wave.row_lanes = ret->row_lanes;
	ret->wave.dispatch = launch->id;
	if (ret->row_lanes)
		return;
	/*
	 * Each wave must test the filter: with this value no ring state is its own, so all take the
	 * slow path.
	 */
	ret->wave.ring_states = agent->ring_unclaimable;
	ret->wave.slot_mask = 0;
}

static void fill_context(const struct probe_launch *launch, uint64_t table_use,
			 struct probe_ctx *ret)
{
	struct probe_queue *queue = launch->queue;
	const amd_queue_t *hardware = (const amd_queue_t *)queue->real;

	*ret = (struct probe_ctx){
		.version = PROBE_CTX_VERSION,
		.size = sizeof(*ret),
		.dispatch = launch->id,
		.site_first = launch->kernel->site_first,
		.site_count = launch->kernel->site_count,
		.when_full = probe_tool.config.full.action,
		.spin_limit = PROBE_SPIN_LIMIT,
		.sample_every = probe_tool.config.full.sample_every,
		.lds_aperture = hardware->group_segment_aperture_base_hi,
		.scratch_aperture = hardware->private_segment_aperture_base_hi,
	};
	memcpy(ret->group_first, probe_tool.config.workgroups.first, sizeof(ret->group_first));
	memcpy(ret->group_last, probe_tool.config.workgroups.last, sizeof(ret->group_last));
	if (launch->replicas) {
		ret->replica_mask = launch->replicas - 1;
		set_table(ret, (uint64_t)(uintptr_t)probe_queue_table(queue, table_use)->device);
		fill_derived(launch->packet, ret);
	}
	if (queue->agent->ring_count && probe_kind_has_rings(probe_tool.config.kind))
		fill_rings(launch, ret);
}

uint8_t *probe_launch_arguments(const struct probe_launch *launch)
{
	return launch->block + arguments_at(launch->kernel);
}

void probe_launch_block_fill(const struct probe_launch *launch, uint64_t table_use)
{
	const struct probe_kernarg_plan *plan = launch->kernel->plan;
	const amd_queue_t *hardware = (const amd_queue_t *)launch->queue->real;
	uint8_t *arguments = probe_launch_arguments(launch);
	struct probe_ctx *ctx = (struct probe_ctx *)(void *)(arguments - context_bytes());
	uint64_t context = (uint64_t)(uintptr_t)ctx;
	struct probe_kernarg_launch from = {
		.packet = launch->packet,
		.group_fixed = launch->kernel->group_size,
		.lds_aperture = hardware->group_segment_aperture_base_hi,
		.scratch_aperture = hardware->private_segment_aperture_base_hi,
		.queue = (uint64_t)(uintptr_t)hardware,
	};

	fill_context(launch, table_use, ctx);
	if (launch->replicas && probe_tool.config.workgroups_restricted) {
		ctx[1] = ctx[0];
		set_table(&ctx[1], (uint64_t)(uintptr_t)launch->queue->sink);
		context |= PROBE_CTX_FILTERED;
	}
	if (probe_tool.config.kind == PROBE_KIND_TIME)
		probe_wave_storage_begin(launch->packet, launch->storage,
					 (struct probe_ctx_wave_storage *)(void *)arguments - 1);
	probe_kernargs_build(plan, launch->packet->kernarg_address, context, &from, arguments);
}
