/* SPDX-License-Identifier: MIT */
/* Limits of control groups of both versions, and of the groups that contain them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmds/run/process_limit.h"

static char root[] = "/tmp/probe-groups-XXXXXX";

static void put(const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void folder(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", root, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static uint64_t left(const char *groups)
{
	char path[128];

	put("self", groups);
	snprintf(path, sizeof(path), "%s/self", root);
	return run_processes_left(path, root);
}

static void limits(void **state)
{
	char command[64];

	(void)state;
	assert_non_null(mkdtemp(root));
	folder("pids");
	folder("pids/job");
	folder("slice");
	folder("slice/job");
	put("pids/job/pids.max", "20\n");
	put("pids/job/pids.current", "5\n");
	put("slice/job/pids.max", "max\n");
	put("slice/job/pids.current", "1\n");
	put("slice/pids.max", "9\n");
	put("slice/pids.current", "10\n");
	assert_true(left("3:cpu:/job\n12:pids:/job\n0::/\n") == 15);
	assert_true(left("0::/slice/job\n") == 0);
	assert_true(left("12:pids:/job\n0::/slice/job\n") == 0);
	assert_true(left("12:pids:/\n0::/\n") == UINT64_MAX);
	assert_true(left("12:pids:/elsewhere/job\n") == UINT64_MAX);
	assert_true(left("") == UINT64_MAX);
	assert_true(run_processes_left("/nowhere", root) == UINT64_MAX);
	snprintf(command, sizeof(command), "rm -r %s", root);
	assert_int_equal(system(command), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
