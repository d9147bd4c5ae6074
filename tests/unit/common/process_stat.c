/* SPDX-License-Identifier: MIT */
/* The fields of a process whose name looks like more fields. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/process_stat.h"

static void own_fields(void **state)
{
	const pid_t pids[] = {0, getpid()};

	(void)state;
	assert_int_equal(prctl(PR_SET_NAME, "a) Z (7 8"), 0);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(probe_process_stat(pids[i], PROBE_STAT_STATE), 'R');
		assert_int_equal(probe_process_stat(pids[i], PROBE_STAT_PARENT), getppid());
		assert_int_equal(probe_process_stat(pids[i], PROBE_STAT_GROUP), getpgrp());
		assert_int_equal(probe_process_stat(pids[i], PROBE_STAT_SESSION), getsid(0));
	}
	assert_true(probe_process_stat(0, PROBE_STAT_START) > 0);
}

static void no_process(void **state)
{
	(void)state;
	assert_int_equal(probe_process_stat(0x7fffffff, PROBE_STAT_STATE), 0);
	assert_int_equal(probe_process_stat(0x7fffffff, PROBE_STAT_START), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_fields),
		cmocka_unit_test(no_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
