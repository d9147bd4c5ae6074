/* SPDX-License-Identifier: MIT */
/* Packets from the application's ring to the hardware's: order, wrap, full rings, every type. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "hsa-plugin/collector/completion.h"
#include "hsa-plugin/collector/packet_relay.h"
#include "hsa-plugin/queue/queue_pair.h"
#include "tests/unit/hsa/fake_hsa.h"

static hsa_barrier_and_packet_t barrier(hsa_signal_t dependency, hsa_signal_t completion)
{
	return (hsa_barrier_and_packet_t){
		.header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE |
			  1 << HSA_PACKET_HEADER_BARRIER,
		.dep_signal = {dependency},
		.completion_signal = completion,
	};
}

static const uint8_t *hardware_packet(const struct probe_queue *queue, uint64_t index)
{
	return (const uint8_t *)queue->real->base_address + (index & (queue->real->size - 1)) * 64;
}

static uint16_t soft_header(const struct probe_queue *queue, uint64_t index)
{
	const uint8_t *ring = queue->soft->base_address;
	uint16_t header;

	memcpy(&header, ring + (index & (queue->soft->size - 1)) * 64, sizeof(header));
	return header;
}

static uint64_t soft_read_index(const struct probe_queue *queue)
{
	return probe_tool.hsa.queue_load_read_index_scacquire(queue->soft);
}

static void submit_kernel(struct probe_queue *queue, hsa_signal_t signal)
{
	hsa_kernel_dispatch_packet_t packet = fake_packet(NULL, signal);

	fake_submit(queue, &packet);
}

/* Vendor packets, agent dispatches, barriers and types that do not exist: byte by byte. */
static void other_packets_are_unchanged(void **state)
{
	static const uint16_t types[] = {HSA_PACKET_TYPE_VENDOR_SPECIFIC,
					 HSA_PACKET_TYPE_BARRIER_AND,
					 HSA_PACKET_TYPE_BARRIER_OR,
					 HSA_PACKET_TYPE_AGENT_DISPATCH,
					 6,
					 200};
	enum { COUNT = sizeof(types) / sizeof(types[0]) };
	uint8_t packets[COUNT][64];
	struct probe_queue *queue;

	(void)state;
	fake_hsa_init(PROBE_KIND_NONE, 1 << 16);
	queue = fake_queue_create(64);
	for (size_t i = 0; i < COUNT; i++) {
		memset(packets[i], (int)(0x40 + i), 64);
		memcpy(packets[i], &types[i], sizeof(types[i]));
		fake_submit(queue, packets[i]);
	}
	errno = 1234;
	assert_true(probe_relay(queue));
	assert_int_equal(errno, 1234);
	for (size_t i = 0; i < COUNT; i++) {
		assert_memory_equal(hardware_packet(queue, i), packets[i], 64);
		assert_int_equal(soft_header(queue, i), HSA_PACKET_TYPE_INVALID);
	}
	assert_int_equal(soft_read_index(queue), COUNT);
	assert_int_equal(fake.doorbell, COUNT - 1);
	assert_int_equal(queue->head, 0);
	probe_queue_pair_destroy(queue);
	fake_hsa_deinit();
}

static void rings_wrap(void **state)
{
	struct probe_queue *queue;
	hsa_signal_t done;

	(void)state;
	fake_hsa_init(PROBE_KIND_NONE, 1 << 20);
	queue = fake_queue_create(64);
	done = fake_signal(5000);
	for (uint64_t i = 0; i < 5000; i++) {
		submit_kernel(queue, done);
		if (i % 50 != 49)
			continue;
		assert_true(probe_relay(queue));
		fake_hsa_process(queue->real);
		assert_int_equal(fake.running_count, 50);
		fake_hsa_end_all();
		assert_true(probe_queue_collect(queue, true));
	}
	assert_int_equal(fake_signal_value(done), 0);
	assert_int_equal(soft_read_index(queue), 5000);
	assert_int_equal(queue->tail, 5000);
	assert_int_equal(probe_tool.completed, 5000);
	probe_tool.hsa.signal_destroy(done);
	probe_queue_pair_destroy(queue);
	fake_hsa_deinit();
}

/* Two producers: the second has written its packet, the first has not. */
static void stops_at_an_invalid_packet(void **state)
{
	hsa_barrier_and_packet_t packet = barrier((hsa_signal_t){0}, (hsa_signal_t){0});
	uint16_t header = packet.header;
	struct probe_queue *queue;
	uint8_t *ring;

	(void)state;
	fake_hsa_init(PROBE_KIND_NONE, 1 << 16);
	queue = fake_queue_create(64);
	ring = queue->soft->base_address;
	fake_submit(queue, &packet);
	packet.header = HSA_PACKET_TYPE_INVALID << HSA_PACKET_HEADER_TYPE;
	fake_submit(queue, &packet);
	packet.header = header;
	fake_submit(queue, &packet);
	assert_true(probe_relay(queue));
	assert_int_equal(soft_read_index(queue), 1);
	memcpy(ring + 64, &header, sizeof(header));
	assert_true(probe_relay(queue));
	assert_int_equal(soft_read_index(queue), 3);
	/* Nothing new: no doorbell. */
	fake.doorbell = 77;
	assert_true(probe_relay(queue));
	assert_int_equal(fake.doorbell, 77);
	probe_queue_pair_destroy(queue);
	fake_hsa_deinit();
}

/* The packet processor makes no progress: packets stay, and none is lost or overtaken. */
static void full_hardware_ring_keeps_packets(void **state)
{
	hsa_barrier_and_packet_t packet = barrier((hsa_signal_t){0}, (hsa_signal_t){0});
	struct probe_queue *queue;
	uint64_t relayed;

	(void)state;
	fake_hsa_init(PROBE_KIND_NONE, 1 << 16);
	queue = fake_queue_create(4096);
	assert_int_equal(queue->real->size, 4096);
	for (uint32_t i = 0; i < 4096; i++) {
		packet.reserved1 = i;
		fake_submit(queue, &packet);
	}
	assert_false(probe_relay(queue));
	assert_true(queue->stalled);
	relayed = soft_read_index(queue);
	assert_in_range(relayed, 4090, 4095);
	assert_int_not_equal(soft_header(queue, relayed), HSA_PACKET_TYPE_INVALID);
	fake_hsa_process(queue->real);
	assert_true(probe_relay(queue));
	assert_false(queue->stalled);
	assert_int_equal(soft_read_index(queue), 4096);
	for (uint32_t i = 0; i < 4096; i++) {
		memcpy(&packet, hardware_packet(queue, i), sizeof(packet));
		assert_int_equal(packet.reserved1, i);
	}
	probe_queue_pair_destroy(queue);
	fake_hsa_deinit();
}

static void dispatches_in_flight_are_limited(void **state)
{
	struct probe_queue *queue;

	(void)state;
	fake_hsa_init(PROBE_KIND_NONE, 1 << 20);
	queue = fake_queue_create(2048);
	for (uint32_t i = 0; i < 1500; i++)
		submit_kernel(queue, (hsa_signal_t){0});
	assert_false(probe_relay(queue));
	assert_int_equal(queue->head, PROBE_INFLIGHT_MAX);
	fake_hsa_process(queue->real);
	/* They end, but the collector has not polled. */
	fake_hsa_end_all();
	assert_false(probe_relay(queue));
	assert_true(probe_queue_collect(queue, true));
	assert_true(probe_relay(queue));
	assert_int_equal(queue->head, 1500);
	probe_queue_pair_destroy(queue);
	fake_hsa_deinit();
}

/* A sample names its packet modulo the ring: its index must not be used again too early. */
static void samples_hold_packets_back(void **state)
{
	hsa_barrier_and_packet_t packet = barrier((hsa_signal_t){0}, (hsa_signal_t){0});
	struct probe_queue *queue;

	(void)state;
	fake_hsa_init(PROBE_KIND_NONE, 1 << 16);
	queue = fake_queue_create(64);
	atomic_store(&queue->agent->sampler, (struct probe_sampler *)&fake);
	for (uint32_t i = 0; i < queue->real->size - 1; i++) {
		fake_submit(queue, &packet);
		assert_true(probe_relay(queue));
		fake_hsa_process(queue->real);
	}
	fake_submit(queue, &packet);
	assert_false(probe_relay(queue));
	atomic_store(&queue->flushed, queue->written);
	assert_true(probe_relay(queue));
	atomic_store(&queue->agent->sampler, NULL);
	probe_queue_pair_destroy(queue);
	fake_hsa_deinit();
}

/* Barriers between kernels hold for the clones' packets as for the application's. */
static void barriers_keep_their_place(void **state)
{
	hsa_barrier_and_packet_t packet;
	hsa_signal_t gate, passed;
	struct probe_queue *queue;

	(void)state;
	fake_hsa_init(PROBE_KIND_NONE, 1 << 16);
	queue = fake_queue_create(64);
	gate = fake_signal(1);
	passed = fake_signal(1);
	packet = barrier(gate, passed);
	submit_kernel(queue, (hsa_signal_t){0});
	fake_submit(queue, &packet);
	submit_kernel(queue, (hsa_signal_t){0});
	assert_true(probe_relay(queue));
	fake_hsa_process(queue->real);
	assert_int_equal(fake.running_count, 1);
	fake_hsa_end_all();
	fake_hsa_process(queue->real);
	assert_int_equal(fake.running_count, 0);
	assert_int_equal(fake_signal_value(passed), 1);
	probe_tool.hsa.signal_store_relaxed(gate, 0);
	fake_hsa_process(queue->real);
	assert_int_equal(fake_signal_value(passed), 0);
	assert_int_equal(fake.running_count, 1);
	probe_tool.hsa.signal_destroy(gate);
	probe_tool.hsa.signal_destroy(passed);
	probe_queue_pair_destroy(queue);
	fake_hsa_deinit();
}

static void inactive_tool_changes_nothing(void **state)
{
	hsa_kernel_dispatch_packet_t packet;
	struct probe_queue *queue;
	hsa_signal_t signal;

	(void)state;
	fake_hsa_init(PROBE_KIND_NONE, 1 << 16);
	queue = fake_queue_create(64);
	signal = fake_signal(1);
	packet = fake_packet(NULL, signal);
	atomic_store(&probe_tool.active, false);
	fake_submit(queue, &packet);
	assert_true(probe_relay(queue));
	assert_memory_equal(hardware_packet(queue, 0), &packet, sizeof(packet));
	assert_int_equal(queue->head, 0);
	assert_false(fake_record(PROBE_HR_DISPATCH, NULL, 0));
	probe_tool.hsa.signal_destroy(signal);
	probe_queue_pair_destroy(queue);
	fake_hsa_deinit();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_packets_are_unchanged),
		cmocka_unit_test(rings_wrap),
		cmocka_unit_test(stops_at_an_invalid_packet),
		cmocka_unit_test(full_hardware_ring_keeps_packets),
		cmocka_unit_test(dispatches_in_flight_are_limited),
		cmocka_unit_test(samples_hold_packets_back),
		cmocka_unit_test(barriers_keep_their_place),
		cmocka_unit_test(inactive_tool_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
