/* SPDX-License-Identifier: MIT */
/* Kernels by the address of their descriptor: growth, removal, an address used again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "hsa-plugin/code/kernel_table.h"

enum { KERNELS = 5000 };

static void kernels_come_and_go(void **state)
{
	static struct probe_kernel kernels[KERNELS], again;

	(void)state;
	assert_null(probe_kernel_table_find(0x1000));
	for (uint64_t i = 0; i < KERNELS; i++) {
		kernels[i].object = 0x7f0000000000 + i * 64;
		assert_int_equal(probe_kernel_table_add(&kernels[i]), 0);
	}
	for (uint64_t i = 0; i < KERNELS; i++)
		assert_ptr_equal(probe_kernel_table_find(0x7f0000000000 + i * 64), &kernels[i]);
	assert_null(probe_kernel_table_find(0x7f0000000000 + KERNELS * 64));
	assert_null(probe_kernel_table_find(0));
	for (uint64_t i = 0; i < KERNELS; i += 2)
		probe_kernel_table_remove(&kernels[i]);
	for (uint64_t i = 0; i < KERNELS; i++)
		assert_ptr_equal(probe_kernel_table_find(0x7f0000000000 + i * 64),
				 i % 2 ? &kernels[i] : NULL);
	/* an address loaded anew before its old kernel leaves */
	again.object = kernels[1].object;
	assert_int_equal(probe_kernel_table_add(&again), 0);
	probe_kernel_table_remove(&kernels[1]);
	assert_ptr_equal(probe_kernel_table_find(again.object), &again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_come_and_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
