/* SPDX-License-Identifier: MIT */
/* Positions of the waves of a launch, compared with a loop over every wave. */
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
#include "model/wave_classes.h"
#include "model/wave_placement.h"

static bool chosen(const struct probe_workgroups *groups, const uint32_t id[3])
{
	for (int i = 0; i < 3; i++)
		if (groups && (id[i] < groups->first[i] || id[i] > groups->last[i]))
			return false;
	return true;
}

static void count_all(const struct model_launch *launch, uint64_t ret[RESIDUES])
{
	const uint32_t *size = launch->group;
	uint32_t items = size[0] * size[1] * size[2], id[3];

	memset(ret, 0, RESIDUES * sizeof(*ret));
	for (id[2] = 0; id[2] < launch->grid[2] / size[2]; id[2]++)
		for (id[1] = 0; id[1] < launch->grid[1] / size[1]; id[1]++)
			for (id[0] = 0; id[0] < launch->grid[0] / size[0]; id[0]++)
				for (uint32_t item = 0; item < (items < 64 ? 1 : items / 64 * 64) &&
							chosen(launch->groups, id);
				     item += 64)
					ret[index_of(id, size, item,
						     (const void *)launch->arguments) %
					    128]++;
}

static uint32_t below(uint32_t limit)
{
	return (uint32_t)rand() % limit;
}

static void check_launch(bool some)
{
	static const uint32_t sizes[][3] = {{64, 1, 1}, {256, 1, 1}, {16, 16, 1}, {8, 4, 1},
					    {4, 4, 8},	{96, 1, 1},  {32, 2, 4},  {1, 1, 1}};
	const uint32_t *size = sizes[below(sizeof(sizes) / sizeof(sizes[0]))];
	int32_t arguments[3] = {4 * (int32_t)below(1000), 7, (int32_t)below(2000) - 500};
	struct probe_workgroups groups;
	struct model_launch launch = {
		.groups = some ? &groups : NULL,
		.arguments = (const void *)arguments,
		.argument_bytes = sizeof(arguments),
	};
	struct placement_query query = {DERIVED_NONE, DERIVED_NONE, DERIVED_NONE, DERIVED_NONE, 0,
					false};
	uint64_t want[RESIDUES], got[RESIDUES] = {0}, waves;
	struct wave_classes classes = {0};

	for (int i = 0; i < 3; i++) {
		launch.group[i] = size[i];
		launch.grid[i] = size[i] * (1 + below(i ? 9 : 300));
		groups.first[i] = below(i ? 4 : 150);
		groups.last[i] = i == 1 ? UINT32_MAX : groups.first[i] + below(200);
	}
	query.base = put_index();
	count_all(&launch, want);
	assert_true(wave_placement_add(&table, &launch, &query, &classes));
	for (uint32_t i = 0; i < classes.count; i++)
		if (classes.class[i].exec == launch_full_waves(&launch, &waves))
			got[classes.class[i].residue] += classes.class[i].count;
	assert_memory_equal(want, got, sizeof(want));
	wave_classes_deinit(&classes);
}

static void test_every_wave(void **state)
{
	(void)state;
	srand(1);
	for (int i = 0; i < 200; i++)
		check_launch(i & 1);
}

/* ---- Behind branches ------------------------------------------------------------------------ */

static struct site_predicate predicates[2];

/* if (x < n) { if (y * 3 % (z + 5) >= 2 && x != 9) p[...] } */
static void put_branches(void)
{
	put_id(0);
	put(PROBE_EXPR_ARGUMENT, 32, 8);
	put(PROBE_EXPR_SLT, 32, 0);
	predicates[0] = (struct site_predicate){.parent = DERIVED_NONE, .condition = take(&table)};
	put(PROBE_EXPR_CONSTANT, 32, 2);
	put_id(1);
	put(PROBE_EXPR_CONSTANT, 32, 3);
	put(PROBE_EXPR_MUL, 32, 0);
	put(PROBE_EXPR_ITEM, 32, 2);
	put(PROBE_EXPR_CONSTANT, 32, 5);
	put(PROBE_EXPR_ADD, 32, 0);
	put(PROBE_EXPR_UREM, 32, 0);
	put(PROBE_EXPR_ULE, 32, 0);
	put_id(0);
	put(PROBE_EXPR_CONSTANT, 32, 9);
	put(PROBE_EXPR_NE, 32, 0);
	put(PROBE_EXPR_CONSTANT, 32, 0);
	put(PROBE_EXPR_SELECT, 32, 0);
	predicates[1] = (struct site_predicate){.parent = 0, .condition = take(&table)};
	table.predicates = predicates;
	table.predicate_count = 2;
}

static bool goes(const uint32_t group[3], const uint32_t size[3], uint32_t item, int32_t n)
{
	uint32_t x = group[0] * size[0] + item % size[0];
	uint32_t y = group[1] * size[1] + item / size[0] % size[1];

	return (int32_t)x < n && y * 3 % (item / size[0] / size[1] + 5) >= 2 && x != 9;
}

/* Take the wave of these lanes out of what was found. */
static void take_wave(const struct model_launch *launch, const uint32_t id[3], uint32_t first,
		      uint32_t items, struct wave_classes *classes)
{
	const int32_t *arguments = (const void *)launch->arguments;
	uint64_t exec = 0;
	uint32_t place, i = 0;

	for (uint32_t lane = 0; lane < 64 && first + lane < items; lane++)
		exec |= (uint64_t)goes(id, launch->group, first + lane, arguments[2]) << lane;
	if (!exec || !chosen(launch->groups, id))
		return;
	place = index_of(id, launch->group, first + (uint32_t)__builtin_ctzll(exec), arguments) %
		128;
	while (i < classes->count &&
	       !(classes->class[i].exec == exec && classes->class[i].residue == place &&
		 classes->class[i].count))
		i++;
	assert_true(i < classes->count);
	classes->class[i].count--;
}

static void check_branches(bool some)
{
	static const uint32_t sizes[][3] = {{64, 1, 1}, {100, 1, 1}, {16, 16, 1},
					    {8, 4, 1},	{4, 4, 8},   {5, 7, 3}};
	const uint32_t *size = sizes[below(sizeof(sizes) / sizeof(sizes[0]))];
	int32_t arguments[3] = {4 * (int32_t)below(1000), 7, (int32_t)below(1500) - 100};
	uint32_t items = size[0] * size[1] * size[2], id[3];
	struct probe_workgroups groups = {{1, 0, 1}, {5, 2, UINT32_MAX}};
	struct model_launch launch = {
		.groups = some ? &groups : NULL,
		.arguments = (const void *)arguments,
		.argument_bytes = sizeof(arguments),
	};
	struct wave_classes classes = {0};
	struct placement_query query = {1, put_index(), DERIVED_NONE, DERIVED_NONE, 0, false};

	for (int i = 0; i < 3; i++) {
		launch.group[i] = size[i];
		launch.grid[i] = size[i] * (1 + below(i ? 4 : 20));
	}
	put_branches();
	assert_true(wave_placement_add(&table, &launch, &query, &classes));
	for (id[2] = 0; id[2] < launch.grid[2] / size[2]; id[2]++)
		for (id[1] = 0; id[1] < launch.grid[1] / size[1]; id[1]++)
			for (id[0] = 0; id[0] < launch.grid[0] / size[0]; id[0]++)
				for (uint32_t first = 0; first < items; first += 64)
					take_wave(&launch, id, first, items, &classes);
	for (uint32_t i = 0; i < classes.count; i++)
		assert_int_equal(classes.class[i].count, 0);
	wave_classes_deinit(&classes);
}

static void test_branches(void **state)
{
	struct placement_query query = {1, DERIVED_NONE, DERIVED_NONE, DERIVED_NONE, 0, false};
	struct model_launch launch = {.grid = {64, 3, 1}, .group = {64, 1, 1}};
	struct wave_classes classes = {0};

	(void)state;
	for (int i = 0; i < 200; i++)
		check_branches(i & 1);
	put_branches();
	/* No arguments; a predicate without condition. */
	assert_false(wave_placement_add(&table, &launch, &query, &classes));
	launch.arguments = (const unsigned char[12]){0};
	launch.argument_bytes = 12;
	assert_true(wave_placement_add(&table, &launch, &query, &classes));
	predicates[0].condition = DERIVED_NONE;
	assert_false(wave_placement_add(&table, &launch, &query, &classes));
	wave_classes_deinit(&classes);
}

/* if (x < n) p[...] in a launch of too many waves to look at each. */
static void test_large(void **state)
{
	const int32_t arguments[3] = {0, 0, 64 * 1000000 - 1};
	struct placement_query query = {0, put_index(), DERIVED_NONE, DERIVED_NONE, 0, false};
	struct model_launch launch = {
		.grid = {1 << 30, 256, 1},
		.group = {64, 1, 1},
		.arguments = (const void *)arguments,
		.argument_bytes = sizeof(arguments),
	};
	struct wave_classes classes = {0};
	uint64_t whole = 0, part = 0;

	(void)state;
	put_branches();
	assert_true(wave_placement_add(&table, &launch, &query, &classes));
	for (uint32_t i = 0; i < classes.count; i++)
		*(classes.class[i].exec == UINT64_MAX ? &whole : &part) += classes.class[i].count;
	assert_int_equal(whole, 256 * 999999);
	assert_int_equal(part, 256);
	wave_classes_deinit(&classes);
}

/* Every lane, if there is no other condition. */
static void test_no_expression(void **state)
{
	const struct placement_query query = {
		DERIVED_NONE, DERIVED_NONE, DERIVED_NONE, DERIVED_NONE, 0, false};
	const struct model_launch launch = {.grid = {300, 4, 1}, .group = {100, 1, 1}};
	struct model_launch bad = {.grid = {64, 1, 1}, .group = {64, 0, 1}};
	struct wave_classes classes = {0};

	(void)state;
	assert_true(wave_placement_add(&table, &launch, &query, &classes));
	assert_int_equal(classes.count, 2);
	assert_int_equal(wave_classes_count(&classes, UINT64_MAX), 12);
	assert_int_equal(wave_classes_count(&classes, (1ull << 36) - 1), 12);
	assert_false(wave_placement_add(&table, &bad, &query, &classes));
	bad.group[1] = 2048;
	assert_false(wave_placement_add(&table, &bad, &query, &classes));
	wave_classes_deinit(&classes);
}

/* ---- Lane by lane --------------------------------------------------------------------------- */

static void take_exact(struct wave_classes *classes, const struct model_launch *launch,
		       const uint32_t id[3], uint32_t first, uint32_t items)
{
	uint64_t address[64], exec = 0;

	for (uint32_t lane = 0; lane < 64 && first + lane < items; lane++) {
		address[lane] =
			index_of(id, launch->group, first + lane, (const void *)launch->arguments);
		exec |= 1ull << lane;
	}
	take_lanes(classes, exec, address);
}

static void check_exact(const struct model_launch *launch)
{
	const struct placement_query query = {
		DERIVED_NONE, DERIVED_NONE, put_index(), DERIVED_NONE, 0, false};
	const uint32_t *size = launch->group;
	uint32_t items = size[0] * size[1] * size[2], id[3];
	struct wave_classes classes = {0};

	assert_true(wave_placement_add(&table, launch, &query, &classes));
	assert_true(classes.offsets);
	for (id[2] = 0; id[2] < launch->grid[2] / size[2]; id[2]++)
		for (id[1] = 0; id[1] < launch->grid[1] / size[1]; id[1]++)
			for (id[0] = 0; id[0] < launch->grid[0] / size[0]; id[0]++)
				for (uint32_t item = 0; item < items && chosen(launch->groups, id);
				     item += 64)
					take_exact(&classes, launch, id, item, items);
	for (uint32_t i = 0; i < classes.count; i++)
		assert_int_equal(classes.class[i].count, 0);
	wave_classes_deinit(&classes);
}

static void test_exact(void **state)
{
	static const uint32_t sizes[][3] = {{64, 1, 1},	 {7, 1, 1},   {100, 1, 1},
					    {16, 16, 1}, {10, 10, 3}, {24, 3, 2}};
	const struct probe_workgroups groups = {.first = {1, 0, 1}, .last = {2, 1, UINT32_MAX}};
	int32_t arguments[3] = {36, 7, 77};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (int some = 0; some < 2; some++) {
			struct model_launch launch = {
				.groups = some ? &groups : NULL,
				.arguments = (const void *)arguments,
				.argument_bytes = sizeof(arguments),
			};

			for (int k = 0; k < 3; k++) {
				launch.group[k] = sizes[i][k];
				launch.grid[k] = sizes[i][k] * (uint32_t)(4 - k);
			}
			check_exact(&launch);
		}
}

/* 12 / (x - 3), if x is above 3: what other lanes would divide by does not matter. */
static void test_undefined(void **state)
{
	const struct model_launch launch = {.grid = {8, 1, 1}, .group = {8, 1, 1}};
	struct placement_query query = {DERIVED_NONE, DERIVED_NONE, 0, DERIVED_NONE, 0, false};
	struct wave_classes classes = {0};

	(void)state;
	for (int above = 3; above >= 2; above--) {
		put(PROBE_EXPR_CONSTANT, 32, above);
		put(PROBE_EXPR_ITEM, 32, 0);
		put(PROBE_EXPR_ULT, 32, 0);
		put(PROBE_EXPR_CONSTANT, 32, 12);
		put(PROBE_EXPR_ITEM, 32, 0);
		put(PROBE_EXPR_CONSTANT, 32, 3);
		put(PROBE_EXPR_SUB, 32, 0);
		put(PROBE_EXPR_UDIV, 32, 0);
		put(PROBE_EXPR_CONSTANT, 32, 1);
		put(PROBE_EXPR_SELECT, 32, 0);
		query.address = take(&table);
		assert_int_equal(wave_placement_add(&table, &launch, &query, &classes), above == 3);
		assert_int_equal(classes.count, 1);
		assert_int_equal(classes.offset[0][3], 0);
		assert_int_equal(classes.offset[0][4], 11);
		assert_int_equal(classes.offset[0][7], 2);
	}
	wave_classes_deinit(&classes);
}

/* Addresses of 32 bits, from high to low: 0 - 4 * x, in LDS. */
static void test_narrow(void **state)
{
	const struct model_launch launch = {.grid = {8, 1, 1}, .group = {8, 1, 1}};
	struct placement_query query = {DERIVED_NONE, DERIVED_NONE, 0, DERIVED_NONE, 0, true};
	struct wave_classes classes = {0};

	(void)state;
	put(PROBE_EXPR_CONSTANT, 32, 20);
	put(PROBE_EXPR_ITEM, 32, 0);
	put(PROBE_EXPR_CONSTANT, 32, 4);
	put(PROBE_EXPR_MUL, 32, 0);
	put(PROBE_EXPR_SUB, 32, 0);
	query.address = take(&table);
	assert_true(wave_placement_add(&table, &launch, &query, &classes));
	assert_int_equal(classes.class[0].residue, 0);
	assert_int_equal(classes.offset[0][7], -28);
	wave_classes_deinit(&classes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_wave), cmocka_unit_test(test_branches),
		cmocka_unit_test(test_large),	   cmocka_unit_test(test_no_expression),
		cmocka_unit_test(test_exact),	   cmocka_unit_test(test_undefined),
		cmocka_unit_test(test_narrow),
	};

	return cmocka_run_group_tests(tests, NULL, free_expressions);
}
