/* SPDX-License-Identifier: MIT */
/*
 * Wrappers of HSA's functions: every argument is passed on, calls nest, and other entries of the
 * table are unchanged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include <probe/wire_tracing.h>

#include "hsa-plugin/hooks/hsa_calls.h"
#include "hsa-plugin/trace/calls.h"
#include "tests/unit/hsa/fake_hsa.h"

enum { ENTRIES = 140, QUEUE_CREATE = 7, LOAD = 39, STORE = 41, COPY_RECT_OLD = 38 };

struct table {
	struct probe_table_version version;
	probe_entry entry[ENTRIES];
};

static struct table core, amd;
static struct probe_api_root root;
static uint64_t seen[10];

static uint64_t ten(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
		    uint64_t g, uint64_t h, uint64_t i, uint64_t j)
{
	const uint64_t all[] = {a, b, c, d, e, f, g, h, i, j};

	memcpy(seen, all, sizeof(seen));
	return 0x123456789abcdef0;
}

static hsa_signal_value_t inner(hsa_signal_t signal)
{
	return (hsa_signal_value_t)signal.handle + 1;
}

/* A call of HSA within a call of HSA. */
static void outer(hsa_signal_t signal, hsa_signal_value_t value)
{
	hsa_signal_value_t (*load)(hsa_signal_t) =
		(hsa_signal_value_t(*)(hsa_signal_t))core.entry[LOAD];

	assert_int_equal(load(signal), value);
}

static int setup(void **state)
{
	(void)state;
	fake_hsa_init(PROBE_KIND_NONE, 1 << 20);
	probe_tool.config.traced = PROBE_TRACED_HSA;
	memset(&core, 0, sizeof(core));
	memset(&amd, 0, sizeof(amd));
	core.version.minor_id = 1016;
	amd.version.minor_id = 400;
	root.version.minor_id = 48;
	root.core = (struct probe_api_table *)&core;
	root.amd_ext = (struct probe_api_table *)&amd;
	core.entry[LOAD] = (probe_entry)inner;
	core.entry[STORE] = (probe_entry)outer;
	amd.entry[COPY_RECT_OLD] = (probe_entry)ten;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	return 0;
}

static void arguments(void **state)
{
	uint64_t (*rect)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
			 uint64_t, uint64_t, uint64_t);
	struct probe_hr_function row;

	(void)state;
	probe_hsa_calls_install(&root);
	/* The functions in the tables are announced, once. */
	for (int i = 0; i < 3; i++)
		assert_true(fake_record(PROBE_HR_FUNCTION, &row, sizeof(row)));
	assert_false(fake_record(PROBE_HR_FUNCTION, &row, sizeof(row)));
	assert_ptr_not_equal(amd.entry[COPY_RECT_OLD], (probe_entry)ten);
	rect = (uint64_t(*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
			    uint64_t, uint64_t, uint64_t))amd.entry[COPY_RECT_OLD];
	assert_int_equal(rect(11, 22, 33, 44, 55, 66, 77, 88, 99, UINT64_MAX), 0x123456789abcdef0);
	for (unsigned i = 0; i < 9; i++)
		assert_int_equal(seen[i], 11 * (i + 1));
	assert_int_equal(seen[9], UINT64_MAX);
	/* No wrapper is installed where the runtime has no function. */
	assert_null(core.entry[QUEUE_CREATE]);
}

static void nested(void **state)
{
	struct probe_hr_call first, second;
	void (*store)(hsa_signal_t, hsa_signal_value_t);

	(void)state;
	probe_hsa_calls_install(&root);
	store = (void (*)(hsa_signal_t, hsa_signal_value_t))core.entry[STORE];
	store((hsa_signal_t){41}, 42);
	assert_true(fake_record(PROBE_HR_CALL, &first, sizeof(first)));
	assert_true(fake_record(PROBE_HR_CALL, &second, sizeof(second)));
	assert_int_equal(first.parent, second.correlation);
	assert_int_equal(second.parent, 0);
	assert_int_not_equal(first.correlation, second.correlation);
	assert_int_not_equal(first.function, second.function);
	assert_true(first.start >= second.start);
	/* Outside of calls each dispatch or copy has a number of its own. */
	assert_int_not_equal(probe_correlation_current(), probe_correlation_current());
}

static void not_requested(void **state)
{
	(void)state;
	probe_tool.config.traced = PROBE_TRACED_COPIES;
	probe_hsa_calls_install(&root);
	assert_ptr_equal(core.entry[LOAD], (probe_entry)inner);
}

static void paused(void **state)
{
	hsa_signal_value_t (*load)(hsa_signal_t);
	struct probe_hr_call row;

	(void)state;
	probe_hsa_calls_install(&root);
	atomic_store(&probe_tool.paused, true);
	load = (hsa_signal_value_t(*)(hsa_signal_t))core.entry[LOAD];
	assert_int_equal(load((hsa_signal_t){1}), 2);
	atomic_store(&probe_tool.paused, false);
	assert_false(fake_record(PROBE_HR_CALL, &row, sizeof(row)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(arguments, setup, teardown),
		cmocka_unit_test_setup_teardown(nested, setup, teardown),
		cmocka_unit_test_setup_teardown(not_requested, setup, teardown),
		cmocka_unit_test_setup_teardown(paused, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
