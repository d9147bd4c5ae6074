/* SPDX-License-Identifier: MIT */
/*
 * The machine from outside, as ROCr uses it: queues in memory, packets, and in
 * place of the instruction set C functions that play waves. Here: launches, scheduling, scratch,
 * and what tools ask; packets.c has the rest.
 */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simgpu/probe_sim.h"
#include "tests/unit/simgpu/fake_runtime.h"

enum { GRID_GROUPS = 300 };

/* ---- Launch state --------------------------------------------------------------------------- */

static struct sim_wave seen[32];
static struct sim_group seen_group[32];
static atomic_uint seen_count;

static enum sim_stop keep_state(struct sim_wave *wave, uint64_t step)
{
	uint32_t i = atomic_fetch_add(&seen_count, 1);

	assert_int_equal(step, 0);
	memcpy(&seen[i], wave, sizeof(*wave));
	seen_group[i] = *wave->group;
	return SIM_STOP_END;
}

static const struct sim_wave *find_wave(uint32_t group, uint32_t in_group)
{
	for (uint32_t i = 0; i < seen_count; i++)
		if (seen_group[i].id[0] == group && seen[i].in_group == in_group)
			return &seen[i];
	fail_msg("wave %u of group %u did not run", in_group, group);
	return NULL;
}

static uint64_t pair(const struct sim_wave *wave, int at)
{
	return wave->sgpr[at] | (uint64_t)wave->sgpr[at + 1] << 32;
}

static void launch_state(void **state)
{
	hsa_kernel_dispatch_packet_t packet = kernel_packet(128 * 3, 128);
	const struct sim_wave *wave;

	(void)state;
	seen_count = 0;
	packet.group_segment_size = 3000;
	arena->queue.scratch_resource_descriptor[3] = 0x33;
	run(packet, keep_state);
	assert_int_equal(seen_count, 6);
	wave = find_wave(2, 1);
	assert_int_equal(wave->pc, (uint64_t)(uintptr_t)arena->code + CODE_OFFSET);
	assert_true(wave->exec == UINT64_MAX);
	assert_int_equal(wave->sgpr[3], 0x33);
	assert_int_equal(pair(wave, 4), (uint64_t)(uintptr_t)arena->ring);
	assert_int_equal(pair(wave, 6), (uint64_t)(uintptr_t)&arena->queue);
	assert_int_equal(pair(wave, 8), (uint64_t)(uintptr_t)arena->data);
	assert_int_equal(pair(wave, 10), 0);
	assert_int_equal(wave->sgpr[15], 2); /* workgroup id x, y, z */
	assert_int_equal(wave->sgpr[16], 0);
	assert_int_equal(wave->sgpr[17], 0);
	assert_int_equal(wave->sgpr[18], 2); /* waves; not the first of its group */
	assert_int_equal(find_wave(2, 0)->sgpr[18], 0x80000002);
	assert_int_equal(wave->vgpr[0][5], 69);
	assert_int_equal(wave->mode, 0xc0 | 1 << 8 | 1 << 9);
	assert_int_equal(seen_group[0].lds_size, 3000);
	assert_int_equal(wave->lds_alloc >> 12, 6);
	assert_true(arena->done.start_ts < arena->done.end_ts);
	assert_int_equal(arena->ring[0], HSA_PACKET_TYPE_INVALID);
	assert_int_equal(arena->queue.read_dispatch_id, 1);
}

/* 3-D, cut off in every dimension: extent of the last group is 1 x 2 x 1 of 4 x 3 x 2. */
static void partial_groups(void **state)
{
	hsa_kernel_dispatch_packet_t packet = kernel_packet(5, 4);
	uint32_t sizes[8], lanes = 0;

	(void)state;
	seen_count = 0;
	packet.workgroup_size_y = 3;
	packet.workgroup_size_z = 2;
	packet.grid_size_y = 5;
	packet.grid_size_z = 3;
	run(packet, keep_state);
	assert_int_equal(seen_count, 8);
	for (uint32_t i = 0; i < 8; i++) {
		const uint32_t *id = seen_group[i].id;

		sizes[i] = (uint32_t)__builtin_popcountll(seen[i].exec);
		lanes += sizes[i];
		assert_int_equal(sizes[i], (id[0] ? 1 : 4) * (id[1] ? 2 : 3) * (id[2] ? 1 : 2));
		/* The last work-item has the largest ids of its group. */
		assert_int_equal(seen[i].vgpr[0][sizes[i] - 1], (id[0] ? 0u : 3u) |
									(id[1] ? 1u : 2u) << 10 |
									(id[2] ? 0u : 1u) << 20);
	}
	assert_int_equal(lanes, 5 * 5 * 3);
}

/* ---- Scheduling ----------------------------------------------------------------------------- */

static atomic_uint wrong, finished;

/* All 16 waves of a group pass each of three barriers together; wave 3 leaves early. */
static enum sim_stop meet_at_barriers(struct sim_wave *wave, uint64_t step)
{
	uint32_t group = wave->group->id[0];
	_Atomic uint32_t *count = (_Atomic uint32_t *)&arena->data[group];

	fake_advance(wave);
	if (step == 3)
		return SIM_STOP_END;
	if (wave->in_group == 3 && step == 1)
		return SIM_STOP_END;
	/* 16 waves arrive at step 0; 15 at steps 1 and 2. */
	if (step == 1 && atomic_load(count) < 16)
		atomic_fetch_add(&wrong, 1);
	if (step == 2 && atomic_load(count) < 16 + 15)
		atomic_fetch_add(&wrong, 1);
	atomic_fetch_add(count, 1);
	return SIM_STOP_BARRIER;
}

static void barriers(void **state)
{
	(void)state;
	wrong = 0;
	memset(arena->data, 0, sizeof(arena->data));
	run(kernel_packet(1024 * 40, 1024), meet_at_barriers);
	assert_int_equal(wrong, 0);
	for (int i = 0; i < 40; i++)
		assert_int_equal(arena->data[i], 16 + 15 + 15);
}

/* Each workgroup waits until the last one has started: all must be resident at once. */
static enum sim_stop meet_across_the_grid(struct sim_wave *wave, uint64_t step)
{
	_Atomic uint32_t *arrived = (_Atomic uint32_t *)&arena->data[0];

	if (!step) {
		atomic_fetch_add(arrived, 1);
		fake_advance(wave);
		return SIM_STOP_QUANTUM;
	}
	if (atomic_load(arrived) == GRID_GROUPS)
		return SIM_STOP_END;
	return wave->group->id[0] % 2 ? SIM_STOP_SLEEP : SIM_STOP_QUANTUM;
}

static void grid_barrier(void **state)
{
	(void)state;
	memset(arena->data, 0, sizeof(arena->data));
	run(kernel_packet(64 * GRID_GROUPS, 64), meet_across_the_grid);
	assert_int_equal(arena->data[0], GRID_GROUPS);
}

static void every_group_runs_once(void **state)
{
	struct probe_sim_counters counters = {.size = sizeof(counters)};
	uint64_t index = arena->queue.write_dispatch_id;

	(void)state;
	memset(arena->data, 0, sizeof(arena->data));
	run(kernel_packet(4096 * 192 - 100, 192), count_lanes);
	for (int i = 0; i < 4095; i++)
		assert_int_equal(arena->data[i], 192);
	assert_int_equal(arena->data[4095], 92);
	assert_int_equal(probe_sim_dispatch_counters(&arena->queue, index, &counters), 0);
	assert_int_equal(counters.waves, 4095 * 3 + 2);
	assert_int_equal(counters.insts, counters.waves * 4 * 1000);
	assert_int_equal(counters.dispatches, 1);
	assert_true(counters.host_ns > 0);
	assert_int_equal(probe_sim_dispatch_counters(&arena->queue, index + 1, &counters), -ENOENT);
}

static enum sim_stop spin_on_gate(struct sim_wave *wave, uint64_t step)
{
	(void)wave;
	(void)step;
	return value(&arena->gate) ? SIM_STOP_QUANTUM : SIM_STOP_END;
}

static bool is_other_done(void)
{
	return value(&arena->other) <= 0;
}

static enum sim_stop open_gate(struct sim_wave *wave, uint64_t step)
{
	(void)wave;
	(void)step;
	store(&arena->gate, 0);
	return SIM_STOP_END;
}

/* Which of the two is selected by the kernel argument pointer. */
static enum sim_stop spin_or_open(struct sim_wave *wave, uint64_t step)
{
	return pair(wave, 8) ? spin_on_gate(wave, step) : open_gate(wave, step);
}

/* A kernel that fills its queue's thread waits for one on another queue. */
static void queues_do_not_block_each_other(void **state)
{
	hsa_kernel_dispatch_packet_t packet = kernel_packet(64 * 100, 64);
	struct arena *second = gpu_memory(sizeof(*second));
	struct sim_queue *to;

	(void)state;
	to = make_queue(second);
	store(&arena->gate, 1);
	store(&arena->other, 1);
	packet.kernarg_address = (void *)(uintptr_t)1;
	packet.grid_size_x = 64 * 50;
	start(packet, spin_or_open);
	packet.kernarg_address = NULL;
	packet.completion_signal = handle(&arena->other);
	submit_to(second, to, &packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
	assert_true(comes_true(is_other_done));
	assert_true(comes_true(is_done));
	assert_int_equal(sim_queue_destroy(to->id), 0);
	assert_int_equal(gpu_free(second, sizeof(*second)), 0);
}

/* tear_down() destroys the queue under a kernel that never ends. */
static void destroy_while_running(void **state)
{
	(void)state;
	store(&arena->gate, 1);
	start(kernel_packet(64 * 300, 64), spin_on_gate);
	while (!atomic_load((_Atomic uint64_t *)&arena->queue.write_dispatch_id))
		sched_yield();
}

static void suspended_queue_starts_nothing(void **state)
{
	(void)state;
	assert_int_equal(sim_queue_suspend(queue->id, true), 0);
	store(&arena->gate, 1);
	start(kernel_packet(64, 64), open_gate);
	let_machine_work();
	assert_int_equal(value(&arena->gate), 1);
	assert_int_equal(sim_queue_suspend(queue->id, false), 0);
	assert_true(comes_true(is_done));
	assert_int_equal(value(&arena->gate), 0);
}

/* ---- Scratch -------------------------------------------------------------------------------- */

/* Each wave owns its part: mark it, let the others run, check again. */
static enum sim_stop mark_scratch(struct sim_wave *wave, uint64_t step)
{
	uint64_t *mine = (uint64_t *)wave->scratch;
	uint64_t mark = (uint64_t)wave->group->id[0] * 64 + wave->in_group + 1;

	if (wave->scratch_lane_size != 32 ||
	    pair(wave, 12) + wave->sgpr[19] != (uint64_t)(uintptr_t)wave->scratch)
		atomic_fetch_add(&wrong, 1);
	if (!step) {
		fake_advance(wave);
		mine[0] = mine[255] = mark;
		return SIM_STOP_SLEEP;
	}
	if (mine[0] != mark || mine[255] != mark)
		atomic_fetch_add(&wrong, 1);
	atomic_fetch_add(&finished, 1);
	return SIM_STOP_END;
}

static bool wants_scratch(void)
{
	return value(&arena->inactive) == 1;
}

static void scratch_grows(void **state)
{
	hsa_kernel_dispatch_packet_t packet = kernel_packet(64 * 200, 128);
	void *memory = gpu_memory(16 * 2048);

	(void)state;
	wrong = 0;
	finished = 0;
	packet.private_segment_size = 20;
	start(packet, mark_scratch);
	assert_true(comes_true(wants_scratch));
	assert_int_equal(arena->queue.read_dispatch_id, 0);
	assert_int_equal(arena->ring[0], HSA_PACKET_TYPE_KERNEL_DISPATCH);
	/* Out of memory for a while: the runtime's mark is not an answer. */
	store(&arena->inactive, (int64_t)(1 | (uint64_t)1 << 63));
	arena->queue.scratch_backing_memory_location = (uint64_t)(uintptr_t)memory;
	arena->queue.scratch_wave64_lane_byte_size = 32;
	arena->queue.compute_tmpring_size = 16 | 2 << 12;
	assert_int_equal(finished, 0);
	store(&arena->inactive, 0);
	assert_true(comes_true(is_done));
	assert_int_equal(finished, 200);
	assert_int_equal(wrong, 0);
	/* Enough now: no second request. */
	run(packet, mark_scratch);
	assert_int_equal(finished, 400);
	/* Granted for once: given back before the packet completes. */
	arena->queue.queue_properties |= AMD_QUEUE_PROPERTIES_USE_SCRATCH_ONCE;
	start(packet, mark_scratch);
	assert_true(comes_true(is_inactive));
	assert_int_equal(value(&arena->inactive), 512);
	assert_int_equal(value(&arena->done), 1);
	store(&arena->inactive, 0);
	assert_true(comes_true(is_done));
	assert_int_equal(gpu_free(memory, 16 * 2048), 0);
}

static void tool_interface(void **state)
{
	struct probe_sim_counters sum = {.size = sizeof(sum)};
	struct probe_sim_pc pc = {.size = 32}; /* an older caller: pc, execs, lanes */

	(void)state;
	memset(arena->data, 0, sizeof(arena->data));
	run(kernel_packet(640, 64), count_lanes);
	run(kernel_packet(640, 64), count_lanes);
	/* No ELF around the descriptor. */
	assert_int_equal(probe_sim_kernel_counters("(no symbol)", &sum), 0);
	assert_true(sum.dispatches >= 2);
	assert_true(sum.waves >= 20);
	assert_int_equal(probe_sim_kernel_counters("none", &sum), -ENOENT);
	assert_int_equal(probe_sim_version(), PROBE_SIM_VERSION);
	pc.lines64 = 5;
	assert_int_equal(probe_sim_pc_counters(0x1000, &pc), 0);
	assert_int_equal(pc.execs, 7);
	assert_int_equal(pc.lanes, 448);
	assert_int_equal(pc.lines64, 5); /* beyond the caller's size */
	assert_int_equal(probe_sim_pc_counters(0x2000, &pc), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MACHINE_TEST(launch_state),
		MACHINE_TEST(partial_groups),
		MACHINE_TEST(barriers),
		MACHINE_TEST(grid_barrier),
		MACHINE_TEST(every_group_runs_once),
		MACHINE_TEST(queues_do_not_block_each_other),
		MACHINE_TEST(destroy_while_running),
		MACHINE_TEST(suspended_queue_starts_nothing),
		MACHINE_TEST(scratch_grows),
		MACHINE_TEST(tool_interface),
	};

	setenv("PROBE_SIM_THREADS", "4", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
