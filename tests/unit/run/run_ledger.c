/* SPDX-License-Identifier: MIT */
/* What a run knows of its processes, in memory that is limited. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cmds/run/run_ledger.h"

static void entries_in_order(void **state)
{
	struct run_ledger *ledger = run_ledger_create();
	struct ledger_entry *first, *second, *third;

	(void)state;
	assert_null(run_ledger_next(ledger, NULL));
	first = run_ledger_add(ledger, 1, "/x/a.db");
	second = run_ledger_add(ledger, 2, "b.db");
	third = run_ledger_add(ledger, 1, "/x/a-2.db");
	assert_ptr_equal(run_ledger_next(ledger, NULL), first);
	assert_ptr_equal(run_ledger_next(ledger, first), second);
	assert_ptr_equal(run_ledger_next(ledger, second), third);
	assert_null(run_ledger_next(ledger, third));
	assert_string_equal(second->path, "b.db");
	assert_int_equal(second->pid, 2);
	assert_int_equal(third->state, LEDGER_OPEN);
	assert_string_equal(run_ledger_summary(ledger, third), "");

	/* Only those whose recording has ended. */
	assert_null(run_ledger_ended(ledger, NULL));
	third->state = LEDGER_FAILED;
	second->state = LEDGER_DISCARDED;
	first->state = LEDGER_COMPLETE;
	assert_ptr_equal(run_ledger_ended(ledger, NULL), first);
	assert_ptr_equal(run_ledger_ended(ledger, first), third);
	assert_null(run_ledger_ended(ledger, third));
	run_ledger_destroy(ledger);
	run_ledger_destroy(NULL);
}

/* No more can be added; what there is stays. */
static void full(void **state)
{
	struct run_ledger *ledger = run_ledger_create();
	const struct ledger_entry *entry = NULL;
	static char path[4000];
	unsigned added = 0, found = 0;

	(void)state;
	memset(path, 'x', sizeof(path) - 1);
	while (added < 1000000 && run_ledger_add(ledger, (pid_t)added, path))
		added++;
	assert_in_range(added, 10000, 20000);
	while ((entry = run_ledger_next(ledger, entry))) {
		assert_int_equal(entry->pid, found++);
		assert_int_equal(strlen(entry->path), sizeof(path) - 1);
	}
	assert_int_equal(found, added);
	run_ledger_destroy(ledger);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_in_order),
		cmocka_unit_test(full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
