/* SPDX-License-Identifier: MIT */
/* Copies with a signal of Probe: what the application sees of them, and what is recorded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include <probe/wire_tracing.h>

#include "hsa-plugin/hooks/memory_copies.h"
#include "hsa-plugin/collector/collector.h"
#include "hsa-plugin/trace/copies.h"
#include "tests/unit/hsa/fake_hsa.h"

enum { BYTES = 64, MOST = 256 };

static struct probe_hsa_hooks hooks;
static uint8_t source[BYTES], target[BYTES];

static void begin(void)
{
	memset(&hooks, 0, sizeof(hooks));
	memset(target, 0, sizeof(target));
	memset(source, 7, sizeof(source));
	fake_hsa_init(PROBE_KIND_NONE, 1 << 20);
	probe_tool.config.traced = PROBE_TRACED_COPIES;
	fake.hold_copies = true;
	probe_memory_copies_hooks(&hooks);
	probe_copies_init();
}

static hsa_status_t copy(hsa_signal_t done)
{
	return hooks.memory_async_copy(target, fake_gpu()->handle, source, probe_tool.host->handle,
				       BYTES, 0, NULL, done);
}

/* The collector's own thread may have recorded it before: wait for that. */
static void collect(void)
{
	while (probe_copies_in_flight())
		probe_copies_collect();
}

static void times_and_completion(void **state)
{
	hsa_signal_t done = fake_signal(1);
	const amd_signal_t *signal = (const amd_signal_t *)(uintptr_t)done.handle;
	hsa_amd_profiling_async_copy_time_t time = {0};
	struct probe_hr_copy row;

	(void)state;
	assert_int_equal(copy(done), HSA_STATUS_SUCCESS);
	assert_int_equal(fake_signal_value(done), 1);
	assert_true(probe_copies_in_flight());
	fake_hsa_copy();
	probe_collector_stop();
	collect();
	assert_int_equal(fake_signal_value(done), 0);
	assert_memory_equal(source, target, BYTES);
	assert_int_equal(signal->start_ts, FAKE_TICK);
	assert_int_equal(signal->end_ts, FAKE_TICK + 10);
	/* The runtime does not know of a copy with this signal. */
	assert_int_equal(probe_tool.hsa.profiling_get_async_copy_time(done, &time),
			 HSA_STATUS_ERROR);
	assert_int_equal(hooks.profiling_get_async_copy_time(done, &time), HSA_STATUS_SUCCESS);
	assert_int_equal(time.end - time.start, 10);
	assert_true(fake_record(PROBE_HR_COPY, &row, sizeof(row)));
	assert_int_equal(row.start, FAKE_TICK);
	assert_int_equal(row.bytes, BYTES);
	assert_int_equal(row.to_agent, fake_gpu()->index);
	assert_int_equal(row.from_agent, probe_tool.host->index);
	assert_int_equal(row.to, (uintptr_t)target);
	assert_int_not_equal(row.correlation, 0);
	assert_int_equal(row.failed, 0);
	assert_false(fake_record(PROBE_HR_COPY, &row, sizeof(row)));
}

static void refused(void **state)
{
	hsa_signal_t done = fake_signal(1);
	struct probe_hr_copy row;

	(void)state;
	for (int i = 0; i < 2 * MOST; i++) {
		fake.fail_at = fake.calls + 1;
		assert_int_equal(copy(done), HSA_STATUS_ERROR);
	}
	assert_false(probe_copies_in_flight());
	assert_int_equal(probe_copies_untraced(), 0);
	assert_int_equal(fake_signal_value(done), 1);
	assert_false(fake_record(PROBE_HR_COPY, &row, sizeof(row)));
}

static void too_many(void **state)
{
	hsa_signal_t done = fake_signal(MOST + 2);

	(void)state;
	fake.lose_copies = true;
	for (int i = 0; i < MOST; i++)
		assert_int_equal(copy(done), HSA_STATUS_SUCCESS);
	assert_int_equal(probe_copies_untraced(), 0);
	fake.lose_copies = false;
	/* With the application's own signal. */
	assert_int_equal(copy(done), HSA_STATUS_SUCCESS);
	assert_int_equal(copy(done), HSA_STATUS_SUCCESS);
	assert_int_equal(probe_copies_untraced(), 2);
	fake_hsa_copy();
	assert_int_equal(fake_signal_value(done), MOST);
}

static void paused(void **state)
{
	hsa_signal_t done = fake_signal(1);
	struct probe_hr_copy row;

	(void)state;
	atomic_store(&probe_tool.paused, true);
	assert_int_equal(copy(done), HSA_STATUS_SUCCESS);
	fake_hsa_copy();
	atomic_store(&probe_tool.paused, false);
	assert_int_equal(fake_signal_value(done), 0);
	assert_false(fake_record(PROBE_HR_COPY, &row, sizeof(row)));
}

/*
 * The application cannot switch off the profiling that Probe's times need; without tracing nothing
 * is hooked.
 */
static void hooked(void **state)
{
	struct probe_hsa_hooks none = {0};

	(void)state;
	assert_int_equal(hooks.profiling_async_copy_enable(false), HSA_STATUS_SUCCESS);
	probe_tool.config.traced = 0;
	probe_memory_copies_hooks(&none);
	assert_null(none.memory_async_copy);
	assert_null(none.profiling_async_copy_enable);
}

static int setup(void **state)
{
	(void)state;
	begin();
	return 0;
}

/* Signals live as long as the runtime, which ends here without looking for them. */
static int teardown(void **state)
{
	(void)state;
	probe_collector_stop();
	probe_collector_forget();
	probe_copies_forget();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(times_and_completion, setup, teardown),
		cmocka_unit_test_setup_teardown(refused, setup, teardown),
		cmocka_unit_test_setup_teardown(paused, setup, teardown),
		cmocka_unit_test_setup_teardown(hooked, setup, teardown),
		cmocka_unit_test_setup_teardown(too_many, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
