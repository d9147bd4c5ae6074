/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/queue/rings.h"

#include <pthread.h>
#include <stddef.h>

#include "hsa-plugin/process/agents.h"
#include "wire/ring_states.h"

/*
 * Guards before and after the ring states. ROCr packs small allocations, and some programs write
 * slightly beyond theirs, which is harmless in a run without Probe.
 */
#define GUARD_BYTES (64u << 10)

/* Number of rings per GPU: the greatest power of two that gives each GPU as many. */
static uint32_t share_of(const struct probe_tool *tool, uint32_t rings)
{
	uint32_t gpus = 0, share = 1;

	for (uint32_t i = 0; i < tool->agent_count; i++)
		gpus += tool->agents[i].gpu;
	if (!gpus || rings < gpus)
		return 0;
	while (share * 2 <= rings / gpus)
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

/* Pins a range of the segment; returns its GPU address, 0 on failure. */
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

/* One GPU's part of the small or of the large rings. */
struct part {
	uint32_t first, share, size;
	uint64_t data; /* offset in the segment */
};

static struct part part_of(const struct probe_tool *tool, const struct probe_agent *gpu, bool large)
{
	const struct probe_seg_header *header = &tool->segment.header;
	uint32_t count = large ? header->large_count : header->ring_count;
	struct part part = {
		.size = large ? header->large_size : header->ring_size,
		.share = count ? share_of(tool, count) : 0,
		.data = header->data_offset,
	};
	uint32_t place = place_of(tool, gpu) * part.share;

	if (large)
		part.data += (uint64_t)header->ring_count * header->ring_size;
	part.data += (uint64_t)place * part.size;
	part.first = place + (large ? header->ring_count : 0);
	return part;
}

/* Sets the fields about these rings in the contexts of all launches. False if there are none. */
static bool map_rings(struct probe_tool *tool, struct probe_agent *gpu, const struct part *part,
		      uint64_t heads, struct probe_ctx *ret)
{
	uint64_t bytes = (uint64_t)part->share * part->size;
	uint64_t data = part->share ? lock_range(tool, gpu, part->data, bytes) : 0;

	if (!data)
		return false;
	*ret = (struct probe_ctx){
		.version = PROBE_CTX_VERSION,
		.size = sizeof(*ret),
		.when_full = tool->config.full.action,
		.spin_limit = PROBE_SPIN_LIMIT,
		.sample_every = tool->config.full.sample_every,
		.ring_heads = heads + part->first * sizeof(struct probe_ring),
		.ring_data = data,
		.ring_mask = part->share - 1,
		.ring_size = part->size,
		.ring_slot_mask = probe_ring_slot_bits(part->share),
		.wave.data_high = (uint32_t)((data + bytes / 2) >> 32),
	};
	return true;
}

/* Fills the table from index `first`; `shared` is a copy of ctx that the GPU reads. */
static void make_states(const struct probe_ctx *ctx, const struct probe_ctx *shared, uint32_t kind,
			uint32_t first, struct probe_ring_state *table)
{
	uint32_t slot_mask = kind == PROBE_KIND_TRACE ? ctx->ring_slot_mask : ctx->ring_mask;

	for (uint32_t i = 0; i <= ctx->ring_mask; i++) {
		struct probe_ring_state state;

		if (probe_ring_state_make(ctx, (uint64_t)(uintptr_t)shared, i, kind, &state))
			table[probe_ring_slot(slot_mask, i) + first] = state;
	}
}

/* Copies a table of states to the GPU, when a queue is created. */
static bool copy_to_gpu(struct probe_tool *tool, struct probe_agent *gpu, void *to,
			const void *from, size_t size)
{
	struct probe_hsa *hsa = &tool->hsa;
	hsa_signal_t done;
	bool copied;

	if (hsa->signal_create(1, 0, NULL, &done))
		return false;
	copied = !hsa->memory_async_copy(to, gpu->handle, from, tool->host->handle, size, 0, NULL,
					 done) &&
		 hsa->signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, 10 * tool->tick_hz,
					    HSA_WAIT_STATE_BLOCKED) < 1;
	hsa->signal_destroy(done);
	return copied;
}

static void use_rings(struct probe_ctx *ctx, uint64_t states)
{
	ctx->ring_states = states;
	ctx->wave.ring_states = states;
	ctx->wave.slot_mask = ctx->ring_slot_mask;
}

/* Memory of a GPU's rings that lives as long as the runtime. */
struct memory {
	char *states;		  /* in GPU memory */
	struct probe_ctx *shared; /* in host memory, read by the GPU: for small rings, for large
				   * rings */
};

static bool fill(struct probe_tool *tool, struct probe_agent *gpu, const struct memory *memory,
		 struct probe_ring_state *table, size_t size)
{
	const struct probe_seg_header *header = &tool->segment.header;
	uint32_t kind = tool->config.kind, all = header->ring_count + header->large_count;
	uint64_t heads = lock_range(tool, gpu, header->heads_offset,
				    page_up(all * sizeof(struct probe_ring)));
	uint64_t at = (uint64_t)(uintptr_t)(memory->states + GUARD_BYTES);
	bool mapped[2];

	if (!heads)
		return false;
	for (int large = 0; large < 2; large++) {
		struct part part = part_of(tool, gpu, large);
		struct probe_ctx *ctx = &gpu->rings[large];

		mapped[large] = (!large || kind == PROBE_KIND_TRACE) &&
				map_rings(tool, gpu, &part, heads, ctx);
		if (!mapped[large])
			continue;
		memory->shared[large] = *ctx;
		make_states(ctx, &memory->shared[large], kind, large ? PROBE_RING_SECOND : 0,
			    table);
		use_rings(ctx, at + (large ? PROBE_RING_SECOND * sizeof(*table) : 0));
	}
	if (!mapped[0] || !copy_to_gpu(tool, gpu, memory->states + GUARD_BYTES, table, size))
		return false;
	gpu->ring_unclaimable = at + PROBE_RING_UNCLAIMABLE * sizeof(*table);
	gpu->ring_count = gpu->rings[0].ring_mask + 1;
	gpu->large_count = mapped[1] ? gpu->rings[1].ring_mask + 1 : 0;
	return true;
}

static void free_memory(struct probe_tool *tool, void *memory)
{
	if (memory)
		tool->hsa.memory_pool_free(memory);
}

static void make_rings(struct probe_tool *tool, struct probe_agent *gpu, uint32_t share)
{
	uint32_t states = tool->config.kind == PROBE_KIND_TRACE ? PROBE_RING_SLOTS : share;
	size_t size = states * sizeof(struct probe_ring_state);
	struct probe_ring_state *table;
	struct memory memory;

	table = probe_agent_host_memory(tool, gpu, size);
	memory.states = probe_agent_device_memory(tool, gpu, size + 2 * GUARD_BYTES);
	memory.shared = probe_agent_host_memory(tool, gpu, 2 * sizeof(*memory.shared));
	if (!table || !memory.states || !memory.shared || !fill(tool, gpu, &memory, table, size)) {
		free_memory(tool, memory.states);
		free_memory(tool, memory.shared);
	}
	free_memory(tool, table);
}

void probe_rings_init(struct probe_tool *tool, struct probe_agent *gpu)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	uint32_t share = share_of(tool, tool->segment.header.ring_count);

	/* Threads that make their queues at the same time wait until the rings can be used. */
	pthread_mutex_lock(&lock);
	if (!gpu->rings_tried && share)
		make_rings(tool, gpu, share);
	gpu->rings_tried = gpu->rings_tried || share;
	pthread_mutex_unlock(&lock);
}

/* A kernel waits for space when less is free, for a record and the rest of the ring before it. */
#define WAITING_BYTES 2048u

void probe_rings_discard(void)
{
	struct probe_segment *seg = &probe_tool.segment;
	const struct probe_seg_header *header = &seg->header;
	struct probe_ring *rings;
	bool ended;

	if (!seg->base)
		return;
	ended = __atomic_load_n(&seg->ring->reader, __ATOMIC_RELAXED) == PROBE_READER_ENDED;
	rings = (struct probe_ring *)(seg->base + header->heads_offset);
	for (uint32_t i = 0; i < header->ring_count + header->large_count; i++) {
		uint32_t size = i < header->ring_count ? header->ring_size : header->large_size;
		uint64_t head = __atomic_load_n(&rings[i].head, __ATOMIC_ACQUIRE);

		/* probe-run --recover may still read the others. */
		if (ended || head - rings[i].tail > size - WAITING_BYTES)
			__atomic_store_n(&rings[i].tail, head, __ATOMIC_RELEASE);
	}
}
