/* SPDX-License-Identifier: MIT */
/*
 * Handles in a packet are untrusted addresses. Those of signals are checked before the packet
 * begins; the others where they are used.
 */
#include "simgpu/queue/aql_signals.h"

#include <inttypes.h>

#include <hsa/hsa_ext_amd.h>

#include "simgpu/queue/queue_error.h"
#include "simgpu/mem/gpu_allocations.h"
#include "simgpu/base/sim_log.h"
#include "simgpu/event/hsa_signal.h"

static bool check(struct sim_queue *queue, const char *which, hsa_signal_t handle, bool write)
{
	struct sim_fault fault = {
		.kind = write ? SIM_FAULT_WRITE : SIM_FAULT_READ,
		.addr = handle.handle,
		.size = sizeof(amd_signal_t),
		.lane = -1,
	};
	char near[256];

	if (!handle.handle || sim_signal(handle))
		return true;
	sim_mem_describe(handle.handle, near, sizeof(near));
	sim_print("memory fault on %s: queue %u, packet %" PRIu64 ", %s signal 0x%" PRIx64
		  " is not a signal; %s",
		  write ? "write" : "read", queue->id,
		  atomic_load_explicit(queue->read, memory_order_relaxed), which, handle.handle,
		  near);
	sim_memory_error(queue, &fault);
	return false;
}

bool sim_aql_check_signals(struct sim_queue *queue, const uint8_t *packet, unsigned type)
{
	const hsa_barrier_and_packet_t *barrier = (const void *)packet;
	const hsa_amd_barrier_value_packet_t *value = (const void *)packet;

	if (type == HSA_PACKET_TYPE_BARRIER_AND || type == HSA_PACKET_TYPE_BARRIER_OR)
		for (int i = 0; i < 5; i++)
			if (!check(queue, "dependency", barrier->dep_signal[i], false))
				return false;
	if (type == HSA_PACKET_TYPE_VENDOR_SPECIFIC &&
	    value->header.AmdFormat == HSA_AMD_PACKET_TYPE_BARRIER_VALUE &&
	    !check(queue, "dependency", value->signal, false))
		return false;
	/* At the same position in packets of every type. */
	return check(queue, "completion", barrier->completion_signal, true);
}
