/* SPDX-License-Identifier: MIT */
/*
 * The SDMA engines: commands as ROCr 5.2.3 writes them for gfx9 (SDMA 4 packet formats). Each queue
 * runs on its own thread; sharing an engine between queues is not modelled.
 */
#include "simgpu/queue/sdma.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <string.h>

#include "simgpu/queue/queue_error.h"
#include "simgpu/mem/freed_memory.h"
#include "simgpu/event/interrupt_events.h"
#include "simgpu/base/sim_log.h"
#include "simgpu/mem/gpu_allocations.h"
#include "simgpu/base/hardware_queue.h"
#include "simgpu/event/hsa_signal.h"

enum {
	OP_NOP = 0,
	OP_COPY = 1,
	OP_FENCE = 5,
	OP_TRAP = 6,
	OP_POLL = 8,
	OP_ATOMIC = 10,
	OP_FILL = 11,
	OP_TIMESTAMP = 13,

	COPY_LINEAR = 0,
	COPY_RECT = 4,
	TIMESTAMP_GLOBAL = 2,
	ATOMIC_ADD64 = 47,
	COUNT_BITS = 30, /* width of a linear copy's byte count on gfx90a; ROCr before 6.2 uses 22
			  * bits */
	POLL_MEMORY = 1u << 31, /* otherwise an HDP flush, which has no effect here */
};

static uint64_t address_at(const uint32_t *words)
{
	return words[0] | (uint64_t)words[1] << 32;
}

static uint32_t field(uint32_t word, unsigned low, unsigned bits)
{
	return word >> low & ((1u << bits) - 1);
}

uint32_t sim_sdma_length(uint32_t header)
{
	uint32_t op = field(header, 0, 8), sub = field(header, 8, 8);

	switch (op) {
	case OP_NOP:
		return 4 * (1 + field(header, 16, 14));
	case OP_COPY:
		return sub == COPY_LINEAR ? 28 : sub == COPY_RECT ? 52 : 0;
	case OP_FENCE:
		return 16;
	case OP_TRAP:
		return 8;
	case OP_POLL:
		return 24;
	case OP_ATOMIC:
		return 32;
	case OP_FILL:
		return 20;
	case OP_TIMESTAMP:
		return sub == TIMESTAMP_GLOBAL ? 12 : 0;
	default:
		return 0;
	}
}

static bool may(const struct sim_sdma_job *job, uint64_t addr, uint64_t size, bool write,
		struct sim_fault *fault)
{
	uint64_t bad;

	if (sim_mem_allows(addr, size, (write ? SIM_MEM_WRITE : SIM_MEM_READ) | job->gpu, &bad))
		return true;
	*fault = (struct sim_fault){
		.kind = write ? SIM_FAULT_WRITE : SIM_FAULT_READ,
		.addr = bad,
		.size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size,
		.lane = -1,
	};
	return false;
}

static enum sim_sdma_result copy(const struct sim_sdma_job *job, uint64_t to, uint64_t from,
				 uint64_t size, struct sim_fault *fault)
{
	if (!may(job, from, size, false, fault) || !may(job, to, size, true, fault))
		return SIM_SDMA_FAULT;
	memmove(sim_mem_pointer(to), sim_mem_pointer(from), size);
	return SIM_SDMA_DONE;
}

/* One side of a rectangular copy: five dwords; pitches in elements, stored minus 1. */
struct rect_side {
	uint64_t start, pitch, slice; /* bytes */
};

static struct rect_side rect_side(const uint32_t *words, unsigned element)
{
	struct rect_side side = {
		.pitch = ((uint64_t)field(words[3], 13, 19) + 1) << element,
		.slice = ((uint64_t)field(words[4], 0, 28) + 1) << element,
	};

	side.start = address_at(words) + ((uint64_t)field(words[2], 0, 14) << element) +
		     field(words[2], 16, 14) * side.pitch + field(words[3], 0, 11) * side.slice;
	return side;
}

static enum sim_sdma_result copy_rect(const struct sim_sdma_job *job, const uint32_t *words,
				      struct sim_fault *fault)
{
	unsigned element = field(words[0], 29, 3); /* log2 of its bytes */
	struct rect_side from = rect_side(&words[1], element);
	struct rect_side to = rect_side(&words[6], element);
	uint64_t width = ((uint64_t)field(words[11], 0, 14) + 1) << element;
	uint32_t height = field(words[11], 16, 14) + 1;
	uint32_t depth = field(words[12], 0, 11) + 1;

	for (uint32_t z = 0; z < depth; z++) {
		for (uint32_t y = 0; y < height; y++) {
			enum sim_sdma_result result =
				copy(job, to.start + z * to.slice + y * to.pitch,
				     from.start + z * from.slice + y * from.pitch, width, fault);

			if (result != SIM_SDMA_DONE)
				return result;
		}
	}
	return SIM_SDMA_DONE;
}

/* Count is bytes - 4, rounded up to whole dwords. */
static enum sim_sdma_result fill(const struct sim_sdma_job *job, const uint32_t *words,
				 struct sim_fault *fault)
{
	uint64_t to = address_at(&words[1]);
	uint64_t dwords = field(words[4], 0, 22) / 4 + 1;
	uint8_t *bytes;

	if (!may(job, to, dwords * 4, true, fault))
		return SIM_SDMA_FAULT;
	bytes = sim_mem_pointer(to);
	for (uint64_t i = 0; i < dwords; i++)
		memcpy(bytes + i * 4, &words[3], 4);
	return SIM_SDMA_DONE;
}

static enum sim_sdma_result fence(const struct sim_sdma_job *job, const uint32_t *words,
				  struct sim_fault *fault)
{
	uint64_t to = address_at(&words[1]) & ~(uint64_t)3;

	if (!may(job, to, 4, true, fault))
		return SIM_SDMA_FAULT;
	/* Release: what was copied before the fence is visible. */
	atomic_store_explicit((_Atomic uint32_t *)sim_mem_pointer(to), words[3],
			      memory_order_release);
	return SIM_SDMA_DONE;
}

static bool poll_holds(uint32_t function, uint32_t value, uint32_t reference)
{
	switch (function) {
	case 0:
		return true;
	case 1:
		return value < reference;
	case 2:
		return value <= reference;
	case 3:
		return value == reference;
	case 4:
		return value != reference;
	case 5:
		return value >= reference;
	default:
		return value > reference;
	}
}

static enum sim_sdma_result poll(const struct sim_sdma_job *job, const uint32_t *words,
				 struct sim_fault *fault)
{
	uint64_t from = address_at(&words[1]) & ~(uint64_t)3;
	uint32_t value;

	if (!(words[0] & POLL_MEMORY))
		return SIM_SDMA_DONE;
	if (!may(job, from, 4, false, fault))
		return SIM_SDMA_FAULT;
	/* Acquire: what was written before the polled signal is visible. */
	value = atomic_load_explicit((_Atomic uint32_t *)sim_mem_pointer(from),
				     memory_order_acquire);
	return poll_holds(field(words[0], 28, 3), value & words[4], words[3]) ? SIM_SDMA_DONE
									      : SIM_SDMA_WAIT;
}

static enum sim_sdma_result atomic_add(const struct sim_sdma_job *job, const uint32_t *words,
				       struct sim_fault *fault)
{
	uint64_t to = address_at(&words[1]) & ~(uint64_t)7;

	if (!may(job, to, 8, true, fault))
		return SIM_SDMA_FAULT;
	sim_signal_mark(to, job->tick);
	atomic_fetch_add_explicit((_Atomic uint64_t *)sim_mem_pointer(to), address_at(&words[3]),
				  memory_order_acq_rel);
	return SIM_SDMA_DONE;
}

static enum sim_sdma_result timestamp(const struct sim_sdma_job *job, const uint32_t *words,
				      struct sim_fault *fault)
{
	uint64_t to = address_at(&words[1]) & ~(uint64_t)7;

	if (!may(job, to, 8, true, fault))
		return SIM_SDMA_FAULT;
	memcpy(sim_mem_pointer(to), &job->tick, sizeof(job->tick));
	return SIM_SDMA_DONE;
}

enum sim_sdma_result sim_sdma_execute(const struct sim_sdma_job *job, const uint32_t *words,
				      struct sim_fault *fault)
{
	switch (field(words[0], 0, 8)) {
	case OP_COPY:
		if (field(words[0], 8, 8) == COPY_RECT)
			return copy_rect(job, words, fault);
		return copy(job, address_at(&words[5]), address_at(&words[3]),
			    (uint64_t)field(words[1], 0, COUNT_BITS) + 1, fault);
	case OP_FENCE:
		return fence(job, words, fault);
	case OP_TRAP:
		sim_event_raise(field(words[1], 0, 28));
		return SIM_SDMA_DONE;
	case OP_POLL:
		return poll(job, words, fault);
	case OP_ATOMIC:
		return atomic_add(job, words, fault);
	case OP_FILL:
		return fill(job, words, fault);
	case OP_TIMESTAMP:
		return timestamp(job, words, fault);
	default:
		return SIM_SDMA_DONE; /* NOP */
	}
}

/* ---- Time ----------------------------------------------------------------------------------- */

static uint32_t memory_node(uint64_t addr)
{
	struct sim_block block;

	return sim_mem_query(addr, &block) ? SIM_NODE_CPU : block.node;
}

static enum sim_path path_between(uint64_t to, uint64_t from)
{
	uint32_t a = memory_node(to), b = memory_node(from);

	if (a == b)
		return SIM_PATH_LOCAL;
	return a == SIM_NODE_CPU || b == SIM_NODE_CPU ? SIM_PATH_HOST : SIM_PATH_PEER;
}

uint64_t sim_sdma_bytes(const uint32_t *words, enum sim_path *path)
{
	switch (field(words[0], 0, 8)) {
	case OP_COPY:
		if (field(words[0], 8, 8) == COPY_LINEAR) {
			*path = path_between(address_at(&words[5]), address_at(&words[3]));
			return (uint64_t)field(words[1], 0, COUNT_BITS) + 1;
		}
		*path = path_between(address_at(&words[6]), address_at(&words[1]));
		return (((uint64_t)field(words[11], 0, 14) + 1) << field(words[0], 29, 3)) *
		       (field(words[11], 16, 14) + 1) * (field(words[12], 0, 11) + 1);
	case OP_FILL:
		*path = SIM_PATH_LOCAL;
		return (uint64_t)field(words[4], 0, 22) + 4;
	default:
		return 0;
	}
}

uint64_t sim_sdma_polled(const uint32_t *words)
{
	return words[0] & POLL_MEMORY ? sim_signal_marked(address_at(&words[1])) : 0;
}

/*
 * How a command changes the engine's time, before it is executed. A job consists of polls for its
 * dependencies, a time stamp, copies, a time stamp, and stores that complete it. The host or a
 * queue may have waited for the first store; the others only announce the completion.
 */
static void spend(struct sim_timeline *line, const uint32_t *words)
{
	uint32_t op = field(words[0], 0, 8);
	enum sim_path path;
	uint64_t bytes = sim_sdma_bytes(words, &path);

	if (bytes || op == OP_POLL || op == OP_TIMESTAMP)
		sim_timeline_pick(line);
	if (bytes) {
		sim_timeline_advance(line, sim_copy_cycles(path, bytes, line->idle));
		line->idle = false;
	} else if ((op == OP_ATOMIC || op == OP_FENCE) && !line->idle) {
		sim_timeline_signal(line, sim_timeline_tick(line));
	}
}

/* ---- The ring ------------------------------------------------------------------------------- */

/* Read, write and doorbell values count bytes and never wrap; the ring does. */
bool sim_sdma_ready(const struct sim_queue *queue)
{
	/* Pairs with the runtime's release before it rings: the commands are visible. */
	return atomic_load_explicit(queue->doorbell, memory_order_acquire) !=
	       atomic_load_explicit(queue->read, memory_order_relaxed);
}

static void copy_from_ring(const struct sim_queue *queue, uint64_t at, uint32_t *words,
			   uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes / 4; i++, at += 4)
		memcpy(&words[i], queue->ring + (at & (queue->ring_size - 1)), 4);
}

static void stop_engine(struct sim_queue *queue, const struct sim_fault *fault, uint32_t header)
{
	sim_print("memory fault of SDMA queue %u on %s, address 0x%" PRIx64
		  ", command 0x%08x of %u bytes",
		  queue->id, fault->kind == SIM_FAULT_WRITE ? "write" : "read", fault->addr, header,
		  fault->size);
	sim_memory_error(queue, fault);
}

/*
 * A memory fault is the only error of a copy engine that the runtime handles; without it, a thread
 * that waits for the copy would wait forever.
 */
static void stop_for_good(struct sim_queue *queue)
{
	const struct sim_memory_fault fault = {.node = queue->node};

	atomic_store_explicit(&queue->dead, true, memory_order_release);
	sim_event_memory_fault(&fault);
}

static enum sim_sdma_result execute(const struct sim_sdma_job *job, const uint32_t *words,
				    struct sim_fault *fault)
{
	unsigned epoch = sim_memory_enter();
	enum sim_sdma_result result = sim_sdma_execute(job, words, fault);

	sim_memory_leave(epoch);
	return result;
}

/* Executes one command; false if the queue stops. */
static bool process_command(struct sim_queue *queue, uint64_t *read, uint64_t end)
{
	uint32_t words[SIM_SDMA_MAX_BYTES / 4];
	struct sim_timeline *line = &queue->time;
	struct sim_sdma_job job = {.gpu = SIM_MEM_GPU(queue->node)};
	struct sim_backoff backoff = {0};
	enum sim_sdma_result result;
	struct sim_fault fault;
	uint32_t length;

	copy_from_ring(queue, *read, words, 4);
	length = sim_sdma_length(words[0]);
	if (!length || length > end - *read) {
		sim_print("SDMA queue %u: command 0x%08x at byte %" PRIu64
			  " is not implemented by the simulator; the queue stops here",
			  queue->id, words[0], *read);
		stop_for_good(queue);
		return false;
	}
	if (length <= SIM_SDMA_MAX_BYTES)
		copy_from_ring(queue, *read, words, length);
	spend(line, words);
	job.tick = sim_timeline_tick(line);
	while ((result = execute(&job, words, &fault)) == SIM_SDMA_WAIT)
		if (!sim_queue_pause(queue, &backoff))
			return false;
	if (field(words[0], 0, 8) == OP_POLL)
		sim_timeline_after(line, sim_sdma_polled(words));
	if (result == SIM_SDMA_FAULT) {
		stop_engine(queue, &fault, words[0]);
		return false;
	}
	*read += length;
	atomic_store_explicit(queue->read, *read, memory_order_release);
	return true;
}

void sim_sdma_process(struct sim_queue *queue)
{
	uint64_t read = atomic_load_explicit(queue->read, memory_order_relaxed);
	uint64_t end = atomic_load_explicit(queue->doorbell, memory_order_acquire);

	while (read != end && !atomic_load_explicit(&queue->quit, memory_order_acquire)) {
		if (!process_command(queue, &read, end))
			return;
	}
	sim_timeline_dry(&queue->time);
}
