/* SPDX-License-Identifier: MIT */
/* Cooperative kernels, whose workgroups must all be resident at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "hsa-plugin/launch/cooperative_fit.h"

static void test_keeps(void **state)
{
	struct probe_cooperative_launch launch = {
		.target = "gfx90a",
		.vgprs = 60,
		.clone_vgprs = 64,
		.lds_max = 65536,
		.compute_units = 104,
		.items = 256,
		.groups = 104 * 8,
	};

	(void)state;
	assert_true(probe_cooperative_fits(&launch));
	/* 7 waves in each of four SIMDs: seven workgroups of four waves. */
	launch.clone_vgprs = 72;
	assert_false(probe_cooperative_fits(&launch));
	launch.groups = 104 * 7;
	assert_true(probe_cooperative_fits(&launch));
	launch.group_size = 10 << 10; /* six of them have LDS */
	assert_false(probe_cooperative_fits(&launch));
	launch.groups = 104 * 6;
	assert_true(probe_cooperative_fits(&launch));
	launch.target = "gfx1100";
	assert_false(probe_cooperative_fits(&launch));
	launch.clone_vgprs = 60;
	assert_true(probe_cooperative_fits(&launch));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keeps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
