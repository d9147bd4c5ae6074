/* SPDX-License-Identifier: MIT */
/*
 * Invalid pointers, in packets, descriptors, queues and registrations: each is an error of the
 * device, and none is dereferenced. Most useful under the address sanitizer.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa_ext_amd.h>

#include "tests/unit/simgpu/fake_isa.h"
#include "tests/unit/simgpu/gpu_memory.h"
#include "simgpu/base/device_clock.h"
#include "simgpu/event/interrupt_events.h"
#include "simgpu/mem/gpu_allocations.h"
#include "simgpu/queue/queue_threads.h"

enum { PACKETS = 64, CODE_OFFSET = 0x1000 };

struct arena {
	uint8_t code[3 * 4096]; /* kernel descriptor, entry one page later */
	uint8_t ring[PACKETS * 64];
	amd_queue_t queue;
	amd_signal_t inactive, done, gate;
	uint32_t data[1024];
};

static struct arena *arena;
static struct sim_queue *queue;
static uint32_t memory_event;

static void describe_kernel(uint8_t *at)
{
	const uint32_t rsrc1 = 5, properties = 8;
	int64_t entry = CODE_OFFSET;

	memset(at, 0, 64);
	memcpy(at + 16, &entry, sizeof(entry));
	memcpy(at + 48, &rsrc1, sizeof(rsrc1));
	memcpy(at + 56, &properties, sizeof(properties));
}

static int make_queue(void *ring, amd_queue_t *amd, struct sim_queue **ret)
{
	struct sim_queue_request want = {
		.node = SIM_NODE_GPU,
		.aql = true,
		.ring = ring,
		.ring_size = PACKETS * 64,
		.read = (uint64_t *)&amd->read_dispatch_id,
		.write = (uint64_t *)&amd->write_dispatch_id,
	};

	sim_clock_start();
	return sim_queue_create(&want, ret);
}

static int set_up(void **state)
{
	(void)state;
	arena = gpu_memory(sizeof(*arena));
	describe_kernel(arena->code);
	for (int i = 0; i < PACKETS; i++)
		arena->ring[i * 64] = HSA_PACKET_TYPE_INVALID;
	arena->queue.queue_inactive_signal.handle = (uint64_t)(uintptr_t)&arena->inactive;
	assert_int_equal(sim_event_create(SIM_EVENT_MEMORY, false, false, &memory_event), 0);
	assert_int_equal(make_queue(arena->ring, &arena->queue, &queue), 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	assert_int_equal(sim_queue_destroy(queue->id), 0);
	assert_int_equal(sim_event_destroy(memory_event), 0);
	assert_int_equal(gpu_free(arena, sizeof(*arena)), 0);
	return 0;
}

static void again(void **state)
{
	tear_down(state);
	set_up(state);
}

static int64_t value(const amd_signal_t *signal)
{
	return atomic_load((_Atomic int64_t *)(uintptr_t)&signal->value);
}

static void store(amd_signal_t *signal, int64_t to)
{
	atomic_store((_Atomic int64_t *)(uintptr_t)&signal->value, to);
}

static void submit(const void *packet, uint16_t header)
{
	uint64_t index =
		atomic_load((_Atomic uint64_t *)(uintptr_t)&arena->queue.write_dispatch_id);
	uint8_t *slot = arena->ring + index % PACKETS * 64;

	memcpy(slot + 2, (const uint8_t *)packet + 2, 62);
	atomic_store((_Atomic uint64_t *)(uintptr_t)&arena->queue.write_dispatch_id, index + 1);
	atomic_store((_Atomic uint16_t *)slot, header);
	atomic_store(queue->doorbell, index);
}

static hsa_kernel_dispatch_packet_t kernel_packet(void)
{
	return (hsa_kernel_dispatch_packet_t){
		.setup = 1,
		.workgroup_size_x = 64,
		.workgroup_size_y = 1,
		.workgroup_size_z = 1,
		.grid_size_x = 64,
		.grid_size_y = 1,
		.grid_size_z = 1,
		.kernel_object = (uint64_t)(uintptr_t)arena->code,
		.kernarg_address = arena->data,
		.completion_signal = {(uint64_t)(uintptr_t)&arena->done},
	};
}

static enum sim_stop end(struct sim_wave *wave, uint64_t step)
{
	(void)wave;
	(void)step;
	return SIM_STOP_END;
}

static bool was_fault(void)
{
	return !sim_event_wait(&memory_event, NULL, 1, true, 0);
}

static bool was_read(void)
{
	return atomic_load((_Atomic uint64_t *)(uintptr_t)&arena->queue.read_dispatch_id) ==
	       atomic_load((_Atomic uint64_t *)(uintptr_t)&arena->queue.write_dispatch_id);
}

enum answer {
	ANSWER_DONE,
	ANSWER_FAULT, /* the memory event */
	ANSWER_ERROR, /* of the queue */
};

static enum answer wait_for_answer(void)
{
	time_t give_up = time(NULL) + 20;

	for (;;) {
		if (was_fault())
			return ANSWER_FAULT;
		if (value(&arena->inactive))
			return ANSWER_ERROR;
		if (was_read())
			return ANSWER_DONE;
		assert_true(time(NULL) < give_up);
		sched_yield();
	}
}

/* ---- Handles of signals --------------------------------------------------------------------- */

static uint64_t stray(unsigned i)
{
	static char global[256];

	switch (i) {
	case 0:
		return 8;
	case 1:
		return (uint64_t)(uintptr_t)global & ~63ull;
	case 2:
		return (uint64_t)(uintptr_t)&arena->done + 3;
	case 3:
		return (uint64_t)(uintptr_t)arena + ((sizeof(*arena) + 4095) & ~4095ull) - 32;
	case 4:
		return (uint64_t)(uintptr_t)&wait_for_answer & ~63ull;
	default:
		return 0x00007fffffffffc0;
	}
}

enum { STRAYS = 6 };

static void completion_signals(void **state)
{
	fake_current = end;
	for (unsigned i = 0; i < STRAYS; i++) {
		hsa_kernel_dispatch_packet_t packet = kernel_packet();
		hsa_barrier_and_packet_t barrier = {0};

		packet.completion_signal.handle = stray(i);
		submit(&packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
		assert_int_equal(wait_for_answer(), ANSWER_FAULT);
		again(state);
		barrier.completion_signal.handle = stray(i);
		submit(&barrier, HSA_PACKET_TYPE_BARRIER_AND);
		assert_int_equal(wait_for_answer(), ANSWER_FAULT);
		again(state);
	}
}

static void dependencies(void **state)
{
	for (unsigned i = 0; i < STRAYS; i++) {
		hsa_barrier_and_packet_t barrier = {.dep_signal[4].handle = stray(i)};
		hsa_amd_barrier_value_packet_t on_value = {
			.header.AmdFormat = HSA_AMD_PACKET_TYPE_BARRIER_VALUE,
			.signal.handle = stray(i),
		};

		submit(&barrier, HSA_PACKET_TYPE_BARRIER_AND);
		assert_int_equal(wait_for_answer(), ANSWER_FAULT);
		again(state);
		submit(&barrier, HSA_PACKET_TYPE_BARRIER_OR);
		assert_int_equal(wait_for_answer(), ANSWER_FAULT);
		again(state);
		submit(&on_value, HSA_PACKET_TYPE_VENDOR_SPECIFIC);
		assert_int_equal(wait_for_answer(), ANSWER_FAULT);
		again(state);
	}
}

/* ---- Kernels -------------------------------------------------------------------------------- */

static void kernel_objects(void **state)
{
	fake_current = end;
	for (unsigned i = 0; i < STRAYS; i++) {
		hsa_kernel_dispatch_packet_t packet = kernel_packet();

		if (i == 2) /* inside memory: any bytes may be a descriptor */
			continue;
		packet.kernel_object = stray(i);
		submit(&packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
		assert_int_equal(wait_for_answer(), ANSWER_ERROR);
		assert_int_equal(value(&arena->inactive), 8); /* INVALID_CODE_OBJECT */
		again(state);
	}
}

static uint64_t seed = 0x9e3779b97f4a7c15;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static void random_bytes(void *to, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((uint8_t *)to)[i] = (uint8_t)(next_random() >> 24);
}

/* Any 64 bytes as a descriptor: refused, or a kernel that runs within the machine's bounds. */
static void random_descriptors(void **state)
{
	unsigned ran = 0, refused = 0;

	fake_current = end;
	for (int i = 0; i < 2000; i++) {
		hsa_kernel_dispatch_packet_t packet = kernel_packet();
		int64_t entry = CODE_OFFSET;

		random_bytes(arena->code, 64);
		if (i % 4)
			memcpy(arena->code + 16, &entry, sizeof(entry));
		packet.workgroup_size_x = 1024;
		packet.grid_size_x = 1024;
		submit(&packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
		if (wait_for_answer() == ANSWER_DONE) {
			ran++;
			continue;
		}
		refused++;
		again(state);
	}
	assert_true(ran > 10 && refused > 10);
}

/* Any bytes as a packet, but for grids that would take days and signals that would be waited on. */
static void random_packets(void **state)
{
	static const uint8_t types[] = {0, 2, 2, 2, 3, 4, 5, 77};

	fake_current = end;
	for (int i = 0; i < 3000; i++) {
		hsa_kernel_dispatch_packet_t packet;
		uint16_t header = types[next_random() >> 32 & 7];

		random_bytes(&packet, sizeof(packet));
		packet.grid_size_x &= 0xff;
		packet.grid_size_y &= 3;
		packet.grid_size_z &= 3;
		packet.private_segment_size = 0;
		if (next_random() >> 40 & 1) {
			packet.workgroup_size_x &= 0x3f;
			packet.workgroup_size_y &= 7;
			packet.workgroup_size_z &= 1;
			packet.group_segment_size &= 0x1ffff;
			packet.kernel_object = (uint64_t)(uintptr_t)arena->code;
			packet.completion_signal.handle = 0;
		}
		if (header == 1)
			continue;
		submit(&packet, header);
		if (wait_for_answer() != ANSWER_DONE)
			again(state);
	}
}

static void scratch_memory(void **state)
{
	hsa_kernel_dispatch_packet_t packet = kernel_packet();

	(void)state;
	fake_current = end;
	packet.private_segment_size = 16;
	arena->queue.scratch_wave64_lane_byte_size = 1024;
	arena->queue.scratch_backing_memory_location = stray(1);
	arena->queue.compute_tmpring_size = 32 | 64 << 12;
	submit(&packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
	assert_int_equal(wait_for_answer(), ANSWER_ERROR);
}

/* ---- Grids beyond 2^32 work-items ------------------------------------------------------------ */

static atomic_uint groups_ran;

static enum sim_stop count_group(struct sim_wave *wave, uint64_t step)
{
	(void)wave;
	(void)step;
	atomic_fetch_add(&groups_ran, 1);
	return SIM_STOP_END;
}

/* 2^64 workgroups: a count that wraps would be 0, and the kernel would end at once. */
static void endless_grid(void **state)
{
	hsa_kernel_dispatch_packet_t packet = kernel_packet();
	time_t give_up = time(NULL) + 20;

	(void)state;
	fake_current = count_group;
	atomic_store(&groups_ran, 0);
	packet.workgroup_size_x = 1;
	packet.grid_size_x = packet.grid_size_y = 1u << 31;
	packet.grid_size_z = 4;
	store(&arena->done, 1);
	submit(&packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
	while (atomic_load(&groups_ran) < 2000) {
		assert_int_equal(value(&arena->done), 1);
		assert_true(time(NULL) < give_up);
		sched_yield();
	}
	assert_int_equal(value(&arena->done), 1);
	/* tear_down() ends it by destroying the queue. */
}

/* ---- Memory that is destroyed -------------------------------------------------------------------
 */

static void queue_memory_is_held(void **state)
{
	static _Alignas(64) uint8_t host_ring[PACKETS * 64];
	static amd_queue_t host_queue;
	struct sim_queue *other;
	uint8_t *end_of_block;

	(void)state;
	assert_int_equal(gpu_free(arena, sizeof(*arena)), -EBUSY);
	assert_int_equal(make_queue(host_ring, &arena->queue, &other), -EFAULT);
	assert_int_equal(make_queue(arena->ring, &host_queue, &other), -EFAULT);
	end_of_block = (uint8_t *)arena + ((sizeof(*arena) + 4095) & ~4095ul);
	assert_int_equal(make_queue(end_of_block - PACKETS * 64 + 64, &arena->queue, &other),
			 -EFAULT);
	assert_int_equal(make_queue(end_of_block - PACKETS * 64, &arena->queue, &other), 0);
	assert_int_equal(sim_queue_destroy(other->id), 0);
}

static _Atomic(uint32_t *) victim;
static atomic_uint rounds;

/* Looked up once, used for the whole quantum, like a wave's cached ranges. */
static enum sim_stop write_on(struct sim_wave *wave, uint64_t step)
{
	volatile uint32_t *cells = atomic_load(&victim);

	(void)wave;
	(void)step;
	do {
		cells[atomic_fetch_add(&rounds, 1) % 1024]++;
	} while (!value(&arena->gate));
	return SIM_STOP_END;
}

static atomic_bool freed;

static void *free_victim(void *memory)
{
	assert_int_equal(gpu_free(memory, 1 << 20), 0);
	atomic_store(&freed, true);
	return NULL;
}

/* The pages stay until the wave returns; look-ups fail at once. */
static void freed_under_a_kernel(void **state)
{
	hsa_kernel_dispatch_packet_t packet = kernel_packet();
	void *memory = gpu_memory(1 << 20);
	uint64_t address = (uint64_t)(uintptr_t)memory;
	struct sim_range range;
	pthread_t thread;
	unsigned seen;

	(void)state;
	atomic_store(&victim, memory);
	atomic_store(&rounds, 0);
	atomic_store(&freed, false);
	fake_current = write_on;
	submit(&packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
	while (!atomic_load(&rounds))
		sched_yield();
	assert_int_equal(pthread_create(&thread, NULL, free_victim, memory), 0);
	while (!sim_mem_find(address, &range))
		sched_yield();
	/* The wave writes on, and the caller waits for it. */
	seen = atomic_load(&rounds);
	while (atomic_load(&rounds) < seen + 1000)
		sched_yield();
	assert_false(atomic_load(&freed));
	store(&arena->gate, 1);
	pthread_join(thread, NULL);
	assert_true(atomic_load(&freed));
	assert_int_equal(wait_for_answer(), ANSWER_DONE);
}

#define STRAY_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		STRAY_TEST(completion_signals),	  STRAY_TEST(dependencies),
		STRAY_TEST(kernel_objects),	  STRAY_TEST(random_descriptors),
		STRAY_TEST(random_packets),	  STRAY_TEST(scratch_memory),
		STRAY_TEST(endless_grid),	  STRAY_TEST(queue_memory_is_held),
		STRAY_TEST(freed_under_a_kernel),
	};

	setenv("PROBE_SIM_THREADS", "2", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
