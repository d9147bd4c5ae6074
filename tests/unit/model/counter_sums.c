/* SPDX-License-Identifier: MIT */
#include "model/counter_sums.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

/* 40 whole waves, 3 executions by 2 lanes in 2 lines, and 2 by one lane. */
static void test_resolved(void **state)
{
	uint64_t value[PROBE_COUNTERS] = {
		[PROBE_C_EXECUTIONS] = 40,
		[PROBE_C_LANES] = 40 * 64 + 3 * 2,
		[PROBE_C_QUADS] = 40 * 16 + 3 * 17,
		[PROBE_C_LINES64] = 40 * 4 + 3 * 2,
		[PROBE_C_NEEDED64] = 40 * 4,
		[PROBE_C_EXCESS64] = 3 * 2,
		[PROBE_C_LINES128] = 40 * 2 + 3 * 2,
		[PROBE_C_NEEDED128] = 40 * 2,
		[PROBE_C_EXCESS128] = 3 * 2,
		[PROBE_C_FITTING] = 3,
		[PROBE_C_SINGLE] = 2,
		[PROBE_C_AFFINE] = 40,
	};
	uint64_t again[PROBE_COUNTERS];

	(void)state;
	counter_sums_resolve(value);
	assert_int_equal(value[PROBE_C_EXECUTIONS], 40 + 3 + 2);
	assert_int_equal(value[PROBE_C_LANES], 40 * 64 + 3 * 2 + 2);
	assert_int_equal(value[PROBE_C_QUADS], 40 * 16 + 3 * 17 + 2 * 16);
	assert_int_equal(value[PROBE_C_LINES64], 40 * 4 + 3 * 2 + 2);
	assert_int_equal(value[PROBE_C_NEEDED64], 40 * 4 + 3 + 2);
	assert_int_equal(value[PROBE_C_EXCESS64], 3);
	assert_int_equal(value[PROBE_C_LINES128], 40 * 2 + 3 * 2 + 2);
	assert_int_equal(value[PROBE_C_NEEDED128], 40 * 2 + 3 + 2);
	assert_int_equal(value[PROBE_C_EXCESS128], 3);
	assert_int_equal(value[PROBE_C_PASSES], 0);
	assert_int_equal(value[PROBE_C_IDEAL_PASSES], 0);
	assert_int_equal(value[PROBE_C_AFFINE], 40 + 2);
	memcpy(again, value, sizeof(again));
	counter_sums_resolve(again);
	assert_memory_equal(again, value, sizeof(again));
}

/* LDS and flat accesses count passes in these words; rows of groups have a meaning of their own. */
static void test_which_rows(void **state)
{
	(void)state;
	assert_true(counter_sums_in(PROBE_ACCESS_LOAD, PROBE_SPACE_GLOBAL));
	assert_true(counter_sums_in(PROBE_ACCESS_LOAD, PROBE_SPACE_CONSTANT));
	assert_false(counter_sums_in(PROBE_ACCESS_LOAD, PROBE_SPACE_LDS));
	assert_false(counter_sums_in(PROBE_ACCESS_STORE, PROBE_SPACE_FLAT));
	assert_false(counter_sums_in(PROBE_ACCESS_COUNTED_ROW, PROBE_SPACE_GLOBAL));
	assert_false(counter_sums_in(PROBE_ACCESS_MEASURED_ROW, PROBE_SPACE_GLOBAL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_resolved),
		cmocka_unit_test(test_which_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
