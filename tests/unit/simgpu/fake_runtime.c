/* SPDX-License-Identifier: MIT */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "simgpu/base/device_clock.h"
#include "tests/unit/simgpu/fake_runtime.h"

struct arena *arena;
struct sim_queue *queue;

void put32(unsigned offset, uint32_t value)
{
	memcpy(arena->code + offset, &value, sizeof(value));
}

/* All user SGPRs there are: 4 + 5 pairs + 1, then 3 workgroup ids, info and scratch offset. */
static void make_kernel(void)
{
	int64_t entry = CODE_OFFSET;

	memcpy(arena->code + 16, &entry, sizeof(entry));
	put32(44, 31 / 4);			       /* a0 follows v31 */
	put32(48, 5 | 0xc0 << 12 | 1 << 21 | 1 << 23); /* 48 registers, modes */
	put32(52, 1 | 15 << 1 | 7 << 7 | 1 << 10 | 2 << 11);
	put32(56, 0x7f);
}

struct sim_queue *make_queue(struct arena *at)
{
	struct sim_queue_request want = {
		.node = SIM_NODE_GPU,
		.aql = true,
		.ring = at->ring,
		.ring_size = sizeof(at->ring),
		.read = (uint64_t *)&at->queue.read_dispatch_id,
		.write = (uint64_t *)&at->queue.write_dispatch_id,
	};
	struct sim_queue *ret;

	for (int i = 0; i < PACKETS; i++)
		at->ring[i * 64] = HSA_PACKET_TYPE_INVALID;
	at->queue.hsa_queue.base_address = at->ring;
	at->queue.hsa_queue.size = PACKETS;
	at->queue.queue_inactive_signal.handle = (uint64_t)(uintptr_t)&at->inactive;
	sim_clock_start();
	assert_int_equal(sim_queue_create(&want, &ret), 0);
	return ret;
}

int set_up(void **state)
{
	(void)state;
	arena = gpu_memory(sizeof(*arena));
	make_kernel();
	queue = make_queue(arena);
	assert_int_equal((uintptr_t)queue->doorbell % 8, 0);
	return 0;
}

int tear_down(void **state)
{
	(void)state;
	assert_int_equal(sim_queue_destroy(queue->id), 0);
	assert_int_equal(gpu_free(arena, sizeof(*arena)), 0);
	return 0;
}

hsa_signal_t handle(const amd_signal_t *signal)
{
	return (hsa_signal_t){(uint64_t)(uintptr_t)signal};
}

int64_t value(const amd_signal_t *signal)
{
	return atomic_load((_Atomic int64_t *)(uintptr_t)&signal->value);
}

void store(amd_signal_t *signal, int64_t to)
{
	atomic_store((_Atomic int64_t *)(uintptr_t)&signal->value, to);
}

void submit_to(struct arena *at, struct sim_queue *to, const void *packet, uint16_t header)
{
	uint64_t index = atomic_load((_Atomic uint64_t *)(uintptr_t)&at->queue.write_dispatch_id);
	uint8_t *slot = at->ring + index % PACKETS * 64;

	memcpy(slot + 2, (const uint8_t *)packet + 2, 62);
	atomic_store((_Atomic uint64_t *)(uintptr_t)&at->queue.write_dispatch_id, index + 1);
	atomic_store((_Atomic uint16_t *)slot, header);
	atomic_store(to->doorbell, index);
}

void submit(const void *packet, uint16_t header)
{
	submit_to(arena, queue, packet, header);
}

bool comes_true(bool (*condition)(void))
{
	/* What never comes true runs into the time limit of ctest, whatever else the machine does.
	 */
	while (!condition())
		sched_yield();
	return true;
}

void let_machine_work(void)
{
	hsa_barrier_and_packet_t packet = {0};
	struct arena *second = gpu_memory(sizeof(*second));
	struct sim_queue *to = make_queue(second);

	packet.completion_signal = handle(&second->done);
	for (int i = 0; i < 2 * PACKETS; i++) {
		store(&second->done, 1);
		submit_to(second, to, &packet, HSA_PACKET_TYPE_BARRIER_AND);
		while (value(&second->done))
			sched_yield();
	}
	assert_int_equal(sim_queue_destroy(to->id), 0);
	assert_int_equal(gpu_free(second, sizeof(*second)), 0);
}

bool is_done(void)
{
	return value(&arena->done) <= 0;
}

hsa_kernel_dispatch_packet_t kernel_packet(uint32_t grid, uint16_t group)
{
	return (hsa_kernel_dispatch_packet_t){
		.setup = 1,
		.workgroup_size_x = group,
		.workgroup_size_y = 1,
		.workgroup_size_z = 1,
		.grid_size_x = grid,
		.grid_size_y = 1,
		.grid_size_z = 1,
		.kernel_object = (uint64_t)(uintptr_t)arena->code,
		.kernarg_address = arena->data,
		.completion_signal = handle(&arena->done),
	};
}

void start(hsa_kernel_dispatch_packet_t packet, fake_program program)
{
	fake_current = program;
	store(&arena->done, 1);
	submit(&packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
}

void run(hsa_kernel_dispatch_packet_t packet, fake_program program)
{
	start(packet, program);
	assert_true(comes_true(is_done));
	assert_int_equal(value(&arena->done), 0);
}

enum sim_stop count_lanes(struct sim_wave *wave, uint64_t step)
{
	_Atomic uint32_t *cells = (_Atomic uint32_t *)arena->data;

	if (step < 3) {
		fake_advance(wave);
		return SIM_STOP_QUANTUM;
	}
	atomic_fetch_add(&cells[wave->group->id[0] % 4096],
			 (uint32_t)__builtin_popcountll(wave->exec));
	return SIM_STOP_END;
}

bool is_inactive(void)
{
	return value(&arena->inactive) != 0;
}
