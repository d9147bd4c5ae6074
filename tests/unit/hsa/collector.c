/* SPDX-License-Identifier: MIT */
/* The collector's thread: completes, relays packets that waited, sleeps and is woken, stops. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "hsa-plugin/collector/collector.h"
#include "hsa-plugin/collector/collector_wakeup.h"
#include "hsa-plugin/collector/packet_relay.h"
#include "hsa-plugin/queue/queue_pair.h"
#include "tests/unit/hsa/fake_hsa.h"

#define LONG_NS 600000000000ull

static struct probe_queue *begin(void)
{
	struct probe_queue *queue;

	fake_hsa_init(PROBE_KIND_NONE, 1 << 20);
	queue = fake_queue_create(4096);
	assert_int_equal(probe_collector_start(), 0);
	/* Once is enough. */
	assert_int_equal(probe_collector_start(), 0);
	return queue;
}

static void end(struct probe_queue *queue)
{
	probe_collector_remove(queue);
	probe_collector_stop();
	probe_queue_pair_destroy(queue);
	fake_hsa_deinit();
}

static void submit(struct probe_queue *queue, hsa_signal_t signal, unsigned count)
{
	hsa_kernel_dispatch_packet_t packet = fake_packet(NULL, signal);

	for (unsigned i = 0; i < count; i++)
		fake_submit(queue, &packet);
}

/* Each round may find it polling or asleep. */
static void completes_dispatches_of_a_queue(void **state)
{
	struct probe_queue *queue = begin();
	hsa_signal_t signal = fake_signal(500);

	(void)state;
	probe_collector_add(queue);
	for (int i = 0; i < 50; i++) {
		submit(queue, signal, 10);
		assert_true(probe_relay(queue));
		fake_hsa_process(queue->real);
		fake_hsa_end_all();
		assert_true(probe_collector_drain(i % 2 ? queue : NULL, LONG_NS));
		assert_int_equal(queue->tail, 10 * (i + 1));
	}
	assert_int_equal(fake_signal_value(signal), 0);
	probe_tool.hsa.signal_destroy(signal);
	end(queue);
}

/* More dispatches than can be in flight: it relays the rest when these have ended. */
static void relays_packets_that_waited(void **state)
{
	struct probe_queue *queue = begin();

	(void)state;
	submit(queue, (hsa_signal_t){0}, PROBE_INFLIGHT_MAX + 300);
	assert_false(probe_relay(queue));
	fake_hsa_process(queue->real);
	fake_hsa_end_all();
	probe_collector_add(queue);
	probe_collector_wake();
	while (atomic_load(&queue->tail) < PROBE_INFLIGHT_MAX || atomic_load(&queue->stalled))
		sched_yield();
	probe_collector_remove(queue);
	assert_int_equal(queue->head, PROBE_INFLIGHT_MAX + 300);
	assert_int_equal(queue->tail, PROBE_INFLIGHT_MAX);
	assert_false(queue->stalled);
	fake_hsa_process(queue->real);
	fake_hsa_end_all();
	probe_collector_add(queue);
	assert_true(probe_collector_drain(queue, LONG_NS));
	end(queue);
}

static void drain_gives_up_without_progress(void **state)
{
	struct probe_queue *queue = begin();

	(void)state;
	probe_collector_add(queue);
	submit(queue, (hsa_signal_t){0}, 1);
	assert_true(probe_relay(queue));
	fake_hsa_process(queue->real);
	assert_false(probe_collector_drain(queue, 1000000));
	/* A queue that failed is not waited for. */
	atomic_store(&queue->failed, true);
	assert_true(probe_collector_drain(queue, LONG_NS));
	end(queue);
}

/* A forked child does not have the thread; its parent's queues are not its own. */
static void is_reset_in_a_child(void **state)
{
	struct probe_queue *queue = begin();

	(void)state;
	probe_collector_stop();
	probe_collector_add(queue);
	submit(queue, (hsa_signal_t){0}, 1);
	assert_true(probe_relay(queue));
	assert_false(probe_collector_drain(NULL, LONG_NS));
	probe_collector_forget();
	assert_true(probe_collector_drain(NULL, LONG_NS));
	end(queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(completes_dispatches_of_a_queue),
		cmocka_unit_test(relays_packets_that_waited),
		cmocka_unit_test(drain_gives_up_without_progress),
		cmocka_unit_test(is_reset_in_a_child),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
