/* SPDX-License-Identifier: MIT */
/* Regular waves, compared with every lane of every launch. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <probe/wire.h>

#include "common/regular_waves.h"

static int32_t id(const uint32_t group[3], uint32_t item, int axis)
{
	if (axis == 0)
		return (int32_t)(item % group[0]);
	if (axis == 1)
		return (int32_t)(item / group[0] % group[1]);
	return (int32_t)(item / group[0] / group[1]);
}

/* True if the lanes of all waves, full and partial, have equal offsets relative to lane 0. */
static bool alike(const uint32_t group[3])
{
	uint32_t items = group[0] * group[1] * group[2];

	for (uint32_t item = 64; item < items; item++)
		for (int axis = 0; axis < 3; axis++)
			if (id(group, item, axis) - id(group, item & ~63u, axis) !=
			    id(group, item & 63, axis))
				return false;
	return true;
}

static void check_group(const uint32_t group[3])
{
	const uint32_t grid[3] = {5 * group[0], 3 * group[1], 2 * group[2]};
	uint32_t items = group[0] * group[1] * group[2];
	uint64_t waves, exec = probe_regular_exec(grid, group, &waves);

	if (!alike(group)) {
		assert_int_equal(exec, 0);
		return;
	}
	/* It may be conservative, but not for common shapes. */
	if (!exec) {
		assert_true(group[2] > 1 || 64 % group[0]);
		return;
	}
	assert_true(exec == (items < 64 ? (1ull << items) - 1 : ~0ull));
	assert_int_equal(waves, 30 * (items < 64 ? 1 : items / 64));
}

static void test_regular(void **state)
{
	(void)state;
	for (uint32_t x = 1; x <= 256; x++)
		for (uint32_t y = 1; x * y <= 1024 && y <= 96; y++)
			for (uint32_t z = 1; x * y * z <= 1024 && z <= 16; z++)
				check_group((const uint32_t[3]){x, y, z});
}

static void test_cut_off(void **state)
{
	const uint32_t group[3] = {16, 8, 1}, grid[3] = {24, 8, 1};
	uint64_t waves = 1;

	(void)state;
	assert_int_equal(probe_regular_exec(grid, group, &waves), 0);
	assert_int_equal(waves, 0);
}

/* Proofs rely on it that work-items and groups are not too many. */
static void test_too_large(void **state)
{
	const uint32_t group[3] = {1024, 1, 1};
	uint64_t waves;

	(void)state;
	assert_true(probe_regular_exec((const uint32_t[3]){1u << 29, 1, 1}, group, &waves));
	assert_false(
		probe_regular_exec((const uint32_t[3]){(1u << 29) + 1024, 1, 1}, group, &waves));
	assert_false(
		probe_regular_exec((const uint32_t[3]){1024, (1u << 20) + 1, 1}, group, &waves));
}

/* Whole workgroups of any shape, and so many waves: short ones count. */
static void test_launch_enumerable(void **state)
{
	const uint32_t most = PROBE_ENUMERATED_WAVES;
	const struct {
		uint32_t grid[3], group[3];
		bool want;
	} cases[] = {
		{{64, 1, 1}, {64, 1, 1}, true},
		{{65, 1, 1}, {64, 1, 1}, false},
		{{30, 20, 9}, {10, 10, 3}, true},
		{{64 * most, 1, 1}, {64, 1, 1}, true},
		{{64 * most + 64, 1, 1}, {64, 1, 1}, false},
		{{65 * most, 1, 1}, {65, 1, 1}, false},
		{{65 * (most / 2), 1, 1}, {65, 1, 1}, true},
		{{1u << 31, 1u << 31, 1u << 31}, {1, 1, 1}, false},
		{{2048, 1, 1}, {2048, 1, 1}, false},
		{{64, 64, 1}, {64, 64, 1}, false},
		{{64, 0, 1}, {64, 0, 1}, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(probe_launch_enumerable(cases[i].grid, cases[i].group),
				 cases[i].want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_regular),
		cmocka_unit_test(test_cut_off),
		cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_launch_enumerable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
