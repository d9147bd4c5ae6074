/* SPDX-License-Identifier: MIT */
/* Dispatches that have completed: time stamps, order, losses, and what they free. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "hsa-plugin/collector/completion.h"
#include "hsa-plugin/collector/packet_relay.h"
#include "hsa-plugin/queue/queue_pair.h"
#include "tests/unit/hsa/fake_hsa.h"

static amd_signal_t *signal_at(hsa_signal_t signal)
{
	return (amd_signal_t *)(uintptr_t)signal.handle;
}

static struct probe_queue *begin(uint32_t count, hsa_signal_t signal)
{
	struct probe_queue *queue = fake_queue_create(512);
	hsa_kernel_dispatch_packet_t packet = fake_packet(NULL, signal);

	for (uint32_t i = 0; i < count; i++)
		fake_submit(queue, &packet);
	assert_true(probe_relay(queue));
	fake_hsa_process(queue->real);
	assert_int_equal(fake.running_count, count);
	return queue;
}

static void end(struct probe_queue *queue)
{
	probe_queue_pair_destroy(queue);
	fake_hsa_deinit();
}

/* Read by the wrapper of signal_subtract when the application's signal changes. */
static uint64_t start_when_completed;

static void subtract(hsa_signal_t signal, hsa_signal_value_t value)
{
	start_when_completed = signal_at(signal)->start_ts;
	signal_at(signal)->value -= value;
}

static void time_stamps_precede_completion(void **state)
{
	struct probe_hr_complete record;
	struct probe_queue *queue;
	hsa_signal_t signal;

	(void)state;
	fake_hsa_init(PROBE_KIND_NONE, 1 << 16);
	probe_tool.hsa.signal_subtract_screlease = subtract;
	signal = fake_signal(1);
	queue = begin(1, signal);
	assert_false(probe_queue_collect(queue, true));
	assert_int_equal(fake_signal_value(signal), 1);
	fake_hsa_end(0);
	assert_true(probe_queue_collect(queue, true));
	assert_int_equal(fake_signal_value(signal), 0);
	assert_int_equal(start_when_completed, FAKE_TICK);
	assert_int_equal(signal_at(signal)->end_ts, FAKE_TICK + 10);
	/* The fake clock has two ns per tick. */
	assert_true(fake_record(PROBE_HR_COMPLETE, &record, sizeof(record)));
	assert_int_equal(record.id, 1);
	assert_int_equal(record.start, 2 * FAKE_TICK);
	assert_int_equal(record.end, 2 * FAKE_TICK + 20);
	assert_int_equal(record.flags, 0);
	assert_false(probe_queue_collect(queue, true));
	probe_tool.hsa.signal_destroy(signal);
	end(queue);
}

static void reversed_times_are_swapped_and_marked(void **state)
{
	struct probe_hr_complete record;
	struct probe_queue *queue;

	(void)state;
	fake_hsa_init(PROBE_KIND_NONE, 1 << 16);
	probe_tool.tick_hz = 100000000;
	queue = begin(1, (hsa_signal_t){0});
	fake_hsa_end(0);
	probe_queue_completion(queue, 0)->start_ts = 50;
	probe_queue_completion(queue, 0)->end_ts = 40;
	assert_true(probe_queue_collect(queue, true));
	assert_true(fake_record(PROBE_HR_COMPLETE, &record, sizeof(record)));
	assert_int_equal(record.start, 2 * 40 * 10);
	assert_int_equal(record.end, 2 * 50 * 10);
	assert_int_equal(record.flags, 1);
	end(queue);
}

/* Completed out of order: reported at once, but freed in order. */
static void older_dispatches_hold_their_successors(void **state)
{
	struct probe_hr_complete record;
	struct probe_queue *queue;

	(void)state;
	fake_hsa_init(PROBE_KIND_NONE, 1 << 16);
	queue = begin(3, (hsa_signal_t){0});
	fake_hsa_end(2);
	assert_true(probe_queue_collect(queue, true));
	assert_true(fake_record(PROBE_HR_COMPLETE, &record, sizeof(record)));
	assert_int_equal(record.id, 3);
	assert_int_equal(queue->tail, 0);
	fake_hsa_end(0);
	assert_true(probe_queue_collect(queue, true));
	assert_true(fake_record(PROBE_HR_COMPLETE, &record, sizeof(record)));
	assert_int_equal(record.id, 1);
	assert_int_equal(queue->tail, 1);
	fake_hsa_end(0);
	assert_true(probe_queue_collect(queue, true));
	assert_int_equal(queue->tail, 3);
	assert_int_equal(probe_tool.completed, 3);
	end(queue);
}

static void oldest_dispatches_are_tested_first(void **state)
{
	struct probe_queue *queue;

	(void)state;
	fake_hsa_init(PROBE_KIND_NONE, 1 << 16);
	queue = begin(200, (hsa_signal_t){0});
	fake_hsa_end(199);
	assert_false(probe_queue_collect(queue, false));
	assert_true(probe_queue_collect(queue, true));
	fake_hsa_end(127);
	assert_true(probe_queue_collect(queue, false));
	fake_hsa_end_all();
	assert_true(probe_queue_collect(queue, false));
	assert_true(probe_queue_collect(queue, false));
	assert_int_equal(queue->tail, 200);
	end(queue);
}

/* A full segment loses the records, not the completion. */
static void lost_records_are_counted(void **state)
{
	struct probe_hr_complete record;
	struct probe_queue *queue;
	hsa_signal_t signal;
	uint64_t found = 0;

	(void)state;
	fake_hsa_init(PROBE_KIND_NONE, 4096);
	signal = fake_signal(100);
	queue = begin(100, signal);
	fake_hsa_end_all();
	assert_true(probe_queue_collect(queue, true));
	assert_int_equal(fake_signal_value(signal), 0);
	assert_int_equal(queue->tail, 100);
	assert_int_equal(probe_tool.completed, 100);
	while (fake_record(PROBE_HR_COMPLETE, &record, sizeof(record)))
		found++;
	assert_true(found < 100);
	assert_true(__atomic_load_n(&fake.file.ring->dropped, __ATOMIC_SEQ_CST) >= 100 - found);
	probe_tool.hsa.signal_destroy(signal);
	end(queue);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_stamps_precede_completion),
		cmocka_unit_test(reversed_times_are_swapped_and_marked),
		cmocka_unit_test(older_dispatches_hold_their_successors),
		cmocka_unit_test(oldest_dispatches_are_tested_first),
		cmocka_unit_test(lost_records_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
