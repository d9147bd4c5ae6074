/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/launch/dispatch.h"

#include <string.h>

#include "hsa-plugin/launch/launch_block.h"
#include "hsa-plugin/launch/launch_verdict.h"
#include "hsa-plugin/trace/calls.h"
#include "hsa-plugin/trace/stacks.h"

static void put_dispatch(const struct probe_launch *launch)
{
	const hsa_kernel_dispatch_packet_t *packet = launch->packet;
	const amd_queue_t *hardware = (const amd_queue_t *)launch->queue->real;
	const struct probe_kernel *kernel = launch->kernel;
	bool swapped = launch->verdict == PROBE_V_SWAPPED;
	uint32_t id = kernel ? kernel->id : 0;
	struct probe_hr_dispatch row = {
		.id = launch->id,
		.queue = launch->queue->id,
		.agent = launch->queue->agent->index,
		.kernel = id,
		.launched = swapped ? kernel->clone->id : id,
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
	struct probe_hr_dispatch_origin origin = {0};
	struct probe_hr_dispatch_stack stack = {0};
	struct iovec parts[] = {
		{&row, sizeof(row)}, {&origin, sizeof(origin)}, {&stack, sizeof(stack)}};
	int count = 1;

	if (probe_tool.config.traced) {
		origin.correlation = probe_correlation_current();
		count++;
	}
	if (probe_tool.config.traced & PROBE_TRACED_STACKS) {
		stack.stack = probe_stack_current();
		count++;
	}
	probe_segment_put(&probe_tool.segment, PROBE_HR_DISPATCH, parts, count);
	atomic_fetch_add_explicit(&probe_tool.verdicts[launch->verdict], 1, memory_order_relaxed);
}

/*
 * For probe-run, which evaluates proofs with the arguments. Explicit arguments come first and are
 * few.
 */
static void put_arguments(const struct probe_launch *launch)
{
	uint32_t size = launch->kernel->plan->size;
	struct probe_hr_arguments row = {
		.dispatch = launch->id,
		.bytes = size < PROBE_ARGUMENTS_MAX ? size : PROBE_ARGUMENTS_MAX,
	};
	struct iovec parts[] = {{&row, sizeof(row)}, {probe_launch_arguments(launch), row.bytes}};

	probe_segment_put(&probe_tool.segment, PROBE_HR_ARGUMENTS, parts, 2);
}

/*
 * A packet that holds the kernel back until the counters of the table's previous use are read. The
 * kernel's barrier bit makes sure that it does not start before the gate opens.
 */
static void build_gate(const struct probe_queue *queue, uint64_t use, struct probe_packet *ret)
{
	hsa_barrier_and_packet_t gate = {
		.header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE,
	};

	gate.dep_signal[0] = probe_signal_handle(probe_queue_gate(queue, use));
	memcpy(ret, &gate, sizeof(gate));
}

static bool must_wait(const struct probe_queue *queue, uint64_t use)
{
	return use >= PROBE_TABLES &&
	       probe_signal_get(probe_queue_gate(queue, use - PROBE_TABLES)) != 0;
}

static uint16_t with_scope(uint16_t header, int shift, uint16_t scope)
{
	uint16_t mask =
		(uint16_t)(((1 << HSA_PACKET_HEADER_WIDTH_SCACQUIRE_FENCE_SCOPE) - 1) << shift);

	return (uint16_t)((header & ~mask) | scope << shift);
}

/*
 * Copies write and read the counters, which requires system scope; between its own kernels HIP
 * requests agent scope only.
 */
static void swap_kernel(const struct probe_launch *launch, hsa_kernel_dispatch_packet_t *packet)
{
	packet->header = with_scope(packet->header, HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE,
				    HSA_FENCE_SCOPE_SYSTEM);
	packet->header = with_scope(packet->header, HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE,
				    HSA_FENCE_SCOPE_SYSTEM);
	packet->kernel_object = launch->kernel->clone->object;
	packet->kernarg_address = probe_launch_arguments(launch);
	packet->group_segment_size = launch->group_size;
	packet->private_segment_size = launch->private_size;
}

static void begin_inflight(const struct probe_launch *launch, uint64_t table_use, uint64_t index)
{
	struct probe_queue *queue = launch->queue;
	bool swapped = launch->verdict == PROBE_V_SWAPPED;

	*probe_queue_inflight(queue, index) = (struct probe_inflight){
		.id = launch->id,
		.kernel = launch->kernel,
		.application = launch->packet->completion_signal,
		.kernarg_end = queue->kernarg_head,
		.kind = swapped ? probe_tool.config.kind : PROBE_KIND_NONE,
		.replicas = launch->replicas,
		.table_use = table_use,
		.packet = launch->index,
		.storage = swapped ? launch->storage : NULL,
		.storage_waves = launch->storage_waves,
	};
	probe_signal_set(probe_queue_completion(queue, index), 1);
	/*
	 * Pairs with the acquire in probe_queue_collect(): all fields of the dispatch are visible.
	 */
	atomic_store_explicit(&queue->head, index + 1, memory_order_release);
}

/* False if the launch needs a block and there is currently no space for one. */
static bool reserve_block(struct probe_launch *launch)
{
	const struct probe_kernel *kernel = launch->kernel;

	if (!kernel || !kernel->plan || !launch->queue->kernargs ||
	    probe_launch_block_bytes(kernel) > PROBE_KERNARG_BYTES / 2)
		return true;
	return probe_launch_block_reserve(launch);
}

int probe_dispatch(struct probe_queue *queue, const hsa_kernel_dispatch_packet_t *packet,
		   struct probe_packet out[PROBE_PACKETS_MAX])
{
	struct probe_launch launch = {
		.queue = queue,
		.packet = packet,
		.kernel = probe_kernel_table_find(packet->kernel_object),
	};
	uint64_t index = atomic_load_explicit(&queue->head, memory_order_relaxed);
	hsa_kernel_dispatch_packet_t changed = *packet;
	uint64_t use = queue->table_uses;
	int count = 0;

	if (!probe_tool_recording()) {
		atomic_fetch_add_explicit(&probe_tool.unrecorded, probe_tool_active(),
					  memory_order_relaxed);
		memcpy(out, packet, sizeof(*packet));
		return 1;
	}
	/* Space first: a dispatch that has to wait is decided and counted only once. */
	if (!reserve_block(&launch))
		return 0;
	probe_launch_decide(&launch);
	launch.id = atomic_fetch_add_explicit(&probe_tool.dispatches, 1, memory_order_relaxed) + 1;
	changed.completion_signal = probe_signal_handle(probe_queue_completion(queue, index));
	if (launch.verdict == PROBE_V_SWAPPED) {
		queue->kernarg_head = launch.kernarg_end;
		probe_launch_block_fill(&launch, use);
		swap_kernel(&launch, &changed);
	}
	if (launch.replicas) {
		probe_signal_set(probe_queue_gate(queue, use), 1);
		queue->table_uses++;
		if (must_wait(queue, use)) {
			build_gate(queue, use - PROBE_TABLES, &out[count++]);
			changed.header |= 1 << HSA_PACKET_HEADER_BARRIER;
		}
	}
	launch.index = queue->written + (uint64_t)count;
	put_dispatch(&launch);
	if (launch.replicas ||
	    (launch.verdict == PROBE_V_SWAPPED && probe_tool.config.kind == PROBE_KIND_TRACE))
		put_arguments(&launch);
	begin_inflight(&launch, use, index);
	memcpy(&out[count++], &changed, sizeof(changed));
	return count;
}
