/* SPDX-License-Identifier: MIT */
/*
 * The packet processor of a compute queue: AQL packets (HSA System Architecture 2.9) and AMD's
 * vendor packets.
 *
 * Packets run strictly one after the other, so barrier bits and fences are always respected.
 */
#include "simgpu/queue/aql_packets.h"

#include <inttypes.h>
#include <string.h>

#include <hsa/hsa_ext_amd.h>

#include "simgpu/base/backoff.h"
#include "simgpu/diag/statistics.h"
#include "simgpu/group/kernel_name.h"
#include "simgpu/queue/aql_signals.h"
#include "simgpu/queue/dispatch_run.h"
#include "simgpu/queue/pm4_packets.h"
#include "simgpu/queue/queue_error.h"
#include "simgpu/queue/scratch_memory.h"
#include "simgpu/base/device_clock.h"
#include "simgpu/base/sim_log.h"
#include "simgpu/mem/gpu_allocations.h"
#include "simgpu/base/sim_options.h"
#include "simgpu/event/hsa_signal.h"

enum {
	PACKET_BYTES = 64,
	VENDOR_PM4_IB = 1, /* format byte of a vendor packet */
	VENDOR_BARRIER_VALUE = 2,
	PM4_MAX_DWORDS = 1024, /* ROCr's buffer is one page */
	HOLD_US = 20,
};

/* The outcome of a packet. */
enum outcome {
	PACKET_DONE,
	PACKET_QUIT, /* abandoned: the queue is being destroyed or dead */
};

static uint8_t *packet_at(const struct sim_queue *queue, uint64_t index)
{
	return queue->ring + (index * PACKET_BYTES & (queue->ring_size - 1));
}

static _Atomic uint16_t *header_of(uint8_t *packet)
{
	return (_Atomic uint16_t *)packet;
}

static unsigned packet_type(uint16_t header)
{
	return header >> HSA_PACKET_HEADER_TYPE & 0xff;
}

/*
 * A packet belongs to the processor as soon as its header is not INVALID. The doorbell alone is not
 * sufficient: several producers may ring out of order, so that a later value is smaller.
 */
bool sim_aql_ready(const struct sim_queue *queue)
{
	uint64_t read = atomic_load_explicit(queue->read, memory_order_relaxed);
	uint16_t header;

	if (atomic_load_explicit(queue->doorbell, memory_order_acquire) == UINT64_MAX ||
	    atomic_load_explicit(queue->write, memory_order_acquire) <= read)
		return false;
	/* Pairs with the producer's release of the header: the packet's body is visible. */
	header = atomic_load_explicit(header_of(packet_at(queue, read)), memory_order_acquire);
	return packet_type(header) != HSA_PACKET_TYPE_INVALID;
}

/* In simulated time. To be called before retire(), which notifies the host. */
static void announce(struct sim_queue *queue, hsa_signal_t completion, uint64_t end)
{
	if (completion.handle)
		sim_timeline_signal(&queue->time, end);
}

/* Frees the slot, then signals, because ROCr may reuse the packet at once. */
static void retire(struct sim_queue *queue, uint8_t *packet, hsa_signal_t completion, uint64_t end)
{
	uint64_t start = queue->time.start;
	uint64_t read = atomic_load_explicit(queue->read, memory_order_relaxed);
	amd_signal_t *signal = sim_signal(completion);

	atomic_store_explicit(header_of(packet), HSA_PACKET_TYPE_INVALID, memory_order_release);
	atomic_store_explicit(queue->read, read + 1, memory_order_release);
	if (signal)
		sim_signal_complete(signal, start, end);
	else if (completion.handle)
		sim_print("queue %u: completion signal 0x%" PRIx64 " of packet %" PRIu64
			  " is not in memory of the GPU",
			  queue->id, completion.handle, read);
}

static enum outcome refuse(struct sim_queue *queue, enum sim_error error)
{
	sim_queue_error(queue, error);
	return PACKET_QUIT;
}

/*
 * The runtime writes code with a kernel of its own, which has no symbol; its second argument is the
 * target. It waits for it in calls that may come anywhere, because modules are loaded when a kernel
 * is first needed. So this counts as work of the host, and takes no time of the device.
 */
static bool uploads_code(const struct sim_dispatch *dispatch)
{
	const void *arguments = dispatch->packet->kernarg_address;
	uint64_t target[2];
	struct sim_range range;
	char name[256];

	if (!sim_mem_allows((uint64_t)(uintptr_t)arguments, sizeof(target), SIM_MEM_READ, NULL))
		return false;
	memcpy(target, sim_mem_pointer((uint64_t)(uintptr_t)arguments), sizeof(target));
	return !sim_mem_find(target[1], &range) && range.flags & SIM_MEM_EXEC &&
	       !sim_kernel_name(dispatch->launch.kernel.descriptor, name, sizeof(name));
}

static enum outcome dispatch_kernel(struct sim_queue *queue, uint8_t *packet)
{
	struct sim_dispatch *dispatch = queue->dispatch;
	enum sim_error error;
	bool upload;

	dispatch->packet = (const hsa_kernel_dispatch_packet_t *)packet;
	dispatch->index = atomic_load_explicit(queue->read, memory_order_relaxed);
	if (!sim_scratch_acquire(dispatch))
		return PACKET_QUIT;
	error = sim_launch_prepare(dispatch);
	if (error)
		return refuse(queue, error);
	upload = dispatch->timing.upload = uploads_code(dispatch);
	if (upload) {
		dispatch->timing.start_tick = sim_timeline_begin(&queue->time, false);
	} else {
		sim_timeline_pick(&queue->time);
		dispatch->timing.start_tick = sim_timeline_launch(&queue->time);
	}
	dispatch->timing.start_cycle = dispatch->timing.start_tick * sim_tick_cycles();
	if (!sim_dispatch_run(dispatch))
		return PACKET_QUIT;
	dispatch->timing.end_tick =
		sim_timeline_end(&queue->time, upload ? 0 : dispatch->timing.cycles);
	sim_debug(2, "queue %u packet %" PRIu64 ": %" PRIu64 " workgroups, %" PRIu64 " us",
		  queue->id, dispatch->index, dispatch->launch.total,
		  dispatch->timing.host_ns / 1000);
	sim_statistics_add(dispatch);
	sim_scratch_release(dispatch);
	if (!upload)
		announce(queue, dispatch->packet->completion_signal, dispatch->timing.end_tick);
	retire(queue, packet, dispatch->packet->completion_signal, dispatch->timing.end_tick);
	return PACKET_DONE;
}

/* For packets that only wait. */
static void begin_barrier(struct sim_queue *queue, hsa_signal_t completion)
{
	sim_timeline_pick(&queue->time);
	sim_timeline_begin(&queue->time, completion.handle);
}

/*
 * HIP 5.2.3 stores a marker's time stamp object after it has rung the doorbell. If the marker
 * completes before that, HIP uses the host's clock instead of the device's (Event::setStatus
 * without a time stamp), which is wrong in simulated time. No real queue is that fast.
 */
static void hold_back(hsa_signal_t completion)
{
	const amd_signal_t *signal = sim_signal(completion);

	if (signal && signal->event_mailbox_ptr && sim_options()->model)
		sim_sleep_us(HOLD_US);
}

static void end_barrier(struct sim_queue *queue, uint8_t *packet, hsa_signal_t completion)
{
	uint64_t end = sim_timeline_end(&queue->time, 0);

	if (queue->fresh)
		hold_back(completion);
	announce(queue, completion, end);
	retire(queue, packet, completion, end);
}

/* A dependency is met when its value is 0; a null handle is always met. */
static bool met(hsa_signal_t handle)
{
	const amd_signal_t *signal = sim_signal(handle);

	return !signal || !sim_signal_value(signal);
}

static bool and_met(const hsa_signal_t *signals)
{
	for (int i = 0; i < 5; i++)
		if (!met(signals[i]))
			return false;
	return true;
}

/*
 * The tick at which a met dependency ended, from the time stamp of the part of the device that
 * completed it.
 */
static uint64_t end_of(hsa_signal_t handle)
{
	const amd_signal_t *signal = sim_signal(handle);

	return signal ? signal->end_ts : 0;
}

/* Waits in simulated time for all of them, or for the first that has ended. */
static void wait_in_time(struct sim_queue *queue, const hsa_signal_t *signals, bool all)
{
	uint64_t first = UINT64_MAX;

	for (int i = 0; i < 5; i++) {
		uint64_t end = end_of(signals[i]);

		if (all)
			sim_timeline_after(&queue->time, end);
		else if (signals[i].handle && met(signals[i]) && end < first)
			first = end;
	}
	if (!all && first != UINT64_MAX)
		sim_timeline_after(&queue->time, first);
}

/* Null handles are ignored, unless all are null. */
static bool or_met(const hsa_signal_t *signals)
{
	bool any = false;

	for (int i = 0; i < 5; i++) {
		if (!signals[i].handle)
			continue;
		if (met(signals[i]))
			return true;
		any = true;
	}
	return !any;
}

static enum outcome barrier(struct sim_queue *queue, uint8_t *packet, bool all)
{
	const hsa_barrier_and_packet_t *body = (const void *)packet;
	struct sim_backoff backoff = {0};

	begin_barrier(queue, body->completion_signal);
	while (!(all ? and_met : or_met)(body->dep_signal))
		if (!sim_queue_pause(queue, &backoff))
			return PACKET_QUIT;
	wait_in_time(queue, body->dep_signal, all);
	end_barrier(queue, packet, body->completion_signal);
	return PACKET_DONE;
}

static bool compare(int64_t value, hsa_signal_condition32_t condition, int64_t with)
{
	switch (condition) {
	case HSA_SIGNAL_CONDITION_EQ:
		return value == with;
	case HSA_SIGNAL_CONDITION_NE:
		return value != with;
	case HSA_SIGNAL_CONDITION_LT:
		return value < with;
	default:
		return value >= with;
	}
}

static enum outcome barrier_value(struct sim_queue *queue, uint8_t *packet)
{
	const hsa_amd_barrier_value_packet_t *body = (const void *)packet;
	struct sim_backoff backoff = {0};
	const amd_signal_t *signal;

	if (body->cond > HSA_SIGNAL_CONDITION_GTE)
		return refuse(queue, SIM_ERROR_VENDOR_PACKET);
	begin_barrier(queue, body->completion_signal);
	while ((signal = sim_signal(body->signal)) &&
	       !compare(sim_signal_value(signal) & body->mask, body->cond, body->value))
		if (!sim_queue_pause(queue, &backoff))
			return PACKET_QUIT;
	sim_timeline_after(&queue->time, end_of(body->signal));
	end_barrier(queue, packet, body->completion_signal);
	return PACKET_DONE;
}

/* Both ways to begin and end a packet that only waits: `timed` takes part in simulated time. */
static void begin_pm4(struct sim_queue *queue, hsa_signal_t completion, bool timed)
{
	if (timed)
		begin_barrier(queue, completion);
	else
		sim_timeline_begin(&queue->time, false);
}

static void end_pm4(struct sim_queue *queue, uint8_t *packet, hsa_signal_t completion, bool timed)
{
	if (timed)
		end_barrier(queue, packet, completion);
	else
		retire(queue, packet, completion, sim_timeline_end(&queue->time, 0));
}

/*
 * ROCr fetches PC samples when its threads get to it, so that takes no time of the device:
 * otherwise simulated time would depend on the host's.
 */
static enum outcome pm4_buffer(struct sim_queue *queue, uint8_t *packet)
{
	const hsa_barrier_and_packet_t *body = (const void *)packet;
	uint32_t words[PACKET_BYTES / 4];
	enum sim_pm4_result result;
	const uint32_t *buffer;
	uint64_t address;
	uint32_t count;
	bool timed;

	/* INDIRECT_BUFFER: header, base low, base high, size in dwords 19..0. */
	memcpy(words, packet, sizeof(words));
	address = (words[2] & ~3u) | (uint64_t)(words[3] & 0xffff) << 32;
	count = words[4] & 0xfffff;
	if (!count || count > PM4_MAX_DWORDS ||
	    !sim_mem_allows(address, count * 4ull, SIM_MEM_READ, NULL))
		return refuse(queue, SIM_ERROR_VENDOR_PACKET);
	buffer = sim_mem_pointer(address);
	timed = sim_pm4_flushes(buffer[0]);
	begin_pm4(queue, body->completion_signal, timed);
	result = sim_pm4_run(queue, buffer, count);
	if (result == SIM_PM4_QUIT)
		return PACKET_QUIT;
	if (result == SIM_PM4_REFUSED)
		return refuse(queue, SIM_ERROR_VENDOR_PACKET);
	end_pm4(queue, packet, body->completion_signal, timed);
	return PACKET_DONE;
}

static enum outcome vendor(struct sim_queue *queue, uint8_t *packet)
{
	uint8_t format = packet[2];

	if (format == VENDOR_PM4_IB)
		return pm4_buffer(queue, packet);
	if (format == VENDOR_BARRIER_VALUE)
		return barrier_value(queue, packet);
	sim_print("queue %u: vendor packet of unknown format %u", queue->id, format);
	return refuse(queue, SIM_ERROR_VENDOR_PACKET);
}

static enum outcome process_packet(struct sim_queue *queue)
{
	uint64_t read = atomic_load_explicit(queue->read, memory_order_relaxed);
	uint8_t *packet = packet_at(queue, read);
	uint16_t header = atomic_load_explicit(header_of(packet), memory_order_acquire);

	sim_debug(2, "queue %u packet %" PRIu64 ": header 0x%04x", queue->id, read, header);
	if (!sim_aql_check_signals(queue, packet, packet_type(header)))
		return PACKET_QUIT;
	switch (packet_type(header)) {
	case HSA_PACKET_TYPE_KERNEL_DISPATCH:
		return dispatch_kernel(queue, packet);
	case HSA_PACKET_TYPE_BARRIER_AND:
		return barrier(queue, packet, true);
	case HSA_PACKET_TYPE_BARRIER_OR:
		return barrier(queue, packet, false);
	case HSA_PACKET_TYPE_VENDOR_SPECIFIC:
		return vendor(queue, packet);
	default:
		sim_print("queue %u: packet type %u is not one of a kernel queue", queue->id,
			  packet_type(header));
		return refuse(queue, SIM_ERROR_PACKET);
	}
}

void sim_aql_process(struct sim_queue *queue)
{
	while (!atomic_load_explicit(&queue->quit, memory_order_acquire) && sim_queue_runs(queue) &&
	       sim_aql_ready(queue)) {
		if (process_packet(queue) == PACKET_QUIT)
			return;
		queue->fresh = false;
	}
	queue->fresh = true;
	sim_timeline_dry(&queue->time);
}
