/* SPDX-License-Identifier: MIT */
/*
 * Copy engines from outside: queues as the driver makes them, jobs as ROCr writes them, their time
 * stamps, and invalid commands.
 */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <hsa/amd_hsa_signal.h>

#include "simgpu/base/device_clock.h"
#include "simgpu/base/queue_timeline.h"
#include "simgpu/event/interrupt_events.h"
#include "simgpu/queue/queue_threads.h"
#include "tests/unit/simgpu/gpu_memory.h"

enum { RING = 4096, COPY = 1 << 20 };

struct arena {
	uint8_t ring[2][RING];
	uint64_t stamps[2][2];
	amd_signal_t done[2];
	uint8_t from[COPY], to[COPY];
};

static struct arena *arena;

struct engine {
	struct sim_queue *queue;
	uint32_t *ring;
	uint32_t words;
};

static void open_engine(struct engine *engine, unsigned int i)
{
	struct sim_queue_request want = {
		.node = SIM_NODE_GPU, .ring = arena->ring[i], .ring_size = RING};

	memset(engine, 0, sizeof(*engine));
	engine->ring = (uint32_t *)arena->ring[i];
	sim_clock_start();
	assert_int_equal(sim_queue_create(&want, &engine->queue), 0);
}

static void put(struct engine *engine, uint32_t word)
{
	engine->ring[engine->words++] = word;
}

static void put_address(struct engine *engine, const void *address)
{
	put(engine, (uint32_t)(uintptr_t)address);
	put(engine, (uint32_t)((uint64_t)(uintptr_t)address >> 32));
}

static void put_stamp(struct engine *engine, uint64_t *to)
{
	put(engine, 13 | 2 << 8);
	put_address(engine, to);
}

static void put_copy(struct engine *engine, uint32_t bytes)
{
	put(engine, 1);
	put(engine, bytes - 1);
	put(engine, 0);
	put_address(engine, arena->from);
	put_address(engine, arena->to);
}

/* Value - 1. */
static void put_completion(struct engine *engine, amd_signal_t *signal)
{
	put(engine, 10 | 47u << 25);
	put_address(engine, (void *)&signal->value);
	put(engine, UINT32_MAX);
	put(engine, UINT32_MAX);
	for (int i = 0; i < 3; i++)
		put(engine, 0);
}

/* Waits until the low half of the value is 0. */
static void put_wait(struct engine *engine, amd_signal_t *signal)
{
	put(engine, 8 | 3u << 28 | 1u << 31);
	put_address(engine, (void *)&signal->value);
	put(engine, 0);
	put(engine, UINT32_MAX);
	put(engine, 0xfff << 16 | 10);
}

static void ring(struct engine *engine)
{
	atomic_store_explicit(engine->queue->doorbell, engine->words * 4ull, memory_order_release);
}

static void wait_for(amd_signal_t *signal)
{
	while (atomic_load_explicit((_Atomic int64_t *)(uintptr_t)&signal->value,
				    memory_order_acquire))
		sched_yield();
}

static void init_signal(amd_signal_t *signal)
{
	memset(signal, 0, sizeof(*signal));
	signal->kind = AMD_SIGNAL_KIND_USER;
	signal->value = 1;
}

static int set_up(void **state)
{
	(void)state;
	sim_clock_open(sim_timeline_last());
	arena = gpu_memory(sizeof(*arena));
	return 0;
}

/*
 * The second engine's job depends on the first one's, which it finds by the signal alone. The
 * first engine's is sent last, so that the second really waits.
 */
static void jobs_follow_one_another_in_time(void **state)
{
	const uint64_t start = SIM_CLOCK_BASE + 1000;
	uint64_t ticks = sim_copy_cycles(SIM_PATH_LOCAL, COPY, true) / sim_tick_cycles() + 1;
	struct engine first, second;

	(void)state;
	for (int i = 0; i < 2; i++)
		init_signal(&arena->done[i]);
	memset(arena->from, 0x5a, COPY);
	open_engine(&first, 0);
	open_engine(&second, 1);
	put_wait(&second, &arena->done[0]);
	put_stamp(&second, &arena->stamps[1][0]);
	put_copy(&second, COPY / 2);
	put_stamp(&second, &arena->stamps[1][1]);
	put_completion(&second, &arena->done[1]);
	ring(&second);
	put_stamp(&first, &arena->stamps[0][0]);
	put_copy(&first, COPY);
	put_stamp(&first, &arena->stamps[0][1]);
	put_completion(&first, &arena->done[0]);
	ring(&first);
	wait_for(&arena->done[1]);
	assert_memory_equal(arena->from, arena->to, COPY);
	assert_int_equal(arena->stamps[0][0], start);
	assert_int_equal(arena->stamps[0][1], start + ticks);
	assert_int_equal(arena->done[0].end_ts, start + ticks);
	assert_int_equal(arena->stamps[1][0], start + ticks);
	ticks += sim_copy_cycles(SIM_PATH_LOCAL, COPY / 2, true) / sim_tick_cycles() + 1;
	assert_int_equal(arena->stamps[1][1], start + ticks);
	assert_int_equal(sim_queue_destroy(first.queue->id), 0);
	assert_int_equal(sim_queue_destroy(second.queue->id), 0);
}

/* Who waits hears of it: the runtime has a handler for memory faults and for nothing else. */
static void an_unknown_command_is_an_error(void **state)
{
	struct sim_memory_fault fault;
	struct engine engine;
	uint32_t event;

	(void)state;
	assert_int_equal(sim_event_create(SIM_EVENT_MEMORY, false, false, &event), 0);
	init_signal(&arena->done[0]);
	open_engine(&engine, 0);
	put(&engine, 0xee);
	put_completion(&engine, &arena->done[0]);
	ring(&engine);
	assert_int_equal(sim_event_wait(&event, NULL, 1, true, 10000), 0);
	assert_true(sim_event_fault(event, &fault));
	assert_int_equal(fault.node, 1);
	assert_int_equal(arena->done[0].value, 1);
	assert_int_equal(sim_queue_destroy(engine.queue->id), 0);
	assert_int_equal(sim_event_destroy(event), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(jobs_follow_one_another_in_time),
		cmocka_unit_test(an_unknown_command_is_an_error),
	};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
