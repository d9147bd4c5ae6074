/* SPDX-License-Identifier: MIT */
/*
 * Type-3 PM4 packets: opcode in bits 15..8, dwords after the header minus 1 in 29..16. Fields as in
 * ROCr's amd_gpu_pm4.h. A packet that is not in the table, or has other options than those that
 * ROCr uses, is refused, so that none is silently lost.
 */
#include "simgpu/queue/pm4_packets.h"

#include <inttypes.h>
#include <string.h>

#include "simgpu/base/sim_log.h"
#include "simgpu/mem/code_generation.h"
#include "simgpu/mem/gpu_allocations.h"

enum {
	OP_NOP = 0x10,
	OP_ATOMIC_MEM = 0x1e,
	OP_PRED_EXEC = 0x23,
	OP_WRITE_DATA = 0x37,
	OP_WAIT_REG_MEM = 0x3c,
	OP_COPY_DATA = 0x40,
	OP_DMA_DATA = 0x50,
	OP_ACQUIRE_MEM = 0x58,

	ATOMIC_SWAP_64 = 39,	    /* returns the old value */
	COPY_RETURNED = 6 | 2 << 8, /* from the last atomic's result to memory */
	COPY_64 = 1 << 16,
	WAIT_EQUAL_MEMORY = 3 | 1 << 4,
	DMA_BYTES = 0x3ffffff,
	WRITE_MEMORY = 2 << 8,
};

struct state {
	struct sim_queue *queue;
	uint64_t returned; /* result of the last ATOMIC_MEM */
};

typedef enum sim_pm4_result packet_handler(struct state *state, const uint32_t *body);

static uint64_t wide(const uint32_t *words)
{
	return words[0] | (uint64_t)words[1] << 32;
}

/* NULL if the GPU may not access it so. */
static void *memory(const struct state *state, uint64_t address, uint64_t size, uint32_t flags)
{
	if (sim_mem_allows(address, size, flags | SIM_MEM_GPU(state->queue->node), NULL))
		return sim_mem_pointer(address);
	sim_print("PM4 packet: 0x%" PRIx64 " is not in memory of the GPU", address);
	return NULL;
}

static enum sim_pm4_result ignore(struct state *state, const uint32_t *body)
{
	(void)state;
	(void)body;
	return SIM_PM4_DONE;
}

static enum sim_pm4_result acquire_mem(struct state *state, const uint32_t *body)
{
	(void)state;
	(void)body;
	sim_code_changed();
	return SIM_PM4_DONE;
}

static enum sim_pm4_result atomic_mem(struct state *state, const uint32_t *body)
{
	_Atomic uint64_t *at = memory(state, wide(body + 1) & ~(uint64_t)7, sizeof(*at),
				      SIM_MEM_READ | SIM_MEM_WRITE);

	if (!at || body[0] != ATOMIC_SWAP_64)
		return SIM_PM4_REFUSED;
	state->returned = atomic_exchange(at, wide(body + 3));
	return SIM_PM4_DONE;
}

static enum sim_pm4_result copy_data(struct state *state, const uint32_t *body)
{
	size_t size = body[0] & COPY_64 ? sizeof(uint64_t) : sizeof(uint32_t);
	void *to = memory(state, wide(body + 3), size, SIM_MEM_WRITE);

	if (!to || (body[0] & 0xf0f) != COPY_RETURNED)
		return SIM_PM4_REFUSED;
	memcpy(to, &state->returned, size);
	return SIM_PM4_DONE;
}

static enum sim_pm4_result wait_reg_mem(struct state *state, const uint32_t *body)
{
	const _Atomic uint32_t *at =
		memory(state, wide(body + 1) & ~(uint64_t)3, sizeof(*at), SIM_MEM_READ);
	struct sim_backoff backoff = {0};

	if (!at || (body[0] & 0xff) != WAIT_EQUAL_MEMORY)
		return SIM_PM4_REFUSED;
	/* Pairs with the release of whoever stores: what it counts is complete. */
	while ((atomic_load_explicit(at, memory_order_acquire) & body[4]) != body[3])
		if (!sim_queue_pause(state->queue, &backoff))
			return SIM_PM4_QUIT;
	return SIM_PM4_DONE;
}

static enum sim_pm4_result dma_data(struct state *state, const uint32_t *body)
{
	uint32_t size = body[5] & DMA_BYTES;
	const void *from = memory(state, wide(body + 1), size, SIM_MEM_READ);
	void *to = memory(state, wide(body + 3), size, SIM_MEM_WRITE);

	if (!from || !to)
		return SIM_PM4_REFUSED;
	memmove(to, from, size);
	return SIM_PM4_DONE;
}

static enum sim_pm4_result write_data(struct state *state, const uint32_t *body)
{
	_Atomic uint32_t *at =
		memory(state, wide(body + 1) & ~(uint64_t)3, sizeof(*at), SIM_MEM_WRITE);

	if (!at || (body[0] & 0xf00) != WRITE_MEMORY)
		return SIM_PM4_REFUSED;
	atomic_store(at, body[3]);
	return SIM_PM4_DONE;
}

/* Limits of the number of dwords after the header. */
static const struct packet {
	packet_handler *handler;
	uint32_t opcode, least, most;
} packets[] = {
	{ignore, OP_NOP, 1, UINT32_MAX},
	/* Selects one of several dies, which this GPU does not have. */
	{ignore, OP_PRED_EXEC, 1, 1},
	{acquire_mem, OP_ACQUIRE_MEM, 1, UINT32_MAX},
	{atomic_mem, OP_ATOMIC_MEM, 8, 8},
	{copy_data, OP_COPY_DATA, 5, 5},
	{wait_reg_mem, OP_WAIT_REG_MEM, 6, 6},
	{dma_data, OP_DMA_DATA, 6, 6},
	{write_data, OP_WRITE_DATA, 4, 4},
};

static const struct packet *packet_of(uint32_t header, uint32_t left)
{
	uint32_t size = (header >> 16 & 0x3fff) + 1;

	if (header >> 30 != 3 || size >= left)
		return NULL;
	for (size_t i = 0; i < sizeof(packets) / sizeof(packets[0]); i++)
		if (packets[i].opcode == (header >> 8 & 0xff))
			return size >= packets[i].least && size <= packets[i].most ? &packets[i]
										   : NULL;
	return NULL;
}

bool sim_pm4_flushes(uint32_t header)
{
	return (header >> 8 & 0xff) == OP_ACQUIRE_MEM;
}

enum sim_pm4_result sim_pm4_run(struct sim_queue *queue, const uint32_t *words, uint32_t count)
{
	struct state state = {.queue = queue};

	/* ROCr's buffer has a fixed size; zeros follow the last packet. */
	for (uint32_t i = 0; i < count && words[i]; i += (words[i] >> 16 & 0x3fff) + 2) {
		const struct packet *packet = packet_of(words[i], count - i);
		enum sim_pm4_result result =
			packet ? packet->handler(&state, words + i + 1) : SIM_PM4_REFUSED;

		if (result == SIM_PM4_REFUSED)
			sim_print("PM4 packet 0x%08x is not implemented by the simulator",
				  words[i]);
		if (result)
			return result;
	}
	return SIM_PM4_DONE;
}
