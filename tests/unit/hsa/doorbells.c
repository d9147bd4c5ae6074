/* SPDX-License-Identifier: MIT */
/* Queues by the signal of their doorbell: a full table, a signal used again. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "hsa-plugin/queue/doorbells.h"

static void doorbells_come_and_go(void **state)
{
	struct probe_queue *queue = (struct probe_queue *)0x10;
	int err;

	(void)state;
	assert_null(probe_doorbell_find(0x4000));
	for (uint64_t i = 1; i <= 2048; i++)
		assert_int_equal(probe_doorbell_add(i * 64, queue), 0);
	err = probe_doorbell_add(4096 * 64, queue);
	assert_int_equal(err, -ENOSPC);
	assert_null(probe_doorbell_find(4096 * 64));
	for (uint64_t i = 1; i <= 2048; i++) {
		assert_ptr_equal(probe_doorbell_find(i * 64), queue);
		probe_doorbell_remove(i * 64);
		assert_null(probe_doorbell_find(i * 64));
	}
	/* a signal at an old address */
	assert_int_equal(probe_doorbell_add(64, queue), 0);
	assert_ptr_equal(probe_doorbell_find(64), queue);
	probe_doorbell_remove(64);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(doorbells_come_and_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
