/* SPDX-License-Identifier: MIT */
/* Results for many workgroups at once, compared with each lane of each of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/model/expr_builder.h"
#include "model/expr_program.h"
#include "model/launch.h"

enum { GROUP = 8 };

static struct probe_sites table;
static int32_t arguments[2];
static struct model_launch launch = {
	.group = {GROUP, 2, 1},
	.arguments = (const void *)arguments,
	.argument_bytes = sizeof(arguments),
};

static struct expr_program program;

/* Of what was put: truths, with root 0. */
static void compile(void)
{
	uint32_t root = take(&table);

	expr_program_deinit(&program);
	assert_true(expr_program_init(&program, &table, &launch, &root, 1));
}

/* Of one lane. False: it is not defined. */
static bool truth_of(const uint32_t group[3], uint32_t item, bool *ret)
{
	const uint32_t x = item % GROUP, y = item / GROUP, z = 0;
	const uint32_t *const ids[3] = {&x, &y, &z};
	const uint64_t *number;

	expr_program_set_group(&program, group);
	expr_program_set_lanes(&program, ids, 1);
	number = expr_program_result(&program, 0, 1);
	if (number)
		*ret = *number;
	return number != NULL;
}

/* How many lanes there are with this truth; those of which nothing is known may be either. */
static uint32_t count(const struct group_box *box, bool truth)
{
	uint32_t id[3], found = 0;
	bool is;

	for (id[2] = box->first[2]; id[2] <= box->last[2]; id[2]++)
		for (id[1] = box->first[1]; id[1] <= box->last[1]; id[1]++)
			for (id[0] = box->first[0]; id[0] <= box->last[0]; id[0]++)
				for (uint32_t item = 0; item < 2 * GROUP; item++)
					found += truth_of(id, item, &is) && is == truth;
	return found;
}

static uint32_t below(uint32_t limit)
{
	return (uint32_t)rand() % limit;
}

/* ---- Anything -------------------------------------------------------------------------------- */

static int64_t any_constant(void)
{
	static const int64_t odd[] = {0,	  1,	     -1,	INT32_MAX, INT32_MIN,
				      UINT32_MAX, INT64_MAX, INT64_MIN, 1ll << 32, 128};

	return below(3) ? (int64_t)below(70) - 20 : odd[below(sizeof(odd) / sizeof(odd[0]))];
}

static void put_number(unsigned depth, uint8_t bits);

static void put_leaf(uint8_t bits)
{
	switch (below(6)) {
	case 0:
		put(PROBE_EXPR_ARGUMENT, 32, 4 * below(2));
		break;
	case 1:
		put(PROBE_EXPR_PACKET, 64, 4 + 2 * below(3));
		break;
	case 2:
		put(PROBE_EXPR_CONSTANT, bits, any_constant());
		return;
	case 3:
		put(PROBE_EXPR_ITEM, 32, below(3));
		break;
	default:
		put(PROBE_EXPR_GROUP, 32, below(3));
	}
	if (bits == 64)
		put(below(2) ? PROBE_EXPR_SEXT : PROBE_EXPR_ZEXT, 64, 0);
}

static void put_truth(unsigned depth)
{
	uint8_t bits = below(2) ? 32 : 64;

	if (depth && below(3) == 0) {
		put_truth(depth - 1);
		put_truth(depth - 1);
		put((uint8_t)(PROBE_EXPR_AND + below(3)), 32, 0);
		return;
	}
	put_number(depth, bits);
	put_number(depth, bits);
	put((uint8_t)(PROBE_EXPR_EQ + below(6)), bits, 0);
}

static void put_number(unsigned depth, uint8_t bits)
{
	if (!depth || below(4) == 0) {
		put_leaf(bits);
		return;
	}
	switch (below(10)) {
	case 9:
		put_number(depth - 1, bits);
		put(PROBE_EXPR_REVERSE, bits, 0);
		return;
	case 8:
		/* Used twice. */
		put_number(depth - 1, bits);
		stack[stack_depth] = stack[stack_depth - 1];
		stack_depth++;
		put((uint8_t)(PROBE_EXPR_ADD + below(3)), bits, 0);
		return;
	case 0:
		put_truth(depth - 1);
		put_number(depth - 1, bits);
		put_number(depth - 1, bits);
		put(PROBE_EXPR_SELECT, bits, 0);
		return;
	case 1:
		put_number(depth - 1, bits == 64 ? 32 : 64);
		put(bits == 32 ? PROBE_EXPR_TRUNC
		    : below(2) ? PROBE_EXPR_SEXT
			       : PROBE_EXPR_ZEXT,
		    bits, 0);
		return;
	default:
		put_number(depth - 1, bits);
		put_number(depth - 1, bits);
		put((uint8_t)(PROBE_EXPR_ADD + below(PROBE_EXPR_EQ - PROBE_EXPR_ADD)), bits, 0);
	}
}

static struct group_box any_box(void)
{
	struct group_box box;

	for (int i = 0; i < 3; i++) {
		box.first[i] = below(20);
		box.last[i] = box.first[i] + below(i ? 3 : 12);
	}
	return box;
}

static void test_anything(void **state)
{
	unsigned said = 0;

	(void)state;
	srand(1);
	for (int i = 0; i < 20000; i++) {
		struct group_box box = any_box();
		enum interval_truth truth;

		put_truth(3);
		arguments[0] = (int32_t)below(300) - 50;
		arguments[1] = below(8) ? (int32_t)below(40) : INT32_MIN;
		compile();
		truth = expr_program_truth(&program, 0, &box);
		if (truth == TRUTH_UNKNOWN)
			continue;
		assert_int_equal(count(&box, truth == TRUTH_NO), 0);
		said++;
	}
	/* Not knowing anything would also be correct. */
	assert_in_range(said, 3000, 20000);
}

/* ---- Typical conditions of programs ---------------------------------------------------------- */

/* x >= 3 && x < n - 3 && min(y, 9) * n + x < n * n, of signed numbers of 32 bits */
static void inside(void)
{
	put(PROBE_EXPR_CONSTANT, 32, 3);
	put_id(0);
	put(PROBE_EXPR_SLE, 32, 0);
	put_id(0);
	put(PROBE_EXPR_ARGUMENT, 32, 0);
	put(PROBE_EXPR_CONSTANT, 32, -3);
	put(PROBE_EXPR_ADD, 32, 0);
	put(PROBE_EXPR_SLT, 32, 0);
	put(PROBE_EXPR_AND, 32, 0);
	put_id(1);
	put(PROBE_EXPR_CONSTANT, 32, 9);
	put(PROBE_EXPR_SMIN, 32, 0);
	put(PROBE_EXPR_ARGUMENT, 32, 0);
	put(PROBE_EXPR_MUL, 32, 0);
	put_id(0);
	put(PROBE_EXPR_ADD, 32, 0);
	put(PROBE_EXPR_ARGUMENT, 32, 0);
	put(PROBE_EXPR_ARGUMENT, 32, 0);
	put(PROBE_EXPR_MUL, 32, 0);
	put(PROBE_EXPR_SLT, 32, 0);
	put(PROBE_EXPR_AND, 32, 0);
	compile();
}

static void test_bounds(void **state)
{
	(void)state;
	arguments[0] = 1000;
	inside();
	assert_int_equal(
		expr_program_truth(&program, 0, &(struct group_box){{1, 0, 0}, {123, 99, 0}}),
		TRUTH_YES);
	assert_int_equal(
		expr_program_truth(&program, 0, &(struct group_box){{125, 0, 0}, {9999, 0, 0}}),
		TRUTH_NO);
	assert_int_equal(expr_program_truth(&program, 0, &(struct group_box){{0, 0, 0}, {0, 0, 0}}),
			 TRUTH_UNKNOWN);
	assert_int_equal(
		expr_program_truth(&program, 0, &(struct group_box){{124, 0, 0}, {124, 0, 0}}),
		TRUTH_UNKNOWN);
	/* Not recorded. */
	launch.arguments = NULL;
	inside();
	assert_int_equal(expr_program_truth(&program, 0, &(struct group_box){{1, 0, 0}, {1, 0, 0}}),
			 TRUTH_UNKNOWN);
	launch.arguments = (const void *)arguments;
	/* Neither 0 nor 1. */
	put(PROBE_EXPR_CONSTANT, 64, 2);
	compile();
	assert_int_equal(expr_program_truth(&program, 0, &(struct group_box){{1, 0, 0}, {1, 0, 0}}),
			 TRUTH_UNKNOWN);
}

static int tear_down(void **state)
{
	(void)state;
	expr_program_deinit(&program);
	expr_graph_deinit(&graph);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_anything),
		cmocka_unit_test(test_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, tear_down);
}
