/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/swap.h"

#include <string.h>

#include "common/regular.h"
#include "wire/trace_rows.h"
#include "hsa-plugin/late.h"
#include "hsa-plugin/occupancy.h"
#include "hsa-plugin/rings.h"

/*
 * The wave's scratch is at most 8191 KiB (COMPUTE_TMPRING_SIZE.WAVESIZE, 13 bits of KiB), so this
 * many bytes for each of 64 lanes.
 */
#define PRIVATE_MAX (8191u * 1024 / 64)

struct launch {
	struct probe_queue *queue;
	const hsa_kernel_dispatch_packet_t *packet;
	struct probe_kernel *kernel; /* NULL = unknown */
	uint64_t id;
	uint64_t index; /* of the packet in the hardware ring */
	uint32_t verdict;
	uint32_t group_size, private_size; /* of the clone's packet */
	uint32_t replicas;
	uint64_t kernarg_end; /* after this dispatch's block */
	uint8_t *block;
	struct probe_late *late; /* NULL = its waves go into rings */
	uint32_t late_waves;
};

static uint32_t align_up(uint32_t n, uint32_t to)
{
	return (n + to - 1) & ~(to - 1);
}

/*
 * A block: the context, or two; the arguments; and in the `time` kind struct probe_ctx_late before
 * these, and what late waves leave behind.
 */
static uint32_t context_bytes(void)
{
	uint32_t contexts = probe_tool.config.workgroups_restricted ? 2 : 1;

	return contexts * (uint32_t)sizeof(struct probe_ctx) +
	       (probe_tool.config.kind == PROBE_KIND_TIME ? (uint32_t)sizeof(struct probe_ctx_late)
							  : 0);
}

/* Where the arguments are in a block. */
static uint32_t arguments_at(const struct probe_kernel *kernel)
{
	return align_up(context_bytes(), kernel->plan->align);
}

static uint32_t block_bytes(const struct probe_kernel *kernel)
{
	return align_up(arguments_at(kernel) + kernel->plan->size, 64);
}

/* Replicas that fit an arena: a power of two, 0 = not even one. */
static uint32_t replicas_for(uint32_t sites)
{
	uint32_t fit = PROBE_ARENA_BYTES / (PROBE_COUNTERS * 8) / (sites ? sites : 1);
	uint32_t replicas = PROBE_REPLICAS_MAX;

	while (replicas > fit)
		replicas /= 2;
	return replicas;
}

static uint32_t check_memory(struct launch *launch)
{
	const struct probe_kernel *kernel = launch->kernel;

	if (!kernel->site_count)
		return PROBE_V_SWAPPED;
	if (!launch->queue->counters ||
	    atomic_load_explicit(&launch->queue->counters_broken, memory_order_relaxed))
		return PROBE_V_MEMORY;
	launch->replicas = replicas_for(kernel->site_count);
	return launch->replicas ? PROBE_V_SWAPPED : PROBE_V_TOO_MANY_SITES;
}

/* Stack of a lane; what callees may need in addition is given as far as the hardware can. */
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

static uint32_t check_resources(struct launch *launch)
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
	if (clone->max_group && items > clone->max_group)
		return PROBE_V_WORKGROUP;
	if (launch->queue->agent->lds_max && launch->group_size > launch->queue->agent->lds_max)
		return PROBE_V_LDS;
	return PROBE_V_SWAPPED;
}

/* On a cooperative queue the clone must leave room for all workgroups, as the original did. */
static bool stays_resident(const struct launch *launch)
{
	const hsa_kernel_dispatch_packet_t *packet = launch->packet;
	const struct probe_kernel *kernel = launch->kernel, *clone = kernel->clone;
	const struct probe_agent *agent = launch->queue->agent;
	struct probe_occupancy_launch occupancy = {
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
	return probe_occupancy_keeps(&occupancy);
}

static uint32_t decide(struct launch *launch)
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
	if (!launch->queue->kernargs || block_bytes(kernel) > PROBE_KERNARG_BYTES / 2 ||
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

/* 0 with a filter in force: each wave must look. */
static uint64_t ring_rows(const hsa_kernel_dispatch_packet_t *packet)
{
	const uint32_t grid[3] = {packet->grid_size_x, packet->grid_size_y, packet->grid_size_z};
	const uint32_t group[3] = {packet->workgroup_size_x, packet->workgroup_size_y,
				   packet->workgroup_size_z};

	if (probe_tool.config.workgroups_restricted)
		return 0;
	return probe_tool.config.kind == PROBE_KIND_TRACE ? probe_trace_rows(grid, group) : 1;
}

/* Room in the ring of argument blocks, which never wrap. False = not now. */
static bool take_bytes(struct launch *launch, uint32_t size, uint32_t room)
{
	struct probe_queue *queue = launch->queue;
	uint64_t head = queue->kernarg_head;
	/* Pairs with the collector's release: the kernel has read its block. */
	uint64_t tail = atomic_load_explicit(&queue->kernarg_tail, memory_order_acquire);
	uint64_t rest = PROBE_KERNARG_BYTES - head % PROBE_KERNARG_BYTES;

	if (rest < size)
		head += rest;
	if (head + size - tail > room)
		return false;
	launch->block = queue->kernargs + head % PROBE_KERNARG_BYTES;
	launch->kernarg_end = head + size;
	return true;
}

static bool tells_late(const struct launch *launch)
{
	return probe_tool.config.kind == PROBE_KIND_TIME && ring_rows(launch->packet);
}

/* Places for late waves only from what other launches are not likely to need soon. */
static bool take_block(struct launch *launch)
{
	uint32_t size = block_bytes(launch->kernel);
	uint32_t waves = tells_late(launch) ? probe_late_waves(launch->packet) : 0;

	if (waves && take_bytes(launch, size + probe_late_bytes(waves), PROBE_KERNARG_BYTES / 2)) {
		launch->late = (struct probe_late *)(void *)(launch->block + size);
		launch->late_waves = waves;
		return true;
	}
	return take_bytes(launch, size, PROBE_KERNARG_BYTES);
}

/* Are 16 lanes from a multiple of 16 on neighbours in x? */
static bool has_rows16(const hsa_kernel_dispatch_packet_t *packet)
{
	return packet->workgroup_size_x % 16 == 0 ||
	       (packet->workgroup_size_y == 1 && packet->workgroup_size_z == 1);
}

/* What the host will reckon of the launch. */
static void fill_reckoned(const hsa_kernel_dispatch_packet_t *packet, struct probe_ctx *ret)
{
	const uint32_t grid[3] = {packet->grid_size_x, packet->grid_size_y, packet->grid_size_z};
	const uint32_t group[3] = {packet->workgroup_size_x, packet->workgroup_size_y,
				   packet->workgroup_size_z};
	uint64_t waves;

	ret->regular = probe_regular_exec(grid, group, &waves);
	ret->reckoned = probe_launch_reckoned(grid, group);
}

static void set_table(struct probe_ctx *ctx, uint64_t table)
{
	const uint32_t row = PROBE_COUNTERS * 8;

	ctx->counters = table;
	ctx->row_0 = table - (uint64_t)ctx->site_first * row;
	ctx->replica_step = (uint64_t)ctx->site_count * row << 32 | ctx->replica_mask;
}

/*
 * Workgroups are dealt to shader engines and compute units, and their waves to SIMDs: so many find
 * large rings of their own.
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

static void fill_rings(const struct launch *launch, struct probe_ctx *ret)
{
	const struct probe_agent *agent = launch->queue->agent;
	const struct probe_ctx *rings = &agent->rings[is_small(launch->packet, agent->large_count)];

	ret->rows = ring_rows(launch->packet);
	ret->ring_states = rings->ring_states;
	ret->ring_heads = rings->ring_heads;
	ret->ring_data = rings->ring_data;
	ret->ring_mask = rings->ring_mask;
	ret->ring_size = rings->ring_size;
	ret->ring_places = rings->ring_places;
	ret->wave = rings->wave;
	ret->wave.rows = ret->rows;
	ret->wave.dispatch = launch->id;
	if (ret->rows)
		return;
	/* Each wave must look: all go the long way. */
	ret->wave.states = agent->ring_nobody;
	ret->wave.places = 0;
}

static void fill_context(const struct launch *launch, uint64_t turn, struct probe_ctx *ret)
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
		set_table(ret, (uint64_t)(uintptr_t)probe_queue_arena(queue, turn)->device);
		fill_reckoned(launch->packet, ret);
		ret->rows16 = has_rows16(launch->packet);
	}
	if (queue->agent->ring_count && probe_kind_has_rings(probe_tool.config.kind))
		fill_rings(launch, ret);
}

static void put_dispatch(const struct launch *launch)
{
	const hsa_kernel_dispatch_packet_t *packet = launch->packet;
	const amd_queue_t *hardware = (const amd_queue_t *)launch->queue->real;
	const struct probe_kernel *kernel = launch->kernel;
	bool swapped = launch->verdict == PROBE_V_SWAPPED;
	struct probe_hr_dispatch row = {
		.id = launch->id,
		.queue = launch->queue->id,
		.agent = launch->queue->agent->index,
		.kernel = kernel ? kernel->id : 0,
		.launched = swapped  ? kernel->clone->id
			    : kernel ? kernel->id
				     : 0,
		.kind = swapped ? probe_tool.config.kind : PROBE_KIND_NONE,
		.verdict = launch->verdict,
		.grid = {packet->grid_size_x, packet->grid_size_y, packet->grid_size_z},
		.group = {packet->workgroup_size_x, packet->workgroup_size_y,
			  packet->workgroup_size_z},
		.dims = packet->setup & 3,
		.packet = (uint32_t)launch->index,
		.group_size = packet->group_segment_size,
		.private_size = packet->private_segment_size,
		.lds_aperture = hardware->group_segment_aperture_base_hi,
		.scratch_aperture = hardware->private_segment_aperture_base_hi,
		.kernel_object = packet->kernel_object,
	};
	struct iovec part = {&row, sizeof(row)};

	probe_segment_put(&probe_tool.segment, PROBE_HR_DISPATCH, &part, 1);
	atomic_fetch_add_explicit(&probe_tool.verdicts[launch->verdict], 1, memory_order_relaxed);
}

/* What proofs are reckoned with: explicit arguments come first, and they are not many. */
static void put_arguments(const struct launch *launch)
{
	uint32_t size = launch->kernel->plan->size;
	struct probe_hr_arguments row = {
		.dispatch = launch->id,
		.bytes = size < PROBE_ARGUMENTS_MAX ? size : PROBE_ARGUMENTS_MAX,
	};
	struct iovec parts[] = {{&row, sizeof(row)},
				{launch->block + arguments_at(launch->kernel), row.bytes}};

	probe_segment_put(&probe_tool.segment, PROBE_HR_ARGUMENTS, parts, 2);
}

static void build_block(const struct launch *launch, uint64_t turn)
{
	const struct probe_kernarg_plan *plan = launch->kernel->plan;
	const amd_queue_t *hardware = (const amd_queue_t *)launch->queue->real;
	uint8_t *arguments = launch->block + arguments_at(launch->kernel);
	struct probe_ctx *ctx = (struct probe_ctx *)(void *)(arguments - context_bytes());
	uint64_t context = (uint64_t)(uintptr_t)ctx;
	struct probe_kernarg_launch from = {
		.packet = launch->packet,
		.group_fixed = launch->kernel->group_size,
		.lds_aperture = hardware->group_segment_aperture_base_hi,
		.scratch_aperture = hardware->private_segment_aperture_base_hi,
		.queue = (uint64_t)(uintptr_t)hardware,
	};

	fill_context(launch, turn, ctx);
	if (launch->replicas && probe_tool.config.workgroups_restricted) {
		ctx[1] = ctx[0];
		set_table(&ctx[1], (uint64_t)(uintptr_t)launch->queue->sink);
		context |= PROBE_CTX_FILTERED;
	}
	if (probe_tool.config.kind == PROBE_KIND_TIME)
		probe_late_begin(launch->packet, launch->late,
				 (struct probe_ctx_late *)(void *)arguments - 1);
	probe_kernargs_build(plan, launch->packet->kernarg_address, context, &from, arguments);
}

/*
 * A packet that holds the kernel back until the arena's last user has been read out. The kernel's
 * barrier bit makes sure that it does not start past the gate.
 */
static void build_gate(const struct probe_queue *queue, uint64_t turn, struct probe_packet *ret)
{
	hsa_barrier_and_packet_t gate = {
		.header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE,
	};

	gate.dep_signal[0] = probe_signal_handle(probe_queue_gate(queue, turn));
	memcpy(ret, &gate, sizeof(gate));
}

static bool must_wait(const struct probe_queue *queue, uint64_t turn)
{
	return turn >= PROBE_ARENAS &&
	       probe_signal_get(probe_queue_gate(queue, turn - PROBE_ARENAS)) != 0;
}

static uint16_t with_scope(uint16_t header, int shift, uint16_t scope)
{
	uint16_t mask =
		(uint16_t)(((1 << HSA_PACKET_HEADER_WIDTH_SCACQUIRE_FENCE_SCOPE) - 1) << shift);

	return (uint16_t)((header & ~mask) | scope << shift);
}

/*
 * Counters are written by copies and read by copies, which is what system scope is for; HIP asks
 * for agent scope between its own kernels.
 */
static void swap_kernel(const struct launch *launch, hsa_kernel_dispatch_packet_t *packet)
{
	packet->header = with_scope(packet->header, HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE,
				    HSA_FENCE_SCOPE_SYSTEM);
	packet->header = with_scope(packet->header, HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE,
				    HSA_FENCE_SCOPE_SYSTEM);
	packet->kernel_object = launch->kernel->clone->object;
	packet->kernarg_address = launch->block + arguments_at(launch->kernel);
	packet->group_segment_size = launch->group_size;
	packet->private_segment_size = launch->private_size;
}

static void begin_entry(const struct launch *launch, uint64_t turn, uint64_t entry)
{
	struct probe_queue *queue = launch->queue;
	bool swapped = launch->verdict == PROBE_V_SWAPPED;

	queue->entries[entry & (PROBE_ENTRIES - 1)] = (struct probe_entry){
		.id = launch->id,
		.kernel = launch->kernel,
		.application = launch->packet->completion_signal,
		.kernarg_end = queue->kernarg_head,
		.kind = swapped ? probe_tool.config.kind : PROBE_KIND_NONE,
		.replicas = launch->replicas,
		.turn = turn,
		.packet = launch->index,
		.late = swapped ? launch->late : NULL,
		.late_waves = launch->late_waves,
	};
	probe_signal_set(probe_queue_completion(queue, entry), 1);
	/* Pairs with the collector's acquire: the entry is whole. */
	atomic_store_explicit(&queue->head, entry + 1, memory_order_release);
}

int probe_swap(struct probe_queue *queue, const hsa_kernel_dispatch_packet_t *packet,
	       struct probe_packet out[PROBE_PACKETS_MAX])
{
	struct launch launch = {
		.queue = queue,
		.packet = packet,
		.kernel = probe_kernel_table_find(packet->kernel_object),
	};
	uint64_t entry = atomic_load_explicit(&queue->head, memory_order_relaxed);
	hsa_kernel_dispatch_packet_t changed = *packet;
	uint64_t turn = queue->turns;
	int count = 0;

	if (!probe_tool_active()) {
		memcpy(out, packet, sizeof(*packet));
		return 1;
	}
	/* Room first: a dispatch that must wait is decided about, and counted, only once. */
	if (launch.kernel && launch.kernel->plan && queue->kernargs &&
	    block_bytes(launch.kernel) <= PROBE_KERNARG_BYTES / 2 && !take_block(&launch))
		return 0;
	launch.verdict = decide(&launch);
	if (launch.verdict != PROBE_V_SWAPPED)
		launch.replicas = 0;
	launch.id = atomic_fetch_add_explicit(&probe_tool.dispatches, 1, memory_order_relaxed) + 1;
	changed.completion_signal = probe_signal_handle(probe_queue_completion(queue, entry));
	if (launch.verdict == PROBE_V_SWAPPED) {
		queue->kernarg_head = launch.kernarg_end;
		build_block(&launch, turn);
		swap_kernel(&launch, &changed);
	}
	if (launch.replicas) {
		probe_signal_set(probe_queue_gate(queue, turn), 1);
		queue->turns++;
		if (must_wait(queue, turn)) {
			build_gate(queue, turn - PROBE_ARENAS, &out[count++]);
			changed.header |= 1 << HSA_PACKET_HEADER_BARRIER;
		}
	}
	launch.index = queue->written + (uint64_t)count;
	put_dispatch(&launch);
	if (launch.replicas ||
	    (launch.verdict == PROBE_V_SWAPPED && probe_tool.config.kind == PROBE_KIND_TRACE))
		put_arguments(&launch);
	begin_entry(&launch, turn, entry);
	memcpy(&out[count++], &changed, sizeof(changed));
	return count;
}
