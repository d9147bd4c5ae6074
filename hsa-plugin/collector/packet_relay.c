/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/collector/packet_relay.h"

#include <errno.h>
#include <string.h>

#include "hsa-plugin/collector/collector_wakeup.h"
#include "hsa-plugin/launch/dispatch.h"

static uint32_t packet_type(uint16_t header)
{
	return header >> HSA_PACKET_HEADER_TYPE & ((1 << HSA_PACKET_HEADER_WIDTH_TYPE) - 1);
}

static struct probe_packet *slot(const hsa_queue_t *queue, uint64_t index)
{
	return (struct probe_packet *)queue->base_address + (index & (queue->size - 1));
}

/* The first 32 bits are written last: they hand the packet to the packet processor. */
static void publish(struct probe_queue *queue, const struct probe_packet *packet)
{
	struct probe_packet *to = slot(queue->real, queue->written);
	uint32_t first;

	memcpy(&first, packet->bytes, sizeof(first));
	memcpy(to->bytes + sizeof(first), packet->bytes + sizeof(first),
	       sizeof(*to) - sizeof(first));
	__atomic_store_n((uint32_t *)(void *)to->bytes, first, __ATOMIC_RELEASE);
	queue->written++;
}

static bool has_packet_space(struct probe_queue *queue)
{
	uint64_t read = probe_tool.hsa.queue_load_read_index_scacquire(queue->real);

	if (queue->written - read + PROBE_PACKETS_MAX > queue->real->size)
		return false;
	if (!atomic_load_explicit(&queue->agent->sampler, memory_order_relaxed))
		return true;
	/*
	 * A sample identifies its packet by its index modulo the ring. Pairs with the release in
	 * agent_sampling.c.
	 */
	read = atomic_load_explicit(&queue->flushed, memory_order_acquire);
	return queue->written - read + PROBE_PACKETS_MAX <= queue->real->size;
}

static bool has_inflight_space(const struct probe_queue *queue)
{
	uint64_t head = atomic_load_explicit(&queue->head, memory_order_relaxed);
	/*
	 * Pairs with the release in probe_queue_collect(): nothing reads the oldest dispatch's
	 * fields any more.
	 */
	uint64_t tail = atomic_load_explicit(&queue->tail, memory_order_acquire);

	/*
	 * A gate is set again PROBE_GATES uses later. The packet that waits for it, PROBE_TABLES
	 * uses later, has been processed by then: PROBE_INFLIGHT_MAX dispatches are in flight at
	 * most.
	 */
	return head - tail < PROBE_INFLIGHT_MAX;
}

enum step { RELAYED, NO_PACKET, NO_SPACE };

static enum step relay_one(struct probe_queue *queue)
{
	struct probe_packet *from = slot(queue->soft, queue->next);
	/* Pairs with the producer's release of the header: the rest of the packet is visible. */
	uint32_t first = __atomic_load_n((uint32_t *)(void *)from->bytes, __ATOMIC_ACQUIRE);
	uint32_t type = packet_type((uint16_t)first);
	struct probe_packet packet, out[PROBE_PACKETS_MAX];
	int count = 1;

	if (type == HSA_PACKET_TYPE_INVALID)
		return NO_PACKET;
	if (!has_packet_space(queue))
		return NO_SPACE;
	memcpy(&packet, from, sizeof(packet));
	if (type == HSA_PACKET_TYPE_KERNEL_DISPATCH) {
		if (!has_inflight_space(queue))
			return NO_SPACE;
		count = probe_dispatch(queue, (const hsa_kernel_dispatch_packet_t *)&packet, out);
		if (!count)
			return NO_SPACE;
		for (int i = 0; i < count; i++)
			publish(queue, &out[i]);
	} else {
		/* Barriers, agent dispatches and vendor packets are copied unchanged, in order. */
		publish(queue, &packet);
	}
	__atomic_store_n((uint16_t *)(void *)from->bytes,
			 (uint16_t)(HSA_PACKET_TYPE_INVALID << HSA_PACKET_HEADER_TYPE),
			 __ATOMIC_RELEASE);
	queue->next++;
	return RELAYED;
}

bool probe_relay(struct probe_queue *queue)
{
	enum step step = RELAYED;
	uint64_t before, begun;
	int saved = errno;

	pthread_mutex_lock(&queue->lock);
	before = queue->next;
	begun = atomic_load_explicit(&queue->head, memory_order_relaxed);
	while (step == RELAYED)
		step = relay_one(queue);
	if (queue->next != before) {
		probe_tool.hsa.queue_store_read_index_screlease(queue->soft, queue->next);
		probe_tool.hsa.queue_store_write_index_screlease(queue->real, queue->written);
		probe_tool.hsa.signal_store_screlease(queue->real->doorbell_signal,
						      (hsa_signal_value_t)(queue->written - 1));
	}
	atomic_store_explicit(&queue->stalled, step == NO_SPACE, memory_order_release);
	begun = atomic_load_explicit(&queue->head, memory_order_relaxed) - begun;
	pthread_mutex_unlock(&queue->lock);
	if (begun || step == NO_SPACE)
		probe_collector_wake();
	errno = saved;
	return step != NO_SPACE;
}
