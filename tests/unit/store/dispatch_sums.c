/* SPDX-License-Identifier: MIT */
/* Dispatches of one kernel and shape as one row. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* after the headers it needs */
#include <cmocka.h>

#include <probe/wire.h>

#include "store/dispatch_sums.h"

static void put(struct probe_dispatch_sums *sums, uint64_t id, uint32_t grid, uint64_t ns,
		bool again)
{
	const struct probe_hr_dispatch dispatch = {
		.id = id, .kernel = 1, .launched = 2, .grid = {grid, 1, 1}, .group = {64, 1, 1}};
	const struct probe_hr_complete complete = {.id = id, .start = 100, .end = 100 + ns};

	probe_dispatch_sums_add(sums, &dispatch, ns ? &complete : NULL, again);
}

static void add(struct probe_dispatch_sums *sums, uint64_t id, uint32_t grid, uint64_t ns)
{
	put(sums, id, grid, ns, false);
}

/* A dispatch may be stored while it runs, and again when it has ended. */
static void a_dispatch_counts_once(void **state)
{
	struct probe_dispatch_sums sums = {0};
	const struct probe_dispatch_sum *sum;
	size_t at = 0;

	(void)state;
	add(&sums, 1, 64, 0);
	put(&sums, 1, 64, 30, true);
	add(&sums, 2, 64, 12);
	sum = probe_dispatch_sums_next(&sums, &at);
	assert_non_null(sum);
	assert_int_equal(sum->dispatches, 2);
	assert_int_equal(sum->timed, 2);
	assert_int_equal(sum->ns, 42);
	put(&sums, 3, 128, 1, true);
	at = 0;
	assert_null(probe_dispatch_sums_next(&sums, &at));
	probe_dispatch_sums_deinit(&sums);
}

static void equal_dispatches_are_one_row(void **state)
{
	struct probe_dispatch_sums sums = {0};
	const struct probe_dispatch_sum *sum;
	uint64_t dispatches = 0, ns = 0;
	size_t at = 0, rows = 0;

	(void)state;
	/* The first one is not the lowest: dispatches end in any order. */
	for (uint64_t id = 1000; id; id--)
		add(&sums, id, (uint32_t)(id % 100), id % 10 ? id : 0);
	while ((sum = probe_dispatch_sums_next(&sums, &at))) {
		assert_int_equal(sum->key.launched, 2);
		assert_int_equal(sum->dispatches, 10);
		assert_int_equal(sum->timed, sum->key.grid[0] % 10 ? 10 : 0);
		assert_int_equal(sum->first, sum->key.grid[0] ? sum->key.grid[0] : 100);
		dispatches += sum->dispatches;
		ns += sum->ns;
		rows++;
	}
	assert_int_equal(rows, 100);
	assert_int_equal(dispatches, 1000);
	assert_int_equal(ns, 1000 * 1001 / 2 - 10 * (100 * 101 / 2));
	probe_dispatch_sums_deinit(&sums);
}

static void too_many_rows_are_none(void **state)
{
	struct probe_dispatch_sums sums = {0};
	size_t at = 0;

	(void)state;
	for (uint32_t i = 0; i < PROBE_DISPATCH_SUMS_MAX; i++)
		add(&sums, i + 1, i, 1);
	assert_non_null(probe_dispatch_sums_next(&sums, &at));
	add(&sums, 1, PROBE_DISPATCH_SUMS_MAX, 1);
	at = 0;
	assert_null(probe_dispatch_sums_next(&sums, &at));
	add(&sums, 2, 1, 1);
	assert_null(probe_dispatch_sums_next(&sums, &at));
	probe_dispatch_sums_deinit(&sums);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_dispatch_counts_once),
		cmocka_unit_test(equal_dispatches_are_one_row),
		cmocka_unit_test(too_many_rows_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
