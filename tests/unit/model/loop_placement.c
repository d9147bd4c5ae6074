/* SPDX-License-Identifier: MIT */
/* Waves in loops, compared with each iteration of each wave. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/unit/model/placement_case.h"
#include "model/launch.h"
#include "model/wave_placement.h"

static struct site_predicate predicates[2];

enum { STEP = 20 };

/* if (x < n) for (i = 0; i < 1 + (x * 3 & 31); i++) p[... + 5 * i] */
static void put_loop(void)
{
	put_id(0);
	put(PROBE_EXPR_ARGUMENT, 32, 8);
	put(PROBE_EXPR_SLT, 32, 0);
	predicates[0] = (struct site_predicate){.parent = DERIVED_NONE, .condition = take(&table)};
	put_id(0);
	put(PROBE_EXPR_CONSTANT, 32, 3);
	put(PROBE_EXPR_MUL, 32, 0);
	put(PROBE_EXPR_CONSTANT, 32, 31);
	put(PROBE_EXPR_AND, 32, 0);
	put(PROBE_EXPR_ZEXT, 64, 0);
	predicates[1] =
		(struct site_predicate){.parent = 0, .condition = take(&table), .loop = true};
	table.predicates = predicates;
	table.predicate_count = 2;
}

static void take_iterations(struct wave_classes *classes, const struct model_launch *launch,
			    const uint32_t id[3], uint32_t first, uint32_t items)
{
	const int32_t *arguments = (const void *)launch->arguments;
	uint64_t address[64];

	for (uint32_t i = 0; i < 32; i++) {
		uint64_t exec = 0;

		for (uint32_t lane = 0; lane < 64 && first + lane < items; lane++) {
			uint32_t x = id[0] * launch->group[0] + (first + lane) % launch->group[0];

			address[lane] =
				index_of(id, launch->group, first + lane, arguments) + STEP * i;
			if ((int32_t)x < arguments[2] && (x * 3 & 31) >= i)
				exec |= 1ull << lane;
		}
		take_lanes(classes, exec, address);
	}
}

static void check_loop(const struct model_launch *launch)
{
	struct placement_query query = {1, DERIVED_NONE, put_index(), DERIVED_NONE, 0, false};
	const uint32_t *size = launch->group;
	uint32_t items = size[0] * size[1] * size[2], id[3] = {0};
	struct wave_classes classes = {0};

	put_loop();
	put(PROBE_EXPR_CONSTANT, 64, STEP);
	query.step = take(&table);
	/* There is no such loop. */
	query.stepped = 1;
	assert_false(wave_placement_add(&table, launch, &query, &classes));
	query.stepped = 0;
	assert_true(wave_placement_add(&table, launch, &query, &classes));
	for (id[1] = 0; id[1] < launch->grid[1] / size[1]; id[1]++)
		for (id[0] = 0; id[0] < launch->grid[0] / size[0]; id[0]++)
			for (uint32_t item = 0; item < items; item += 64)
				take_iterations(&classes, launch, id, item, items);
	for (uint32_t i = 0; i < classes.count; i++)
		assert_int_equal(classes.class[i].count, 0);
	wave_classes_deinit(&classes);
}

static void test_loop(void **state)
{
	static const uint32_t sizes[][3] = {{64, 1, 1}, {100, 1, 1}, {16, 8, 1}, {10, 3, 1}};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (int32_t n = 0; n < 300; n += 97) {
			int32_t arguments[3] = {36, 7, n};
			struct model_launch launch = {
				.grid = {sizes[i][0] * 3, sizes[i][1] * 2, sizes[i][2]},
				.group = {sizes[i][0], sizes[i][1], sizes[i][2]},
				.arguments = (const void *)arguments,
				.argument_bytes = sizeof(arguments),
			};

			check_loop(&launch);
		}
}

enum { ROWS = 4, ROW = 260 };

/*
 * for (j = 0; j < ROWS; j++) if (x != 2 * j) for (i = 0; i < 1 + (x & 7) + j; i++)
 *	p[... + ROW / 4 * j + 5 * i]
 */
static void put_nest(bool steps, struct placement_query *ret)
{
	static struct site_predicate nest[3];

	put(PROBE_EXPR_CONSTANT, 64, ROWS - 1);
	nest[0] = (struct site_predicate){
		.parent = DERIVED_NONE, .condition = take(&table), .loop = true};
	put_id(0);
	put(PROBE_EXPR_ITERATION, 64, 0);
	put(PROBE_EXPR_CONSTANT, 32, 2);
	put(PROBE_EXPR_MUL, 32, 0);
	put(PROBE_EXPR_NE, 32, 0);
	nest[1] = (struct site_predicate){.parent = 0, .condition = take(&table)};
	put_id(0);
	put(PROBE_EXPR_CONSTANT, 32, 7);
	put(PROBE_EXPR_AND, 32, 0);
	put(PROBE_EXPR_ITERATION, 64, 0);
	put(PROBE_EXPR_ADD, 32, 0);
	put(PROBE_EXPR_ZEXT, 64, 0);
	nest[2] = (struct site_predicate){.parent = 1, .condition = take(&table), .loop = true};
	table.predicates = nest;
	table.predicate_count = 3;
	put_sum();
	put(PROBE_EXPR_ITERATION, 64, 0);
	put(PROBE_EXPR_CONSTANT, 64, ROW);
	put(PROBE_EXPR_MUL, 64, 0);
	put(PROBE_EXPR_ADD, 64, 0);
	if (!steps) {
		put(PROBE_EXPR_ITERATION, 64, 1);
		put(PROBE_EXPR_CONSTANT, 64, STEP);
		put(PROBE_EXPR_MUL, 64, 0);
		put(PROBE_EXPR_ADD, 64, 0);
	}
	*ret = (struct placement_query){2, DERIVED_NONE, take(&table), DERIVED_NONE, 1, false};
	put(PROBE_EXPR_CONSTANT, 64, STEP);
	ret->step = steps ? take(&table) : DERIVED_NONE;
	stack_depth = 0;
}

static void take_nest(struct wave_classes *classes, const struct model_launch *launch,
		      const uint32_t id[3], uint32_t first, uint32_t items)
{
	for (uint32_t k = 0; k < ROWS * (8 + ROWS); k++) {
		uint32_t j = k % ROWS, i = k / ROWS;
		uint64_t exec = 0, address[64];

		for (uint32_t lane = 0; lane < 64 && first + lane < items; lane++) {
			uint32_t x = id[0] * launch->group[0] + (first + lane) % launch->group[0];

			address[lane] = index_of(id, launch->group, first + lane,
						 (const void *)launch->arguments) +
					ROW * j + STEP * i;
			if (x != 2 * j && i <= (x & 7) + j)
				exec |= 1ull << lane;
		}
		take_lanes(classes, exec, address);
	}
}

/* A loop in a loop: each iteration of both is evaluated, or those of the outer one only. */
static void test_nest(void **state)
{
	int32_t arguments[3] = {36, 7, 50};
	struct model_launch launch = {
		.grid = {300, 2, 1},
		.group = {100, 1, 1},
		.arguments = (const void *)arguments,
		.argument_bytes = sizeof(arguments),
	};

	(void)state;
	for (int steps = 0; steps < 2; steps++) {
		struct wave_classes classes = {0};
		struct placement_query query;
		uint32_t id[3] = {0};

		put_nest(steps, &query);
		assert_true(wave_placement_add(&table, &launch, &query, &classes));
		for (id[1] = 0; id[1] < 2; id[1]++)
			for (id[0] = 0; id[0] < 3; id[0]++)
				for (uint32_t item = 0; item < 100; item += 64)
					take_nest(&classes, &launch, id, item, 100);
		for (uint32_t i = 0; i < classes.count; i++)
			assert_int_equal(classes.class[i].count, 0);
		wave_classes_clear(&classes);
		/* The outer loop's iterations must be evaluated. */
		query.stepped = 0;
		assert_int_equal(wave_placement_add(&table, &launch, &query, &classes), !steps);
		wave_classes_deinit(&classes);
	}
}

/* Long loops take no time; endless ones have no counts. */
static void test_long_loop(void **state)
{
	const struct model_launch launch = {.grid = {128, 1, 1}, .group = {64, 1, 1}};
	struct placement_query query = {0, DERIVED_NONE, DERIVED_NONE, DERIVED_NONE, 0, false};
	struct wave_classes classes = {0};
	uint64_t count = 0;

	(void)state;
	put(PROBE_EXPR_ITEM, 64, 0);
	query.address = take(&table);
	put(PROBE_EXPR_CONSTANT, 64, 4);
	query.step = take(&table);
	put(PROBE_EXPR_CONSTANT, 64, 999999999);
	predicates[0] = (struct site_predicate){
		.parent = DERIVED_NONE, .condition = take(&table), .loop = true};
	table.predicates = predicates;
	table.predicate_count = 1;
	assert_true(wave_placement_add(&table, &launch, &query, &classes));
	assert_int_equal(classes.count, 32);
	for (uint32_t i = 0; i < classes.count; i++)
		count += classes.class[i].count;
	assert_int_equal(count, 2000000000);
	put(PROBE_EXPR_CONSTANT, 64, -1);
	predicates[0].condition = take(&table);
	assert_false(wave_placement_add(&table, &launch, &query, &classes));
	wave_classes_deinit(&classes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loop),
		cmocka_unit_test(test_nest),
		cmocka_unit_test(test_long_loop),
	};

	return cmocka_run_group_tests(tests, NULL, free_expressions);
}
