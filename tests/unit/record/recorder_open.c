/* SPDX-License-Identifier: MIT */
/*
 * A recorder that cannot be opened is an error, also when memory runs out. One that can be knows
 * whether its process has ended.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmds/record/recorder.h"
#include "cmds/record/spool.h"
#include "common/err.h"
#include "common/process_stat.h"
#include "wire/segment_reader_file.h"

static unsigned fail_at; /* the n-th calloc() from now on; 0 = none */

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);

void *__wrap_calloc(size_t count, size_t size)
{
	return fail_at && !--fail_at ? NULL : __real_calloc(count, size);
}

static void no_spool_and_no_memory(void **state)
{
	(void)state;
	for (unsigned at = 0; at < 4; at++) {
		struct recorder *recorder = NULL;
		struct probe_err *err;
		bool absent;

		fail_at = at;
		err = recorder_open("/nowhere/x.db-spool", &recorder, &absent);
		fail_at = 0;
		assert_non_null(err);
		assert_null(recorder);
		if (at == 1)
			assert_ptr_equal(err, probe_err_oom());
		probe_err_destroy(err);
	}
}

/* Of the recorder of a process, made from its spool. */
static bool ended(pid_t pid)
{
	const struct segment_rings rings = {.count = 1, .size = 4096};
	const struct spool_settings settings = {
		.pid = pid, .start = (uint64_t)probe_process_stat(pid, PROBE_STAT_START)};
	char directory[] = "/tmp/probe-open-XXXXXX", path[64];
	struct segment_reader segment;
	struct spool spool;
	struct recorder *recorder;
	bool absent, ret;

	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/x.db-spool", directory);
	assert_null(segment_reader_create(65536, &rings, true, &segment));
	assert_null(spool_create(&spool, path, &settings, &segment));
	spool_deinit(&spool); /* as if the recorder had died */
	segment_reader_unlink(&segment);
	segment_reader_destroy(&segment);
	assert_null(recorder_open(path, &recorder, &absent));
	assert_false(absent);
	ret = recorder->ended;
	recorder_destroy(recorder);
	unlink(path);
	rmdir(directory);
	return ret;
}

static void knows_that_a_process_has_ended(void **state)
{
	pid_t child = fork();
	siginfo_t info;

	(void)state;
	if (!child)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	assert_true(ended(child)); /* it is a zombie */
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_true(ended(child));
	assert_false(ended(getpid()));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_spool_and_no_memory),
		cmocka_unit_test(knows_that_a_process_has_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
