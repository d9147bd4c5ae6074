/* SPDX-License-Identifier: MIT */
/* Rows of the count kind: waves of launches of many shapes against each work-item; rows by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "codeobj/sites.h"
#include "model/block_counts.h"

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Workgroup by workgroup, item by item: a wave is begun with each `lanes`-th. */
static void count_launch(const uint32_t grid[3], const uint32_t group[3], uint32_t lanes,
			 uint64_t *ret_waves, uint64_t *ret_lanes)
{
	*ret_waves = *ret_lanes = 0;
	for (uint32_t z = 0; z < grid[2]; z += group[2])
		for (uint32_t y = 0; y < grid[1]; y += group[1])
			for (uint32_t x = 0; x < grid[0]; x += group[0]) {
				uint32_t items = least(group[0], grid[0] - x) *
						 least(group[1], grid[1] - y) *
						 least(group[2], grid[2] - z);

				for (uint32_t item = 0; item < items; item++)
					*ret_waves += item % lanes == 0;
				*ret_lanes += items;
			}
}

static void test_launch(void **state)
{
	(void)state;
	for (uint32_t shape = 0; shape < 4096; shape++) {
		const uint32_t group[3] = {1 + shape % 16 * 7, 1 + shape / 16 % 4 * 3,
					   1 + shape / 64 % 2};
		const uint32_t grid[3] = {1 + shape / 128 % 8 * 31, 1 + shape / 1024 * 5, 3};

		for (uint32_t lanes = 32; lanes <= 64; lanes += 32) {
			uint64_t waves, items, want_waves, want_items;
			struct model_launch launch = {.lanes = lanes};

			memcpy(launch.grid, grid, sizeof(grid));
			memcpy(launch.group, group, sizeof(group));
			launch_count_waves(&launch, &waves, &items);
			count_launch(grid, group, lanes, &want_waves, &want_items);
			assert_int_equal(waves, want_waves);
			assert_int_equal(items, want_items);
		}
	}
}

/* Row 0 is the kernel's body, row 1 what is behind a branch in it. */
static void test_rows(void **state)
{
	static struct probe_site sites[] = {{.owner = 1, .access = PROBE_ACCESS_BLOCK},
					    {.owner = 1, .access = PROBE_ACCESS_BLOCK}};
	static struct site_block blocks[] = {
		{.row = 0, .complement = 1, .parent = DERIVED_NONE},
		{.row = 1, .complement = 1, .parent = 0},
	};
	static char strings[] = "\0kernel";
	static struct probe_site_kernel kernel = {.name = 1, .site_count = 2};
	static const struct probe_sites table = {
		.site_count = 2,
		.kernel_count = 1,
		.sites = sites,
		.blocks = blocks,
		.block_count = 2,
		.kernels = &kernel,
		.strings = strings,
		.strings_size = sizeof(strings),
	};
	/* 3 waves and 50 lanes did not come. */
	const struct probe_counter_row raw = {
		.site = 1, .value = {[PROBE_C_EXECUTIONS] = 3, [PROBE_C_LANES] = 50}};
	struct model_launch launch = {
		.kernel = "kernel", .grid = {1000, 1, 1}, .group = {100, 1, 1}};
	struct derived_rows rows;

	(void)state;
	for (uint32_t lanes = 32; lanes <= 64; lanes += 32) {
		uint64_t waves = lanes == 32 ? 40 : 20;

		launch.lanes = lanes;
		assert_true(block_counts_make(&table, &launch, &raw, 1, &rows));
		assert_int_equal(rows.count, 2);
		assert_int_equal(rows.lost, 0);
		assert_int_equal(rows.row[0].value[PROBE_C_EXECUTIONS], waves);
		assert_int_equal(rows.row[0].value[PROBE_C_LANES], 1000);
		assert_int_equal(rows.row[1].value[PROBE_C_EXECUTIONS], waves - 3);
		assert_int_equal(rows.row[1].value[PROBE_C_LANES], 950);
		free(rows.row);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_launch),
					   cmocka_unit_test(test_rows)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
