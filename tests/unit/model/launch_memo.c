/* SPDX-License-Identifier: MIT */
/* Which launches have equal results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/model/expr_builder.h"
#include "model/launch.h"
#include "model/launch_memo.h"

enum { FIRST = 3, COUNT = 4 };

static struct site_predicate predicates[COUNT];
static struct site_member members[COUNT + 1];
static struct probe_sites table = {.predicates = predicates, .members = members};

/* T *p at 0, T *q at 8, int n at 16, int unused at 20, int stride at 24, int step at 28 */
static struct {
	uint64_t p, q;
	int32_t n, unused, stride, step;
} arguments;
static struct model_launch launch;

/* What was put is the condition of a branch of the kernel's. */
static void branch(void)
{
	predicates[table.predicate_count] =
		(struct site_predicate){.row = FIRST + table.predicate_count,
					.parent = DERIVED_NONE,
					.condition = take(&table)};
	table.predicate_count++;
}

/* Or the address of one of its sites; or of another kernel's. */
static void address(uint32_t site)
{
	members[table.member_count++] = (struct site_member){
		.site = site, .base = DERIVED_NONE, .address = take(&table), .step = DERIVED_NONE};
}

static int set_up(void **state)
{
	memset(&arguments, 0, sizeof(arguments));
	arguments.stride = 4;
	launch = (struct model_launch){
		.kernel = "kernel",
		.grid = {64, 1, 1},
		.group = {64, 1, 1},
		.arguments = (const void *)&arguments,
		.argument_bytes = sizeof(arguments),
		.code = 7,
	};
	table.member_count = table.predicate_count = 0;
	/* Another kernel's. */
	put(PROBE_EXPR_ARGUMENT, 32, 20);
	address(1);
	/* &p[id], if (id < n) */
	put(PROBE_EXPR_ARGUMENT, 64, 0);
	put(PROBE_EXPR_ITEM, 32, 0);
	put(PROBE_EXPR_ZEXT, 64, 0);
	put(PROBE_EXPR_ADD, 64, 0);
	address(FIRST);
	put(PROBE_EXPR_ITEM, 32, 0);
	put(PROBE_EXPR_ARGUMENT, 32, 16);
	put(PROBE_EXPR_SLT, 32, 0);
	branch();
	members[1].stride[0] = (struct probe_site_stride){0, 4, 24, 32};
	*state = launch_memo_create();
	return *state ? 0 : -1;
}

static int tear_down(void **state)
{
	launch_memo_destroy(*state);
	return 0;
}

static struct launch_memo_row *rows(struct launch_memo *memo)
{
	return launch_memo_rows(memo, &table, &launch, FIRST, COUNT);
}

/* True if there was an equal launch; from now on there was. */
static bool knows(struct launch_memo *memo)
{
	struct launch_memo_row *row = rows(memo);
	bool known = row[1].known;

	row[1].known = true;
	return known;
}

static void test_arguments(void **state)
{
	assert_false(knows(*state));
	assert_true(knows(*state));
	arguments.unused = 1;
	arguments.q = 1;
	assert_true(knows(*state));
	arguments.n = 1;
	assert_false(knows(*state));
	assert_true(knows(*state));
	arguments.n = 0;
	assert_true(knows(*state));
	arguments.stride = 8;
	assert_false(knows(*state));
	launch.grid[0] = 128;
	assert_false(knows(*state));
	launch.code = 8;
	assert_false(knows(*state));
	launch.groups = &(struct probe_workgroups){{0}, {3, 3, 3}};
	assert_false(knows(*state));
	assert_true(knows(*state));
	launch.arguments = NULL;
	assert_null(rows(*state));
}

/* The distance between the iterations of a loop. */
static void test_step(void **state)
{
	put(PROBE_EXPR_ARGUMENT, 32, 28);
	members[1].step = take(&table);
	assert_false(knows(*state));
	assert_true(knows(*state));
	arguments.step = 4;
	assert_false(knows(*state));
	arguments.step = 0;
	assert_true(knows(*state));
}

/* Kernels may have sites of functions in common, more of them or fewer. */
static void test_kernels(void **state)
{
	struct launch_memo_row *row;

	knows(*state);
	launch.kernel = "other";
	row = launch_memo_rows(*state, &table, &launch, FIRST, COUNT - 1);
	assert_false(row[1].known);
	row[1].known = true;
	launch.kernel = "kernel";
	row = rows(*state);
	assert_true(row[1].known);
	assert_false(row[COUNT - 1].known);
}

static void test_pointers(void **state)
{
	knows(*state);
	arguments.p = 128 * 5;
	assert_true(knows(*state));
	arguments.p = 4;
	assert_false(knows(*state));
}

static void test_pointers_compared(void **state)
{
	put(PROBE_EXPR_ARGUMENT, 64, 0);
	put(PROBE_EXPR_ARGUMENT, 64, 8);
	put(PROBE_EXPR_EQ, 64, 0);
	branch();
	knows(*state);
	arguments.p = 128;
	assert_false(knows(*state));
}

/* id < 32 ? p : q */
static void test_pointers_chosen(void **state)
{
	put(PROBE_EXPR_ITEM, 32, 0);
	put(PROBE_EXPR_CONSTANT, 32, 32);
	put(PROBE_EXPR_ULT, 32, 0);
	put(PROBE_EXPR_ARGUMENT, 64, 0);
	put(PROBE_EXPR_ARGUMENT, 64, 8);
	put(PROBE_EXPR_SELECT, 64, 0);
	address(FIRST + 1);
	knows(*state);
	arguments.q = 128;
	assert_false(knows(*state));
}

/* Twice p, or half of that. */
static void test_pointers_doubled(void **state)
{
	for (int half = 0; half < 2; half++) {
		put(PROBE_EXPR_ARGUMENT, 64, 0);
		put(PROBE_EXPR_ARGUMENT, 64, 0);
		put(PROBE_EXPR_ADD, 64, 0);
		put(PROBE_EXPR_CONSTANT, 64, 1);
		put(half ? PROBE_EXPR_LSHR : PROBE_EXPR_ADD, 64, 0);
		address(FIRST + 1 + (uint32_t)half);
		launch.code++;
		arguments.p = 0;
		knows(*state);
		arguments.p = 128;
		assert_int_equal(knows(*state), !half);
	}
}

static void test_room(void **state)
{
	for (int round = 0; round < 2; round++)
		for (arguments.n = 0; arguments.n < 16; arguments.n++)
			assert_int_equal(knows(*state), round);
	/* One more: the least recently used one is dropped. */
	assert_false(knows(*state));
	arguments.n = 1;
	assert_true(knows(*state));
	arguments.n = 0;
	assert_false(knows(*state));
	launch.kernel = "large";
	assert_null(launch_memo_rows(*state, &table, &launch, 0, 1 << 20));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_arguments, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_step, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_kernels, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_pointers, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_pointers_compared, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_pointers_chosen, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_pointers_doubled, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_room, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
