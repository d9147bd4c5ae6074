/* SPDX-License-Identifier: MIT */
/* Where the waves of a launch lie, against a loop over every one of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "codeobj/sites.h"
#include "model/wave_placement.h"

enum { ROW = 7, INDEX = 2, OPS = 128 };

static struct probe_expr_op ops[OPS];
static struct probe_sites table = {.exprs = ops};

static void put(uint8_t code, uint8_t bits, uint16_t index, uint32_t offset, int64_t value)
{
	ops[table.expr_ops++] = (struct probe_expr_op){code, bits, index, offset, value};
}

static void begin(void)
{
	table.expr_ops = 0;
	put(PROBE_EXPR_OF, 64, INDEX + 1, 0, ROW);
	put(PROBE_EXPR_CONSTANT, 64, 0, 0, 1);
	put(PROBE_EXPR_OF, 64, INDEX, 0, ROW);
}

static void end(void)
{
	put(PROBE_EXPR_OF, 64, INDEX, 0, ROW + 1);
	put(PROBE_EXPR_CONSTANT, 64, 0, 0, 1);
}

/* group * size + item, of an axis */
static void put_id(uint16_t axis)
{
	put(PROBE_EXPR_GROUP, 32, axis, 0, 0);
	put(PROBE_EXPR_PACKET, 64, 0, 4 + 2u * axis, 0);
	put(PROBE_EXPR_MUL, 32, 0, 0, 0);
	put(PROBE_EXPR_ITEM, 32, axis, 0, 0);
	put(PROBE_EXPR_ADD, 32, 0, 0, 0);
}

/* &p[(y + z) * n + (x ^ 5) - (n >> 1)] of int *p at 0, int n at 8 */
static void put_sum(void)
{
	put(PROBE_EXPR_ARGUMENT, 64, 0, 0, 0);
	put_id(1);
	put_id(2);
	put(PROBE_EXPR_ADD, 32, 0, 0, 0);
	put(PROBE_EXPR_ARGUMENT, 32, 0, 8, 0);
	put(PROBE_EXPR_MUL, 32, 0, 0, 0);
	put_id(0);
	put(PROBE_EXPR_CONSTANT, 32, 0, 0, 5);
	put(PROBE_EXPR_XOR, 32, 0, 0, 0);
	put(PROBE_EXPR_ADD, 32, 0, 0, 0);
	put(PROBE_EXPR_ARGUMENT, 32, 0, 8, 0);
	put(PROBE_EXPR_CONSTANT, 32, 0, 0, 1);
	put(PROBE_EXPR_ASHR, 32, 0, 0, 0);
	put(PROBE_EXPR_SUB, 32, 0, 0, 0);
	put(PROBE_EXPR_SEXT, 64, 0, 0, 0);
	put(PROBE_EXPR_CONSTANT, 64, 0, 0, 2);
	put(PROBE_EXPR_SHL, 64, 0, 0, 0);
	put(PROBE_EXPR_ADD, 64, 0, 0, 0);
}

static void put_index(void)
{
	begin();
	put_sum();
	end();
}

static uint64_t index_of(const uint32_t group[3], const uint32_t size[3], uint32_t item,
			 const int32_t *arguments)
{
	uint32_t x = group[0] * size[0] + item % size[0];
	uint32_t y = group[1] * size[1] + item / size[0] % size[1];
	uint32_t z = group[2] * size[2] + item / size[0] / size[1];
	uint32_t n = (uint32_t)arguments[2];
	int32_t index = (int32_t)((y + z) * n + (x ^ 5) - (uint32_t)((int32_t)n >> 1));
	uint64_t pointer;

	memcpy(&pointer, arguments, 8);
	return pointer + (uint64_t)(int64_t)index * 4;
}

static bool chosen(const struct probe_workgroups *groups, const uint32_t id[3])
{
	for (int i = 0; i < 3; i++)
		if (groups && (id[i] < groups->first[i] || id[i] > groups->last[i]))
			return false;
	return true;
}

static void count_all(const struct proved_launch *launch, uint64_t ret[LAUNCH_PLACES])
{
	const uint32_t *size = launch->group;
	uint32_t items = size[0] * size[1] * size[2], id[3];

	memset(ret, 0, LAUNCH_PLACES * sizeof(*ret));
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
	struct proved_launch launch = {
		.groups = some ? &groups : NULL,
		.arguments = (const void *)arguments,
		.argument_bytes = sizeof(arguments),
	};
	uint64_t want[LAUNCH_PLACES], got[LAUNCH_PLACES];

	for (int i = 0; i < 3; i++) {
		launch.group[i] = size[i];
		launch.grid[i] = size[i] * (1 + below(i ? 9 : 300));
		groups.first[i] = below(i ? 4 : 150);
		groups.last[i] = i == 1 ? UINT32_MAX : groups.first[i] + below(200);
	}
	put_index();
	count_all(&launch, want);
	assert_true(launch_places(&table, &launch, ROW, INDEX, got));
	assert_memory_equal(want, got, sizeof(want));
}

static void test_every_wave(void **state)
{
	(void)state;
	srand(1);
	for (int i = 0; i < 200; i++)
		check_launch(i & 1);
}

/* ---- Behind branches ------------------------------------------------------------------------ */

static struct probe_site_predicate predicates[2];

/* if (x < n) { if (y * 3 % (z + 5) >= 2 && x != 9) p[...] } */
static void put_branches(void)
{
	put_index();
	put(PROBE_EXPR_OF, 64, 0, 0, 0);
	put_id(0);
	put(PROBE_EXPR_ARGUMENT, 32, 0, 8, 0);
	put(PROBE_EXPR_SLT, 32, 0, 0, 0);
	put(PROBE_EXPR_OF, 64, 0, 0, 1);
	put(PROBE_EXPR_CONSTANT, 32, 0, 0, 2);
	put_id(1);
	put(PROBE_EXPR_CONSTANT, 32, 0, 0, 3);
	put(PROBE_EXPR_MUL, 32, 0, 0, 0);
	put(PROBE_EXPR_ITEM, 32, 2, 0, 0);
	put(PROBE_EXPR_CONSTANT, 32, 0, 0, 5);
	put(PROBE_EXPR_ADD, 32, 0, 0, 0);
	put(PROBE_EXPR_UREM, 32, 0, 0, 0);
	put(PROBE_EXPR_ULE, 32, 0, 0, 0);
	put_id(0);
	put(PROBE_EXPR_CONSTANT, 32, 0, 0, 9);
	put(PROBE_EXPR_NE, 32, 0, 0, 0);
	put(PROBE_EXPR_CONSTANT, 32, 0, 0, 0);
	put(PROBE_EXPR_SELECT, 32, 0, 0, 0);
	table.predicates = predicates;
	table.predicate_count = 2;
	table.site_count = ROW + 2;
	predicates[0] = (struct probe_site_predicate){0, PROBE_ROW_NONE, 1, 0};
	predicates[1] = (struct probe_site_predicate){1, 0, 1, 0};
}

static bool goes(const uint32_t group[3], const uint32_t size[3], uint32_t item, int32_t n)
{
	uint32_t x = group[0] * size[0] + item % size[0];
	uint32_t y = group[1] * size[1] + item / size[0] % size[1];

	return (int32_t)x < n && y * 3 % (item / size[0] / size[1] + 5) >= 2 && x != 9;
}

/* Take the wave of these lanes out of what was found. */
static void take_wave(const struct proved_launch *launch, const uint32_t id[3], uint32_t first,
		      uint32_t items, struct launch_runs *runs)
{
	const int32_t *arguments = (const void *)launch->arguments;
	uint64_t exec = 0;
	size_t i = 0;
	uint32_t place;

	for (uint32_t lane = 0; lane < 64 && first + lane < items; lane++)
		exec |= (uint64_t)goes(id, launch->group, first + lane, arguments[2]) << lane;
	if (!exec || !chosen(launch->groups, id))
		return;
	place = index_of(id, launch->group, first + (uint32_t)__builtin_ctzll(exec), arguments) %
		128;
	while (i < runs->size &&
	       !(runs->run[i].exec == exec && runs->run[i].place == place && runs->run[i].count))
		i++;
	assert_true(i < runs->size);
	runs->run[i].count--;
}

static void check_branches(bool some)
{
	static const uint32_t sizes[][3] = {{64, 1, 1}, {100, 1, 1}, {16, 16, 1},
					    {8, 4, 1},	{4, 4, 8},   {5, 7, 3}};
	const uint32_t *size = sizes[below(sizeof(sizes) / sizeof(sizes[0]))];
	int32_t arguments[3] = {4 * (int32_t)below(1000), 7, (int32_t)below(1500) - 100};
	uint32_t items = size[0] * size[1] * size[2], id[3];
	struct probe_workgroups groups = {{1, 0, 1}, {5, 2, UINT32_MAX}};
	struct proved_launch launch = {
		.groups = some ? &groups : NULL,
		.arguments = (const void *)arguments,
		.argument_bytes = sizeof(arguments),
	};
	struct launch_runs runs;

	for (int i = 0; i < 3; i++) {
		launch.group[i] = size[i];
		launch.grid[i] = size[i] * (1 + below(i ? 4 : 20));
	}
	put_branches();
	assert_true(launch_runs(&table, &launch, 1, ROW, INDEX, &runs));
	for (id[2] = 0; id[2] < launch.grid[2] / size[2]; id[2]++)
		for (id[1] = 0; id[1] < launch.grid[1] / size[1]; id[1]++)
			for (id[0] = 0; id[0] < launch.grid[0] / size[0]; id[0]++)
				for (uint32_t first = 0; first < items; first += 64)
					take_wave(&launch, id, first, items, &runs);
	for (size_t i = 0; i < runs.size; i++)
		assert_int_equal(runs.run[i].count, 0);
	free(runs.run);
}

static void test_branches(void **state)
{
	struct launch_runs runs;
	struct proved_launch launch = {.grid = {64, 3, 1}, .group = {64, 1, 1}};

	(void)state;
	for (int i = 0; i < 200; i++)
		check_branches(i & 1);
	put_branches();
	/* No arguments; a row without branch; a circle. */
	assert_false(launch_runs(&table, &launch, 1, PROBE_ROW_NONE, 0, &runs));
	assert_false(launch_runs(&table, &launch, ROW, PROBE_ROW_NONE, 0, &runs));
	predicates[0].parent = 1;
	assert_false(launch_runs(&table, &launch, 1, PROBE_ROW_NONE, 0, &runs));
}

/* if (x < n) p[...] in a launch that nobody looks at wave by wave. */
static void test_large(void **state)
{
	const int32_t arguments[3] = {0, 0, 64 * 1000000 - 1};
	struct proved_launch launch = {
		.grid = {1 << 30, 256, 1},
		.group = {64, 1, 1},
		.arguments = (const void *)arguments,
		.argument_bytes = sizeof(arguments),
	};
	uint64_t whole = 0, part = 0;
	struct launch_runs runs;

	(void)state;
	put_branches();
	put_index();
	put(PROBE_EXPR_OF, 64, 0, 0, 0);
	put_id(0);
	put(PROBE_EXPR_ARGUMENT, 32, 0, 8, 0);
	put(PROBE_EXPR_SLT, 32, 0, 0, 0);
	assert_true(launch_runs(&table, &launch, 0, ROW, INDEX, &runs));
	for (size_t i = 0; i < runs.size; i++)
		*(runs.run[i].exec == UINT64_MAX ? &whole : &part) += runs.run[i].count;
	assert_int_equal(whole, 256 * 999999);
	assert_int_equal(part, 256);
	free(runs.run);
}

/* A table that anybody made. */
static void test_nonsense(void **state)
{
	const struct proved_launch launch = {.grid = {64, 1, 1}, .group = {64, 1, 1}};
	uint64_t places[LAUNCH_PLACES];

	(void)state;
	begin();
	end();
	assert_false(launch_places(&table, &launch, ROW, INDEX, places));
	assert_false(launch_places(&table, &launch, ROW + 2, INDEX, places));
	assert_true(launch_places(&table, &launch, ROW + 1, INDEX, places));
	assert_int_equal(places[1], 1);
	/* No arguments were told; nothing on the stack; too much; two numbers left. */
	put_index();
	assert_false(launch_places(&table, &launch, ROW, INDEX, places));
	begin();
	put(PROBE_EXPR_ADD, 64, 0, 0, 0);
	end();
	assert_false(launch_places(&table, &launch, ROW, INDEX, places));
	begin();
	for (int i = 0; i <= PROBE_EXPR_STACK; i++)
		put(PROBE_EXPR_CONSTANT, 64, 0, 0, 1);
	end();
	assert_false(launch_places(&table, &launch, ROW, INDEX, places));
	for (int code = 0; code < 256; code++) {
		begin();
		put(PROBE_EXPR_CONSTANT, 64, 0, 0, 3);
		put(PROBE_EXPR_CONSTANT, 64, 0, 0, 0);
		put((uint8_t)code, 64, 9, 1, 0);
		put(PROBE_EXPR_CONSTANT, 3, 0, 0, 0);
		end();
		assert_false(launch_places(&table, &launch, ROW, INDEX, places) &&
			     code != PROBE_EXPR_OF);
	}
}

/* ---- Lane by lane --------------------------------------------------------------------------- */

/* Takes the wave away from those that were reckoned. */
static void take_exact(struct launch_exact *exact, const struct proved_launch *launch,
		       const uint32_t id[3], uint32_t first, uint32_t items)
{
	struct launch_exact_run want = {0};
	uint64_t start = 0;

	for (uint32_t lane = 0; lane < 64 && first + lane < items; lane++) {
		uint64_t at =
			index_of(id, launch->group, first + lane, (const void *)launch->arguments);

		start = lane ? start : at;
		want.exec |= 1ull << lane;
		want.distance[lane] = (int64_t)(at - start);
	}
	for (uint32_t i = 0; i < exact->count; i++) {
		struct launch_exact_run *run = &exact->run[i];

		if (run->count && run->exec == want.exec && run->place == start % 128 &&
		    !memcmp(run->distance, want.distance, sizeof(want.distance))) {
			run->count--;
			return;
		}
	}
	fail();
}

static void check_exact(const struct proved_launch *launch)
{
	const uint32_t *size = launch->group;
	uint32_t items = size[0] * size[1] * size[2], id[3];
	struct launch_exact exact;

	table.expr_ops = 0;
	put(PROBE_EXPR_OF, 64, 0, 0, ROW);
	put_sum();
	assert_true(launch_exact(&table, launch, PROBE_ROW_NONE, ROW, false, &exact));
	for (id[2] = 0; id[2] < launch->grid[2] / size[2]; id[2]++)
		for (id[1] = 0; id[1] < launch->grid[1] / size[1]; id[1]++)
			for (id[0] = 0; id[0] < launch->grid[0] / size[0]; id[0]++)
				for (uint32_t item = 0; item < items && chosen(launch->groups, id);
				     item += 64)
					take_exact(&exact, launch, id, item, items);
	for (uint32_t i = 0; i < exact.count; i++)
		assert_int_equal(exact.run[i].count, 0);
	launch_exact_free(&exact);
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
			struct proved_launch launch = {
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
	const struct proved_launch launch = {.grid = {8, 1, 1}, .group = {8, 1, 1}};
	struct launch_exact exact;

	(void)state;
	for (int above = 3; above >= 2; above--) {
		table.expr_ops = 0;
		put(PROBE_EXPR_OF, 64, 0, 0, ROW);
		put(PROBE_EXPR_CONSTANT, 32, 0, 0, above);
		put(PROBE_EXPR_ITEM, 32, 0, 0, 0);
		put(PROBE_EXPR_ULT, 32, 0, 0, 0);
		put(PROBE_EXPR_CONSTANT, 32, 0, 0, 12);
		put(PROBE_EXPR_ITEM, 32, 0, 0, 0);
		put(PROBE_EXPR_CONSTANT, 32, 0, 0, 3);
		put(PROBE_EXPR_SUB, 32, 0, 0, 0);
		put(PROBE_EXPR_UDIV, 32, 0, 0, 0);
		put(PROBE_EXPR_CONSTANT, 32, 0, 0, 1);
		put(PROBE_EXPR_SELECT, 32, 0, 0, 0);
		assert_int_equal(launch_exact(&table, &launch, PROBE_ROW_NONE, ROW, false, &exact),
				 above == 3);
		if (above == 3) {
			assert_int_equal(exact.count, 1);
			assert_int_equal(exact.run[0].distance[3], 0);
			assert_int_equal(exact.run[0].distance[4], 11);
			assert_int_equal(exact.run[0].distance[7], 2);
			launch_exact_free(&exact);
		}
	}
}

/* x * 3, thrice, the first noted; and notes that there are not. */
static void test_notes(void **state)
{
	const struct proved_launch launch = {.grid = {8, 1, 1}, .group = {8, 1, 1}};
	struct launch_exact exact;

	(void)state;
	for (uint16_t note = 0; note <= PROBE_EXPR_NOTES; note++)
		for (uint16_t other = 0; other < 2; other++) {
			bool good = note < PROBE_EXPR_NOTES && !other;

			table.expr_ops = 0;
			put(PROBE_EXPR_OF, 64, 0, 0, ROW);
			put(PROBE_EXPR_ITEM, 32, 0, 0, 0);
			put(PROBE_EXPR_CONSTANT, 32, 0, 0, 3);
			put(PROBE_EXPR_MUL, 32, 0, 0, 0);
			put(PROBE_EXPR_KEEP, 64, note, 0, 0);
			put(PROBE_EXPR_KEPT, 64, note + other, 0, 0);
			put(PROBE_EXPR_KEPT, 64, note, 0, 0);
			put(PROBE_EXPR_ADD, 32, 0, 0, 0);
			put(PROBE_EXPR_ADD, 32, 0, 0, 0);
			assert_int_equal(
				launch_exact(&table, &launch, PROBE_ROW_NONE, ROW, false, &exact),
				good);
			if (!good)
				continue;
			assert_int_equal(exact.run[0].distance[7], 7 * 9);
			launch_exact_free(&exact);
		}
	table.expr_ops = 0;
	put(PROBE_EXPR_OF, 64, 0, 0, ROW);
	put(PROBE_EXPR_KEEP, 64, 0, 0, 0);
	assert_false(launch_exact(&table, &launch, PROBE_ROW_NONE, ROW, false, &exact));
}

/* A site beside another, which must have a calculation of its own. */
static void test_beside(void **state)
{
	const struct proved_launch launch = {.grid = {8, 1, 1}, .group = {8, 1, 1}};
	struct launch_exact exact;
	int64_t beside;

	(void)state;
	table.expr_ops = 0;
	put(PROBE_EXPR_OF, 64, 0, 0, ROW);
	put(PROBE_EXPR_BESIDE, 64, 0, ROW + 1, -20);
	put(PROBE_EXPR_OF, 64, 0, 0, ROW + 1);
	put(PROBE_EXPR_ITEM, 64, 0, 0, 0);
	assert_int_equal(launch_exact_lead(&table, ROW, &beside), ROW + 1);
	assert_int_equal(beside, -20);
	assert_int_equal(launch_exact_lead(&table, ROW + 1, &beside), ROW + 1);
	assert_int_equal(beside, 0);
	assert_int_equal(launch_exact_lead(&table, ROW + 2, &beside), ROW + 2);
	assert_false(launch_exact(&table, &launch, PROBE_ROW_NONE, ROW, false, &exact));
	assert_false(launch_exact(&table, &launch, PROBE_ROW_NONE, ROW + 2, false, &exact));
	assert_true(launch_exact(&table, &launch, PROBE_ROW_NONE, ROW + 1, false, &exact));
	launch_exact_free(&exact);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_wave), cmocka_unit_test(test_branches),
		cmocka_unit_test(test_large),	   cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_exact),	   cmocka_unit_test(test_undefined),
		cmocka_unit_test(test_beside),	   cmocka_unit_test(test_notes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
