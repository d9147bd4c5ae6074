/* SPDX-License-Identifier: MIT */
/* Waves by registers against the table of AMD's "GPU Hardware resources" for CDNA 2 and Vega. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hsa-plugin/launch/occupancy.h"

static void test_waves(void **state)
{
	static const struct {
		const char *target;
		uint32_t vgprs, agprs, waves;
	} rows[] = {
		{"gfx90a", 64, 0, 8},  {"gfx90a", 65, 0, 7},  {"gfx90a", 72, 0, 7},
		{"gfx90a", 80, 0, 6},  {"gfx90a", 96, 0, 5},  {"gfx90a", 128, 0, 4},
		{"gfx90a", 168, 0, 3}, {"gfx90a", 256, 0, 2}, {"gfx90a", 512, 256, 1},
		{"gfx942", 64, 32, 8}, {"gfx906", 24, 0, 10}, {"gfx906", 25, 0, 9},
		{"gfx906", 64, 0, 4},  {"gfx906", 256, 0, 1}, {"gfx908", 32, 128, 2},
		{"gfx1030", 16, 0, 0}, {"gfx90a", 0, 0, 8},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(
			probe_occupancy_waves(rows[i].target, rows[i].vgprs, rows[i].agprs),
			rows[i].waves);
}

static void test_keeps(void **state)
{
	struct probe_occupancy_launch launch = {
		.target = "gfx90a",
		.vgprs = 60,
		.clone_vgprs = 64,
		.lds_max = 65536,
		.compute_units = 104,
		.items = 256,
		.groups = 104 * 8,
	};

	(void)state;
	assert_true(probe_occupancy_keeps(&launch));
	/* 7 waves in each of four SIMDs: seven workgroups of four waves. */
	launch.clone_vgprs = 72;
	assert_false(probe_occupancy_keeps(&launch));
	launch.groups = 104 * 7;
	assert_true(probe_occupancy_keeps(&launch));
	launch.group_size = 10 << 10; /* six of them have LDS */
	assert_false(probe_occupancy_keeps(&launch));
	launch.groups = 104 * 6;
	assert_true(probe_occupancy_keeps(&launch));
	launch.target = "gfx1100";
	assert_false(probe_occupancy_keeps(&launch));
	launch.clone_vgprs = 60;
	assert_true(probe_occupancy_keeps(&launch));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waves),
		cmocka_unit_test(test_keeps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
