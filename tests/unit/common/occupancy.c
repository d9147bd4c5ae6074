/* SPDX-License-Identifier: MIT */
/*
 * Waves by registers against the table of AMD's "GPU Hardware resources" for CDNA 2 and Vega;
 * whole workgroups and LDS by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/occupancy.h"

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

static void test_limits(void **state)
{
	static const struct {
		struct probe_occupancy_kernel kernel;
		struct probe_occupancy occupancy;
	} rows[] = {
		/* Nothing is short. */
		{{"gfx90a:xnack-", 64, 0, 32, 0, 256}, {32, 32, PROBE_LIMIT_SLOTS, 0, 0}},
		/* 8 granules more: seven waves a SIMD, 28 waves are 7 workgroups of 4. */
		{{"gfx90a", 65, 0, 32, 0, 256}, {28, 32, PROBE_LIMIT_VGPRS, 64, 32}},
		/* The same with workgroups of 16 waves: only one fits, of which 12 slots are lost.
		 */
		{{"gfx90a", 65, 0, 32, 0, 1024}, {16, 32, PROBE_LIMIT_VGPRS, 64, 32}},
		{{"gfx90a", 128, 64, 32, 0, 256}, {16, 32, PROBE_LIMIT_VGPRS, 96, 20}},
		/* A fifth wave of each SIMD comes with one more workgroup. */
		{{"gfx90a", 101, 0, 32, 0, 64}, {16, 32, PROBE_LIMIT_VGPRS, 96, 20}},
		/* 33,000 B are 65 granules of 512: one workgroup; two would need 32,768 B. */
		{{"gfx90a", 32, 0, 32, 33000, 256}, {4, 32, PROBE_LIMIT_LDS, 32768, 8}},
		{{"gfx950", 32, 0, 32, 33000, 256}, {16, 32, PROBE_LIMIT_LDS, 32768, 20}},
		{{"gfx90a", 32, 0, 32, 8192, 64}, {8, 32, PROBE_LIMIT_LDS, 7168, 9}},
		/* 800 / 112 = 7 waves. */
		{{"gfx90a", 32, 0, 102, 0, 64}, {28, 32, PROBE_LIMIT_SGPRS, 96, 32}},
		{{"gfx906", 24, 0, 80, 0, 64}, {40, 40, PROBE_LIMIT_SLOTS, 0, 0}},
		/* 16 workgroups of two waves: no more barriers. */
		{{"gfx906", 24, 0, 80, 0, 128}, {32, 40, PROBE_LIMIT_SLOTS, 0, 0}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct probe_occupancy got;

		assert_true(probe_occupancy_of(&rows[i].kernel, &got));
		assert_int_equal(got.waves, rows[i].occupancy.waves);
		assert_int_equal(got.waves_max, rows[i].occupancy.waves_max);
		assert_int_equal(got.limit, rows[i].occupancy.limit);
		assert_int_equal(got.waves_next, rows[i].occupancy.waves_next);
		assert_int_equal(got.value_next, rows[i].occupancy.value_next);
	}
}

/* What is advised is enough, and one granule more is not. */
static void test_advice(void **state)
{
	(void)state;
	for (uint32_t vgprs = 1; vgprs <= 512; vgprs++)
		for (uint32_t items = 64; items <= 1024; items *= 2) {
			struct probe_occupancy_kernel kernel = {"gfx90a", vgprs, 0, 16, 0, items};
			struct probe_occupancy before, after;

			assert_true(probe_occupancy_of(&kernel, &before));
			if (before.limit != PROBE_LIMIT_VGPRS || !before.value_next)
				continue;
			kernel.vgprs = before.value_next;
			assert_true(probe_occupancy_of(&kernel, &after));
			assert_int_equal(after.waves, before.waves_next);
			kernel.vgprs += 8;
			assert_true(probe_occupancy_of(&kernel, &after));
			assert_true(after.waves < before.waves_next);
		}
}

static void test_unknown(void **state)
{
	struct probe_occupancy_kernel kernel = {"gfx1030", 8, 0, 8, 0, 64};
	struct probe_occupancy got;

	(void)state;
	assert_false(probe_occupancy_of(&kernel, &got));
	kernel.target = "gfx90a";
	kernel.items = 0;
	assert_false(probe_occupancy_of(&kernel, &got));
}

/*
 * 1,024 work-items are 16 waves, four of which share the 512 registers of a SIMD. The first number
 * includes the second.
 */
static void test_holds(void **state)
{
	(void)state;
	assert_true(probe_occupancy_holds("gfx90a:xnack-", 128, 0, 1024));
	assert_false(probe_occupancy_holds("gfx90a:xnack-", 132, 4, 1024));
	assert_true(probe_occupancy_holds("gfx90a:xnack-", 132, 4, 768));
	assert_true(probe_occupancy_holds("gfx90a:xnack-", 512, 256, 256));
	assert_true(probe_occupancy_holds("gfx1030", 256, 0, 1024));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waves),  cmocka_unit_test(test_limits),
		cmocka_unit_test(test_advice), cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_holds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
