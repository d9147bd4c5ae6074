/* SPDX-License-Identifier: MIT */
/*
 * Packets that are not launches, errors and events, seen as ROCr sees them (dispatches.c).
 */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simgpu/event/interrupt_events.h"
#include "simgpu/probe_sim.h"
#include "simgpu/mem/code_generation.h"
#include "tests/unit/simgpu/fake_runtime.h"

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

	(void)state;
	store(&arena->gate, 0x13);
	store(&arena->done, 1);
	submit(&packet, HSA_PACKET_TYPE_VENDOR_SPECIFIC);
	let_machine_work();
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
	uint64_t before = sim_code_generation;

	(void)state;
	arena->data[0] = 3u << 30 | 5 << 16 | 0x58 << 8;
	packet[0] = 1u << 16;
	packet[2] = (uint32_t)(uintptr_t)arena->data;
	packet[3] = (uint32_t)((uint64_t)(uintptr_t)arena->data >> 32);
	packet[4] = 7 | 1u << 23;
	packet[5] = 10;
	submit(packet, HSA_PACKET_TYPE_VENDOR_SPECIFIC);
	assert_true(comes_true(read_everything));
	assert_int_equal(sim_code_generation, before + 1);
}

/* As ROCr exchanges the buffers of PC sampling, in one buffer of packets. */
static void pm4_exchanges_buffers(void **state)
{
	enum { WRITE = 512, WRITTEN = 516, RESULT = 520, FROM = 524, TO = 528 };
	const uint32_t high = (uint32_t)((uint64_t)(uintptr_t)arena->data >> 32);
	const uint32_t low = (uint32_t)(uintptr_t)arena->data;
	const uint32_t buffer[] = {
		3u << 30 | 7 << 16 | 0x1e << 8,
		39,
		low + 4 * WRITE,
		high,
		0,
		1u << 31,
		0,
		0,
		0,
		3u << 30 | 4 << 16 | 0x40 << 8,
		6 | 2 << 8 | 1 << 16 | 1 << 20,
		0,
		0,
		low + 4 * RESULT,
		high,
		3u << 30 | 5 << 16 | 0x3c << 8,
		3 | 1 << 4,
		low + 4 * WRITTEN,
		high,
		5,
		~0u,
		4,
		3u << 30 | 5 << 16 | 0x50 << 8,
		3 << 20 | 3u << 29,
		low + 4 * FROM,
		high,
		low + 4 * TO,
		high,
		8,
		3u << 30 | 3 << 16 | 0x37 << 8,
		2 << 8 | 1 << 20,
		low + 4 * WRITTEN,
		high,
		0,
	};
	uint32_t packet[16] = {0};
	hsa_signal_t done;

	(void)state;
	memset(arena->data, 0, sizeof(arena->data));
	memcpy(arena->data, buffer, sizeof(buffer));
	arena->data[WRITE] = 5;
	arena->data[FROM] = 11;
	arena->data[FROM + 1] = 12;
	packet[0] = 1u << 16;
	packet[2] = low;
	packet[3] = high;
	packet[4] = 1000; /* zeros follow */
	store(&arena->done, 1);
	done = handle(&arena->done);
	memcpy(&packet[14], &done, sizeof(done));
	submit(packet, HSA_PACKET_TYPE_VENDOR_SPECIFIC);
	/* It waits until all 5 samples are written. */
	let_machine_work();
	assert_int_equal(value(&arena->done), 1);
	atomic_store((_Atomic uint32_t *)&arena->data[WRITTEN], 5);
	assert_true(comes_true(is_done));
	assert_int_equal(arena->data[RESULT], 5);
	assert_int_equal(arena->data[WRITE], 0);
	assert_int_equal(arena->data[WRITE + 1], 1u << 31);
	assert_int_equal(arena->data[TO], 11);
	assert_int_equal(arena->data[TO + 1], 12);
	assert_int_equal(arena->data[WRITTEN], 0);
}

/* ---- Errors --------------------------------------------------------------------------------- */

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

static void unknown_pm4_packet(void **state)
{
	uint32_t packet[16] = {1u << 16};

	(void)state;
	arena->data[0] = 3u << 30 | 5 << 16 | 0x99 << 8;
	packet[2] = (uint32_t)(uintptr_t)arena->data;
	packet[3] = (uint32_t)((uint64_t)(uintptr_t)arena->data >> 32);
	packet[4] = 7;
	store(&arena->done, 1);
	submit(packet, HSA_PACKET_TYPE_VENDOR_SPECIFIC);
	expect_error(256);
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

static int wait_on(uint32_t event, uint32_t milliseconds)
{
	return sim_event_wait(&event, NULL, 1, true, milliseconds);
}

static void memory_fault(void **state)
{
	struct sim_memory_fault fault;
	uint32_t event;

	(void)state;
	assert_int_equal(sim_event_create(SIM_EVENT_MEMORY, false, false, &event), 0);
	start(kernel_packet(6400, 64), write_nowhere);
	assert_int_equal(wait_on(event, 20000), 0);
	assert_true(sim_event_fault(event, &fault));
	assert_int_equal(fault.node, 1);
	assert_int_equal(fault.addr, 0x123456000);
	assert_false(fault.read_only || fault.no_execute);
	assert_int_equal(value(&arena->inactive), 0);
	assert_int_equal(value(&arena->done), 1);
	assert_int_equal(sim_event_destroy(event), 0);
}

/* ---- Events --------------------------------------------------------------------------------- */

static uint32_t make_event(bool manual)
{
	uint32_t event;

	assert_int_equal(sim_event_create(SIM_EVENT_SIGNAL, manual, false, &event), 0);
	return event;
}

static void events(void **state)
{
	uint32_t automatic = make_event(false), manual = make_event(true);
	uint32_t both[] = {automatic, manual};

	(void)state;
	assert_int_equal(wait_on(automatic, 0), -ETIME);
	assert_int_equal(wait_on(automatic, 3), -ETIME);
	assert_int_equal(sim_event_set(automatic), 0);
	assert_int_equal(sim_event_wait(both, NULL, 2, true, 1), -ETIME);
	assert_int_equal(sim_event_wait(both, NULL, 2, false, 0), 0);
	assert_int_equal(wait_on(automatic, 0), -ETIME);
	assert_int_equal(sim_event_set(manual), 0);
	assert_int_equal(sim_event_set(automatic), 0);
	assert_int_equal(sim_event_wait(both, NULL, 2, true, SIM_EVENT_FOREVER), 0);
	assert_int_equal(wait_on(manual, 0), 0);
	assert_int_equal(sim_event_reset(manual), 0);
	assert_int_equal(wait_on(manual, 0), -ETIME);
	assert_int_equal(sim_event_destroy(manual), 0);
	assert_int_equal(sim_event_destroy(automatic), 0);
}

static uint64_t *mailboxes;
static uint32_t message_event;

/* What device code does for a host call: id to the mailbox, then the interrupt. */
static enum sim_stop send_interrupt(struct sim_wave *wave, uint64_t step)
{
	fake_advance(wave);
	if (step)
		return SIM_STOP_END;
	mailboxes[message_event] = message_event;
	wave->sgpr[SIM_M0] = message_event & 0xff;
	wave->stop_arg = 1;
	return SIM_STOP_SENDMSG;
}

static void interrupts(void **state)
{
	hsa_kernel_dispatch_packet_t packet = kernel_packet(64, 64);
	uint32_t same_low_bits, extra[256];

	(void)state;
	mailboxes = gpu_memory(SIM_EVENTS * sizeof(*mailboxes));
	assert_int_equal(sim_event_set_mailboxes(mailboxes), 0);
	message_event = make_event(false);
	for (int i = 0; i < 256; i++)
		extra[i] = make_event(false);
	same_low_bits = extra[255];
	assert_int_equal((same_low_bits ^ message_event) & 0xff, 0);
	run(packet, send_interrupt);
	assert_int_equal(wait_on(message_event, 20000), 0);
	assert_int_equal(mailboxes[message_event], 0);
	assert_int_equal(wait_on(same_low_bits, 0), -ETIME);
	/* A completion signal interrupts too. */
	arena->done.event_id = same_low_bits;
	arena->done.event_mailbox_ptr = (uint64_t)(uintptr_t)&mailboxes[same_low_bits];
	run(packet, count_lanes);
	assert_int_equal(wait_on(same_low_bits, 20000), 0);
	for (int i = 0; i < 256; i++)
		sim_event_destroy(extra[i]);
	sim_event_destroy(message_event);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		MACHINE_TEST(barrier_packets),
		MACHINE_TEST(barrier_value_packet),
		MACHINE_TEST(pm4_flushes_code),
		MACHINE_TEST(pm4_exchanges_buffers),
		MACHINE_TEST(bad_packets),
		MACHINE_TEST(group_too_large),
		MACHINE_TEST(too_much_lds),
		MACHINE_TEST(no_kernel_there),
		MACHINE_TEST(unknown_pm4_packet),
		MACHINE_TEST(unknown_vendor_packet),
		MACHINE_TEST(traps),
		MACHINE_TEST(illegal_instruction),
		MACHINE_TEST(memory_fault),
		MACHINE_TEST(events),
		MACHINE_TEST(interrupts),
	};

	setenv("PROBE_SIM_THREADS", "4", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
