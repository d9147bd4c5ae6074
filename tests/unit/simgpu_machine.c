/* SPDX-License-Identifier: MIT */
/*
 * The machine from outside, as ROCr uses it: the thunk's calls, queues in memory, packets, and in
 * place of the instruction set C functions that play waves. The tests play the runtime.
 */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>
#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>
#include <hsa/hsa_ext_amd.h>

#include "probe_sim.h"
#include "simgpu_fake_isa.h"
#include "thunk.h"

enum {
	PACKETS = 64,
	GRID_GROUPS = 300,
	CODE_OFFSET = 0x1000, /* of the fake kernel's entry from its descriptor */
};

/* Everything the GPU sees, in one allocation. */
struct arena {
	uint8_t code[3 * 4096]; /* kernel descriptor, entry one page later */
	uint8_t ring[PACKETS * 64];
	amd_queue_t queue;
	amd_signal_t inactive, done, gate, other;
	uint32_t data[4096];
};

static struct arena *arena;
static HsaQueueResource resource;
static HSA_QUEUEID queue_id;

static void *gpu_memory(size_t size)
{
	HsaMemFlags flags = {.ui32 = {.HostAccess = 1, .ExecuteAccess = 1}};
	HSAuint64 alternate;
	void *memory;

	assert_int_equal(hsaKmtAllocMemory(0, size, flags, &memory), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(hsaKmtMapMemoryToGPU(memory, size, &alternate), HSAKMT_STATUS_SUCCESS);
	assert_ptr_equal((void *)(uintptr_t)alternate, memory);
	return memory;
}

static void put32(unsigned offset, uint32_t value)
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
	put32(52, 1 | 15 << 1 | 7 << 7 | 1 << 10);
	put32(56, 0x7f);
}

static void *map_queue(struct arena *at, HsaQueueResource *ret)
{
	for (int i = 0; i < PACKETS; i++)
		at->ring[i * 64] = HSA_PACKET_TYPE_INVALID;
	at->queue.hsa_queue.base_address = at->ring;
	at->queue.hsa_queue.size = PACKETS;
	at->queue.queue_inactive_signal.handle = (uint64_t)(uintptr_t)&at->inactive;
	memset(ret, 0, sizeof(*ret));
	ret->Queue_read_ptr_aql = (HSAuint64 *)&at->queue.read_dispatch_id;
	ret->Queue_write_ptr_aql = (HSAuint64 *)&at->queue.write_dispatch_id;
	assert_int_equal(hsaKmtCreateQueue(1, HSA_QUEUE_COMPUTE_AQL, 100, HSA_QUEUE_PRIORITY_NORMAL,
					   at->ring, sizeof(at->ring), NULL, ret),
			 HSAKMT_STATUS_SUCCESS);
	return at;
}

static int set_up(void **state)
{
	(void)state;
	arena = gpu_memory(sizeof(*arena));
	make_kernel();
	map_queue(arena, &resource);
	queue_id = resource.QueueId;
	assert_int_equal((uintptr_t)resource.Queue_DoorBell_aql % 8, 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	assert_int_equal(hsaKmtDestroyQueue(queue_id), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(hsaKmtFreeMemory(arena, sizeof(*arena)), HSAKMT_STATUS_SUCCESS);
	return 0;
}

static hsa_signal_t handle(const amd_signal_t *signal)
{
	return (hsa_signal_t){(uint64_t)(uintptr_t)signal};
}

static int64_t value(const amd_signal_t *signal)
{
	return atomic_load((_Atomic int64_t *)(uintptr_t)&signal->value);
}

static void store(amd_signal_t *signal, int64_t to)
{
	atomic_store((_Atomic int64_t *)(uintptr_t)&signal->value, to);
}

static void submit_to(struct arena *at, HsaQueueResource *to, const void *packet, uint16_t header)
{
	uint64_t index = atomic_load((_Atomic uint64_t *)(uintptr_t)&at->queue.write_dispatch_id);
	uint8_t *slot = at->ring + index % PACKETS * 64;

	memcpy(slot + 2, (const uint8_t *)packet + 2, 62);
	atomic_store((_Atomic uint64_t *)(uintptr_t)&at->queue.write_dispatch_id, index + 1);
	atomic_store((_Atomic uint16_t *)slot, header);
	atomic_store((_Atomic uint64_t *)to->Queue_DoorBell_aql, index);
}

static void submit(const void *packet, uint16_t header)
{
	submit_to(arena, &resource, packet, header);
}

static bool comes_true(bool (*condition)(void))
{
	time_t end = time(NULL) + 20; /* generous: sanitizers, busy machines */

	while (!condition()) {
		if (time(NULL) > end)
			return false;
		sched_yield();
	}
	return true;
}

static bool is_done(void)
{
	return value(&arena->done) <= 0;
}

static hsa_kernel_dispatch_packet_t kernel_packet(uint32_t grid, uint16_t group)
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

static void start(hsa_kernel_dispatch_packet_t packet, fake_program program)
{
	fake_current = program;
	store(&arena->done, 1);
	submit(&packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
}

static void run(hsa_kernel_dispatch_packet_t packet, fake_program program)
{
	start(packet, program);
	assert_true(comes_true(is_done));
	assert_int_equal(value(&arena->done), 0);
}

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

static enum sim_stop count_lanes(struct sim_wave *wave, uint64_t step)
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

/* Which of the two is told by the kernel argument pointer. */
static enum sim_stop spin_or_open(struct sim_wave *wave, uint64_t step)
{
	return pair(wave, 8) ? spin_on_gate(wave, step) : open_gate(wave, step);
}

/* A kernel that fills its queue's thread waits for one on another queue. */
static void queues_do_not_block_each_other(void **state)
{
	hsa_kernel_dispatch_packet_t packet = kernel_packet(64 * 100, 64);
	struct arena *second = gpu_memory(sizeof(*second));
	HsaQueueResource to;

	(void)state;
	map_queue(second, &to);
	store(&arena->gate, 1);
	store(&arena->other, 1);
	packet.kernarg_address = (void *)(uintptr_t)1;
	packet.grid_size_x = 64 * 50;
	start(packet, spin_or_open);
	packet.kernarg_address = NULL;
	packet.completion_signal = handle(&arena->other);
	submit_to(second, &to, &packet, HSA_PACKET_TYPE_KERNEL_DISPATCH);
	assert_true(comes_true(is_other_done));
	assert_true(comes_true(is_done));
	assert_int_equal(hsaKmtDestroyQueue(to.QueueId), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(hsaKmtFreeMemory(second, sizeof(*second)), HSAKMT_STATUS_SUCCESS);
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
	struct timespec wait = {.tv_nsec = 20000000};

	(void)state;
	assert_int_equal(hsaKmtUpdateQueue(queue_id, 0, 0, NULL, 0, NULL), HSAKMT_STATUS_SUCCESS);
	store(&arena->gate, 1);
	start(kernel_packet(64, 64), open_gate);
	nanosleep(&wait, NULL);
	assert_int_equal(value(&arena->gate), 1);
	assert_int_equal(hsaKmtUpdateQueue(queue_id, 100, 0, NULL, 0, NULL), HSAKMT_STATUS_SUCCESS);
	assert_true(comes_true(is_done));
	assert_int_equal(value(&arena->gate), 0);
}

/* ---- Other packets -------------------------------------------------------------------------- */

static void barrier_packets(void **state)
{
	hsa_barrier_and_packet_t packet = {
		.dep_signal = {handle(&arena->gate), {0}, handle(&arena->other)},
		.completion_signal = handle(&arena->done),
	};

	(void)state;
	store(&arena->gate, 1);
	store(&arena->other, 1);
	store(&arena->done, 2);
	submit(&packet, HSA_PACKET_TYPE_BARRIER_AND);
	store(&arena->gate, 0);
	assert_int_equal(value(&arena->done), 2);
	store(&arena->other, 0);
	while (value(&arena->done) == 2)
		sched_yield();
	store(&arena->gate, 1);
	submit(&packet, HSA_PACKET_TYPE_BARRIER_OR); /* other is 0 */
	assert_true(comes_true(is_done));
}

static void barrier_value_packet(void **state)
{
	hsa_amd_barrier_value_packet_t packet = {
		.header = {.AmdFormat = 2},
		.signal = handle(&arena->gate),
		.value = 0x20,
		.mask = 0xf0,
		.cond = HSA_SIGNAL_CONDITION_EQ,
		.completion_signal = handle(&arena->done),
	};
	struct timespec wait = {.tv_nsec = 5000000};

	(void)state;
	store(&arena->gate, 0x13);
	store(&arena->done, 1);
	submit(&packet, HSA_PACKET_TYPE_VENDOR_SPECIFIC);
	nanosleep(&wait, NULL);
	assert_int_equal(value(&arena->done), 1);
	store(&arena->gate, 0x127);
	assert_true(comes_true(is_done));
}

static bool read_everything(void)
{
	return atomic_load((_Atomic uint64_t *)(uintptr_t)&arena->queue.read_dispatch_id) ==
	       arena->queue.write_dispatch_id;
}

static void pm4_flushes_code(void **state)
{
	uint32_t packet[16] = {0};
	uint64_t before = fake_invalidations;

	(void)state;
	arena->data[0] = 3u << 30 | 5 << 16 | 0x58 << 8;
	packet[0] = 1u << 16;
	packet[2] = (uint32_t)(uintptr_t)arena->data;
	packet[3] = (uint32_t)((uint64_t)(uintptr_t)arena->data >> 32);
	packet[4] = 7 | 1u << 23;
	packet[5] = 10;
	submit(packet, HSA_PACKET_TYPE_VENDOR_SPECIFIC);
	assert_true(comes_true(read_everything));
	assert_int_equal(fake_invalidations, before + 1);
}

/* ---- Errors --------------------------------------------------------------------------------- */

static bool is_inactive(void)
{
	return value(&arena->inactive) != 0;
}

static void expect_error(int64_t code)
{
	assert_true(comes_true(is_inactive));
	assert_int_equal(value(&arena->inactive), code);
	assert_int_equal(value(&arena->done), 1);
}

static void bad_packets(void **state)
{
	hsa_kernel_dispatch_packet_t packet = kernel_packet(64, 64);

	(void)state;
	packet.workgroup_size_y = 0;
	start(packet, count_lanes);
	expect_error(2);
}

static void group_too_large(void **state)
{
	hsa_kernel_dispatch_packet_t packet = kernel_packet(2048, 1024);

	(void)state;
	packet.workgroup_size_y = 2;
	start(packet, count_lanes);
	expect_error(64);
}

static void too_much_lds(void **state)
{
	hsa_kernel_dispatch_packet_t packet = kernel_packet(64, 64);

	(void)state;
	packet.group_segment_size = 65537;
	start(packet, count_lanes);
	expect_error(4);
}

static void no_kernel_there(void **state)
{
	hsa_kernel_dispatch_packet_t packet = kernel_packet(64, 64);

	(void)state;
	packet.kernel_object = 0x1000;
	start(packet, count_lanes);
	expect_error(8);
}

static void unknown_vendor_packet(void **state)
{
	uint8_t packet[64] = {0, 0, 77};

	(void)state;
	store(&arena->done, 1);
	submit(packet, HSA_PACKET_TYPE_VENDOR_SPECIFIC);
	expect_error(256);
}

static enum sim_stop trap(struct sim_wave *wave, uint64_t step)
{
	fake_advance(wave);
	wave->stop_arg = step ? 2 : 3; /* the debug trap returns */
	return SIM_STOP_TRAP;
}

static void traps(void **state)
{
	(void)state;
	start(kernel_packet(6400, 64), trap);
	expect_error(0x80000000);
}

static enum sim_stop illegal(struct sim_wave *wave, uint64_t step)
{
	(void)step;
	wave->fault = (struct sim_fault){.kind = SIM_FAULT_UNKNOWN_OPCODE, .lane = -1};
	return SIM_STOP_FAULT;
}

static void illegal_instruction(void **state)
{
	(void)state;
	start(kernel_packet(64, 64), illegal);
	expect_error(0x40000000);
}

static enum sim_stop write_nowhere(struct sim_wave *wave, uint64_t step)
{
	(void)step;
	wave->fault = (struct sim_fault){
		.kind = SIM_FAULT_WRITE, .addr = 0x123456789, .size = 4, .lane = 9};
	return SIM_STOP_FAULT;
}

static void memory_fault(void **state)
{
	HsaEventDescriptor descriptor = {.EventType = HSA_EVENTTYPE_MEMORY};
	const HsaMemoryAccessFault *fault;
	HsaEvent *event, *polled;

	(void)state;
	assert_int_equal(hsaKmtCreateEvent(&descriptor, false, false, &event),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(hsaKmtCreateEvent(&descriptor, false, false, &polled),
			 HSAKMT_STATUS_SUCCESS);
	start(kernel_packet(6400, 64), write_nowhere);
	assert_int_equal(hsaKmtWaitOnEvent(event, 20000), HSAKMT_STATUS_SUCCESS);
	fault = &event->EventData.EventData.MemoryAccessFault;
	assert_int_equal(fault->NodeId, 1);
	assert_int_equal(fault->VirtualAddress, 0x123456000);
	assert_int_equal(fault->Failure.NotPresent, 1);
	assert_int_equal(fault->Flags, HSA_EVENTID_MEMORY_FATAL_PROCESS);
	assert_int_equal(value(&arena->inactive), 0);
	assert_int_equal(value(&arena->done), 1);
	/* Who looks at the handle without waiting sees it as well. */
	fault = &polled->EventData.EventData.MemoryAccessFault;
	assert_int_equal(fault->VirtualAddress, 0x123456000);
	assert_int_equal(fault->Flags, HSA_EVENTID_MEMORY_FATAL_PROCESS);
	assert_int_equal(hsaKmtDestroyEvent(polled), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(hsaKmtDestroyEvent(event), HSAKMT_STATUS_SUCCESS);
}

/* ---- Scratch -------------------------------------------------------------------------------- */

/* Each wave owns its part: mark it, give the others a turn, look again. */
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
	arena->queue.scratch_backing_memory_byte_size = 16 * 2048;
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
	assert_int_equal(hsaKmtFreeMemory(memory, 16 * 2048), HSAKMT_STATUS_SUCCESS);
}

/* ---- Events --------------------------------------------------------------------------------- */

static HsaEvent *make_event(bool manual)
{
	HsaEventDescriptor descriptor = {.EventType = HSA_EVENTTYPE_SIGNAL};
	HsaEvent *event;

	assert_int_equal(hsaKmtCreateEvent(&descriptor, manual, false, &event),
			 HSAKMT_STATUS_SUCCESS);
	return event;
}

static void events(void **state)
{
	HsaEvent *automatic = make_event(false), *manual = make_event(true);
	HsaEvent *both[] = {automatic, manual};

	(void)state;
	assert_int_equal(hsaKmtWaitOnEvent(automatic, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
	assert_int_equal(hsaKmtWaitOnEvent(automatic, 3), HSAKMT_STATUS_WAIT_TIMEOUT);
	assert_int_equal(hsaKmtSetEvent(automatic), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(hsaKmtWaitOnMultipleEvents(both, 2, true, 1), HSAKMT_STATUS_WAIT_TIMEOUT);
	assert_int_equal(hsaKmtWaitOnMultipleEvents(both, 2, false, 0), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(hsaKmtWaitOnEvent(automatic, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
	hsaKmtSetEvent(manual);
	hsaKmtSetEvent(automatic);
	assert_int_equal(hsaKmtWaitOnMultipleEvents(both, 2, true, 0xfffffffe),
			 HSAKMT_STATUS_SUCCESS);
	assert_int_equal(hsaKmtQueryEventState(manual), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(hsaKmtResetEvent(manual), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(hsaKmtQueryEventState(manual), HSAKMT_STATUS_WAIT_TIMEOUT);
	assert_int_equal(hsaKmtDestroyEvent(manual), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(hsaKmtDestroyEvent(automatic), HSAKMT_STATUS_SUCCESS);
}

static HsaEvent *message_event;

/* What device code does for a host call: id to the mailbox, then the interrupt. */
static enum sim_stop send_interrupt(struct sim_wave *wave, uint64_t step)
{
	fake_advance(wave);
	if (step)
		return SIM_STOP_END;
	*(uint64_t *)(uintptr_t)message_event->EventData.HWData2 = message_event->EventId;
	wave->sgpr[SIM_M0] = message_event->EventId & 0xff;
	wave->stop_arg = 1;
	return SIM_STOP_SENDMSG;
}

static void interrupts(void **state)
{
	hsa_kernel_dispatch_packet_t packet = kernel_packet(64, 64);
	HsaEvent *same_low_bits = NULL, *extra[256];

	(void)state;
	message_event = make_event(false);
	for (int i = 0; i < 256; i++)
		extra[i] = make_event(false);
	same_low_bits = extra[255];
	assert_int_equal((same_low_bits->EventId ^ message_event->EventId) & 0xff, 0);
	run(packet, send_interrupt);
	assert_int_equal(hsaKmtWaitOnEvent(message_event, 20000), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(*(uint64_t *)(uintptr_t)message_event->EventData.HWData2, 0);
	assert_int_equal(hsaKmtWaitOnEvent(same_low_bits, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
	/* A completion signal interrupts too. */
	arena->done.event_id = same_low_bits->EventId;
	arena->done.event_mailbox_ptr = same_low_bits->EventData.HWData2;
	run(packet, count_lanes);
	assert_int_equal(hsaKmtWaitOnEvent(same_low_bits, 20000), HSAKMT_STATUS_SUCCESS);
	for (int i = 0; i < 256; i++)
		hsaKmtDestroyEvent(extra[i]);
	hsaKmtDestroyEvent(message_event);
}

/* ---- Pointers ------------------------------------------------------------------------------- */

static void pointer_info(void **state)
{
	HsaPointerInfo info;
	int local;

	(void)state;
	assert_int_equal(hsaKmtQueryPointerInfo(&arena->data[3], &info), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(info.Type, HSA_POINTER_ALLOCATED);
	assert_ptr_equal(info.CPUAddress, arena);
	assert_int_equal(info.NMappedNodes, 1);
	assert_int_equal(info.MappedNodes[0], 1);
	assert_int_equal(hsaKmtSetMemoryUserData(arena, &local), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(hsaKmtQueryPointerInfo(arena, &info), HSAKMT_STATUS_SUCCESS);
	assert_ptr_equal(info.UserData, &local);
	assert_int_not_equal(hsaKmtQueryPointerInfo(&local, &info), HSAKMT_STATUS_SUCCESS);
	assert_int_equal(info.Type, HSA_POINTER_UNKNOWN);
	assert_int_not_equal(hsaKmtFreeMemory(&arena->data, 16), HSAKMT_STATUS_SUCCESS);
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

#define MACHINE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

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
		MACHINE_TEST(barrier_packets),
		MACHINE_TEST(barrier_value_packet),
		MACHINE_TEST(pm4_flushes_code),
		MACHINE_TEST(bad_packets),
		MACHINE_TEST(group_too_large),
		MACHINE_TEST(too_much_lds),
		MACHINE_TEST(no_kernel_there),
		MACHINE_TEST(unknown_vendor_packet),
		MACHINE_TEST(traps),
		MACHINE_TEST(illegal_instruction),
		MACHINE_TEST(memory_fault),
		MACHINE_TEST(scratch_grows),
		MACHINE_TEST(events),
		MACHINE_TEST(interrupts),
		MACHINE_TEST(pointer_info),
		MACHINE_TEST(tool_interface),
	};

	setenv("PROBE_SIM_THREADS", "4", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
