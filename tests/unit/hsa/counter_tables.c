/* SPDX-License-Identifier: MIT */
/* Counters from device memory to records: sums, clearing, copies that fail or never end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "hsa-plugin/collector/completion.h"
#include "hsa-plugin/collector/packet_relay.h"
#include "hsa-plugin/queue/queue_pair.h"
#include "tests/unit/hsa/fake_hsa.h"

enum { SITES = 100 };

struct counters_test {
	struct probe_queue *queue;
	struct fake_kernel kernel;
};

static void begin(struct counters_test *test, uint64_t host_bytes, bool direct)
{
	fake_hsa_init(PROBE_KIND_MEMORY, host_bytes);
	fake.direct = direct;
	test->queue = fake_queue_create(64);
	assert_true(test->queue->counters);
	fake_kernel_init(&test->kernel, SITES);
}

static void end(struct counters_test *test)
{
	fake_kernel_deinit(&test->kernel);
	probe_queue_pair_destroy(test->queue);
	fake_hsa_deinit();
}

static void submit(struct counters_test *test, unsigned count)
{
	hsa_kernel_dispatch_packet_t packet = fake_packet(&test->kernel, (hsa_signal_t){0});

	packet.grid_size_x = PROBE_REPLICAS_MAX * 64;
	for (unsigned i = 0; i < count; i++)
		fake_submit(test->queue, &packet);
	assert_true(probe_relay(test->queue));
	fake_hsa_process(test->queue->real);
}

/* The clone's work: adds to words of a site's row in a replica. */
static void count(struct counters_test *test, uint64_t table_use, uint32_t replica, uint32_t site)
{
	uint64_t *row = (uint64_t *)(void *)probe_queue_table(test->queue, table_use)->device;

	row += ((size_t)replica * SITES + site) * PROBE_COUNTERS;
	row[PROBE_C_EXECUTIONS]++;
	row[PROBE_C_LANES] += 64;
	if (row[PROBE_C_MAX_WAY] < replica + 1)
		row[PROBE_C_MAX_WAY] = replica + 1;
}

static void collect(struct counters_test *test)
{
	while (probe_queue_collect(test->queue, true))
		;
}

static bool next_complete(struct probe_hr_complete *ret)
{
	return fake_record(PROBE_HR_COMPLETE, ret, sizeof(*ret));
}

struct counters_record {
	struct probe_hr_counters head;
	struct probe_counter_row rows[64];
};

static void rows_are_summed_and_cleared(void **state)
{
	bool direct = *(const bool *)*state;
	struct counters_record record;
	struct probe_hr_complete complete;
	struct counters_test test;
	const uint8_t *device;

	begin(&test, 1 << 18, direct);
	/* Whether device memory counts as fast depends on the host. */
	test.queue->direct = direct;
	submit(&test, 1);
	count(&test, 0, 0, 2);
	count(&test, 0, 1, 2);
	count(&test, 0, 31, 2);
	for (uint32_t site = 10; site < 90; site++)
		count(&test, 0, 3, site);
	fake_hsa_end_all();
	collect(&test);
	assert_true(fake_record(PROBE_HR_COUNTERS, &record, sizeof(record)));
	assert_int_equal(record.head.dispatch, 1);
	assert_int_equal(record.head.code_object, 7);
	assert_int_equal(record.head.rows, 64);
	assert_int_equal(record.rows[0].site, 102);
	assert_int_equal(record.rows[0].value[PROBE_C_EXECUTIONS], 3);
	assert_int_equal(record.rows[0].value[PROBE_C_LANES], 192);
	assert_int_equal(record.rows[0].value[PROBE_C_MAX_WAY], 32);
	assert_int_equal(record.rows[1].site, 110);
	assert_int_equal(record.rows[1].value[PROBE_C_EXECUTIONS], 1);
	assert_true(fake_record(PROBE_HR_COUNTERS, &record, sizeof(record)));
	assert_int_equal(record.head.rows, 17);
	assert_true(next_complete(&complete));
	assert_int_equal(complete.counters, 81);
	assert_int_equal(complete.rows_dropped, 0);
	device = test.queue->tables[0].device;
	for (size_t i = 0; i < PROBE_TABLE_BYTES; i++)
		assert_int_equal(device[i], 0);
	end(&test);
}

/* The dispatch stays in flight, and its gate closed, until both copies have ended. */
static void copies_are_awaited(void **state)
{
	struct probe_hr_complete complete;
	struct counters_test test;

	(void)state;
	begin(&test, 1 << 18, false);
	fake.hold_copies = true;
	submit(&test, 1);
	count(&test, 0, 0, 1);
	fake_hsa_end_all();
	assert_true(probe_queue_collect(test.queue, true));
	assert_false(probe_queue_collect(test.queue, true));
	assert_int_equal(test.queue->tail, 0);
	assert_int_equal(probe_signal_get(probe_queue_gate(test.queue, 0)), 1);
	fake_hsa_copy();
	assert_true(probe_queue_collect(test.queue, true));
	assert_int_equal(probe_signal_get(probe_queue_gate(test.queue, 0)), 0);
	assert_true(next_complete(&complete));
	assert_int_equal(complete.counters, 1);
	end(&test);
}

static void full_segment_loses_rows(void **state)
{
	struct probe_hr_complete complete;
	struct counters_test test;

	(void)state;
	/* Records of 64 rows are larger than a quarter of the ring. */
	begin(&test, 4096, false);
	submit(&test, 1);
	for (uint32_t site = 0; site < SITES; site++)
		count(&test, 0, 0, site);
	fake_hsa_end_all();
	collect(&test);
	assert_true(next_complete(&complete));
	assert_int_equal(complete.counters + complete.rows_dropped, SITES);
	assert_true(complete.rows_dropped >= 64);
	end(&test);
}

/* Later kernels run uninstrumented, but none waits forever. */
static void lost_copy_breaks_the_queue(void **state)
{
	struct probe_hr_complete complete;
	struct counters_test test;

	(void)state;
	begin(&test, 1 << 18, false);
	fake.lose_copies = true;
	submit(&test, 1);
	fake_hsa_end_all();
	assert_true(probe_queue_collect(test.queue, true));
	assert_false(probe_queue_collect(test.queue, true));
	/* As if it had begun long ago. */
	probe_queue_inflight(test.queue, 0)->copy_start = 0;
	assert_true(probe_queue_collect(test.queue, true));
	assert_true(next_complete(&complete));
	assert_int_equal(complete.counters, 0);
	assert_int_equal(complete.rows_dropped, SITES);
	assert_int_equal(probe_signal_get(probe_queue_gate(test.queue, 0)), 0);
	assert_int_equal(test.queue->tail, 1);
	submit(&test, 1);
	assert_int_equal(probe_tool.verdicts[PROBE_V_MEMORY], 1);
	fake_hsa_end_all();
	collect(&test);
	end(&test);
}

/*
 * A table that could not be cleared contains the counters of its last use: a dispatch in flight
 * that uses it next must not report them as its own.
 */
static void failed_copy_spoils_its_table_only(void **state)
{
	struct probe_hr_complete complete;
	struct counters_test test;

	(void)state;
	begin(&test, 1 << 18, false);
	submit(&test, PROBE_TABLES + 1);
	for (int i = 0; i < PROBE_TABLES; i++)
		count(&test, (uint64_t)i, 0, 5);
	fake_hsa_end_all();
	fake.fail_at = *(const unsigned *)*state;
	collect(&test);
	fake_hsa_process(test.queue->real);
	assert_int_equal(fake.running_count, 1);
	count(&test, PROBE_TABLES, 0, 5);
	fake_hsa_end_all();
	collect(&test);
	for (int i = 0; i < PROBE_TABLES + 1; i++) {
		bool spoilt;

		/* The failed one is abandoned after the others. */
		assert_true(next_complete(&complete));
		spoilt = complete.id == 1 || complete.id == PROBE_TABLES + 1;
		assert_int_equal(complete.counters, spoilt ? 0 : 1);
		assert_int_equal(complete.rows_dropped, spoilt ? SITES : 0);
	}
	assert_int_equal(test.queue->tail, PROBE_TABLES + 1);
	end(&test);
}

int main(void)
{
	static bool direct = true, copied = false;
	static unsigned first = 1, second = 2;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(rows_are_summed_and_cleared, &copied),
		cmocka_unit_test_prestate(rows_are_summed_and_cleared, &direct),
		cmocka_unit_test(copies_are_awaited),
		cmocka_unit_test(full_segment_loses_rows),
		cmocka_unit_test(lost_copy_breaks_the_queue),
		cmocka_unit_test_prestate(failed_copy_spoils_its_table_only, &first),
		cmocka_unit_test_prestate(failed_copy_spoils_its_table_only, &second),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
