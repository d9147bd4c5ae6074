/* SPDX-License-Identifier: MIT */
/* A recorder that cannot be opened is an error, also when memory runs out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "cmds/record/recorder.h"
#include "common/err.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_spool_and_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
