/* SPDX-License-Identifier: MIT */
/* Simulated time of queues: what packets cost, what they wait for, and what must not matter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "simgpu/base/device_clock.h"
#include "simgpu/base/queue_timeline.h"

enum { US = 100 }; /* ticks */

static uint64_t kernel(struct sim_timeline *line, uint64_t cycles)
{
	sim_timeline_pick(line);
	sim_timeline_launch(line);
	return sim_timeline_end(line, cycles);
}

/* A barrier packet that waits for something that ended at `after`. */
static uint64_t barrier(struct sim_timeline *line, uint64_t after, bool signals)
{
	uint64_t end;

	sim_timeline_pick(line);
	sim_timeline_begin(line, signals);
	sim_timeline_after(line, after);
	end = sim_timeline_end(line, 0);
	if (signals)
		sim_timeline_signal(line, end);
	return end;
}

static void launches_cost(void **state)
{
	struct sim_timeline line;
	uint64_t first, next;

	(void)state;
	sim_timeline_init(&line);
	assert_int_equal(sim_timeline_tick(&line), SIM_CLOCK_BASE + 10 * US);
	first = kernel(&line, 17 * US);
	assert_int_equal(first, SIM_CLOCK_BASE + (10 + 3 + 1) * US);
	assert_int_equal(line.start, first - US);
	/* Back to back; parts of a tick count whole. */
	next = kernel(&line, 17 * US + 1);
	assert_int_equal(next, first + 2 * US + 1);
	/* With a signal the processor settles for 1 us and then starts from idle. */
	sim_timeline_signal(&line, next);
	assert_int_equal(kernel(&line, 17), next + (1 + 3) * US + 1);
}

static void stamps_rise(void **state)
{
	struct sim_timeline line;
	uint64_t last = 0;

	(void)state;
	sim_timeline_init(&line);
	for (int i = 0; i < 100; i++) {
		uint64_t end = i % 3 ? kernel(&line, (uint64_t)i) : barrier(&line, 0, i % 2);

		assert_true(line.start < end);
		assert_true(line.start + 1 >= last);
		assert_true(end >= last);
		last = end;
	}
}

static void barriers_without_a_signal_cost_nothing(void **state)
{
	struct sim_timeline with, without;

	(void)state;
	sim_timeline_init(&with);
	sim_timeline_init(&without);
	kernel(&with, 1000);
	kernel(&without, 1000);
	barrier(&with, SIM_CLOCK_BASE + 1, false);
	assert_int_equal(kernel(&with, 500), kernel(&without, 500));
}

/*
 * The runtime omits a dependency if the signal is complete when it looks. Both cases must give the
 * same time.
 */
static void a_dependency_equals_having_waited(void **state)
{
	struct sim_timeline other, asked, left_out;
	uint64_t end;

	(void)state;
	sim_timeline_init(&other);
	sim_timeline_init(&asked);
	sim_timeline_init(&left_out);
	end = kernel(&other, 1000000);
	/* Queried before it has ended: the barrier waits. */
	sim_timeline_pick(&asked);
	sim_timeline_begin(&asked, false);
	sim_timeline_signal(&other, end);
	sim_timeline_after(&asked, end);
	sim_timeline_end(&asked, 0);
	assert_int_equal(kernel(&asked, 100), kernel(&left_out, 100));
	assert_int_equal(asked.start, end + 3 * US);
}

static void a_stamp_from_the_future_is_ignored(void **state)
{
	struct sim_timeline line;
	uint64_t before;

	(void)state;
	sim_timeline_init(&line);
	sim_timeline_pick(&line);
	before = line.now;
	sim_timeline_after(&line, UINT64_MAX / 100);
	assert_int_equal(line.now, before);
}

static void copies_follow_bytes(void **state)
{
	uint64_t one = sim_copy_cycles(SIM_PATH_HOST, 1 << 20, false);

	(void)state;
	/* 28.4 GB/s: 36.9 us for a MiB. */
	assert_in_range(one, 36.8 * 1700, 37.0 * 1700);
	assert_in_range(sim_copy_cycles(SIM_PATH_HOST, 8 << 20, false), 8 * one - 8, 8 * one + 8);
	assert_int_equal(sim_copy_cycles(SIM_PATH_HOST, 1 << 20, true), one + 2 * 1700);
	assert_true(sim_copy_cycles(SIM_PATH_PEER, 1 << 20, false) < one);
}

/* One tick is 10 ns exactly, the GPU's clock stands still until there is a queue, the CPU's does
 * not. */
static void clocks_agree(void **state)
{
	struct sim_clock_pair first, gpu, cpu;

	(void)state;
	sim_clock_open(sim_timeline_last());
	first = sim_clock_read(true);
	do {
		cpu = sim_clock_read(false);
	} while (cpu.gpu < first.gpu + 1000);
	gpu = sim_clock_read(true);
	assert_int_equal(gpu.gpu, first.gpu);
	assert_int_equal(gpu.system, first.system);
	assert_int_equal(cpu.system - first.system, 10 * (cpu.gpu - first.gpu));
	sim_clock_start();
	gpu = sim_clock_read(true);
	assert_true(gpu.gpu >= cpu.gpu);
	assert_int_equal(gpu.system - first.system, 10 * (gpu.gpu - first.gpu));
	/* A runtime that opens the device again finds every old stamp behind it. */
	sim_clock_open(sim_timeline_last());
	assert_true(sim_clock_read(true).gpu >= sim_timeline_last());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(launches_cost),
		cmocka_unit_test(stamps_rise),
		cmocka_unit_test(barriers_without_a_signal_cost_nothing),
		cmocka_unit_test(a_dependency_equals_having_waited),
		cmocka_unit_test(a_stamp_from_the_future_is_ignored),
		cmocka_unit_test(copies_follow_bytes),
		cmocka_unit_test(clocks_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
