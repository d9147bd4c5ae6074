/* SPDX-License-Identifier: MIT */
#include "rings.h"

#include <stddef.h>

#include "agents.h"

/*
 * Before and behind the states: ROCr packs small allocations, and programs write a little past the
 * end of theirs without harm when they run alone.
 */
#define GUARD_BYTES (64u << 10)

/* Rings of one GPU: the greatest power of two that leaves as many to each other. */
static uint32_t share_of(const struct probe_tool *tool)
{
	uint32_t gpus = 0, share = 1;

	for (uint32_t i = 0; i < tool->agent_count; i++)
		gpus += tool->agents[i].gpu;
	if (!gpus || tool->segment.header.ring_count < gpus)
		return 0;
	while (share * 2 <= tool->segment.header.ring_count / gpus)
		share *= 2;
	return share;
}

static uint32_t place_of(const struct probe_tool *tool, const struct probe_agent *gpu)
{
	uint32_t place = 0;

	for (uint32_t i = 0; i < tool->agent_count && &tool->agents[i] != gpu; i++)
		place += tool->agents[i].gpu;
	return place;
}

/* Pin a range of the segment; its address for the GPU, 0 on failure. */
static uint64_t lock_range(struct probe_tool *tool, struct probe_agent *gpu, uint64_t offset,
			   uint64_t size)
{
	void *address = NULL;

	if (tool->hsa.memory_lock(tool->segment.base + offset, (size_t)size, &gpu->handle, 1,
				  &address))
		return 0;
	return (uint64_t)(uintptr_t)address;
}

static uint64_t page_up(uint64_t n)
{
	return (n + 4095) & ~4095ull;
}

void probe_rings_init(struct probe_tool *tool, struct probe_agent *gpu)
{
	const struct probe_seg_header *header = &tool->segment.header;
	uint32_t share = share_of(tool);
	uint64_t place = (uint64_t)place_of(tool, gpu) * share;
	size_t states_size = share * sizeof(struct probe_ring_state);
	uint64_t heads, data;
	char *states;

	if (gpu->rings_tried || !share)
		return;
	gpu->rings_tried = true;
	states = probe_agent_device_memory(tool, gpu, states_size + 2 * GUARD_BYTES);
	if (!states)
		return;
	states += GUARD_BYTES;
	if (tool->hsa.memory_fill(states, 0, states_size / 4))
		return;
	heads = lock_range(tool, gpu, header->heads_offset,
			   page_up(header->ring_count * sizeof(struct probe_ring)));
	data = lock_range(tool, gpu, header->data_offset + place * header->ring_size,
			  (uint64_t)share * header->ring_size);
	if (!heads || !data)
		return;
	gpu->ring_states = (uint64_t)(uintptr_t)states;
	gpu->ring_heads = heads + place * sizeof(struct probe_ring);
	gpu->ring_data = data;
	gpu->ring_count = share;
}

void probe_rings_discard(void)
{
	struct probe_segment *seg = &probe_tool.segment;
	struct probe_ring *rings;

	if (!seg->base)
		return;
	rings = (struct probe_ring *)(seg->base + seg->header.heads_offset);
	for (uint32_t i = 0; i < seg->header.ring_count; i++)
		__atomic_store_n(&rings[i].tail, __atomic_load_n(&rings[i].head, __ATOMIC_ACQUIRE),
				 __ATOMIC_RELEASE);
}
