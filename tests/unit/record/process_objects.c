/* SPDX-License-Identifier: MIT */
/* Kernels of code objects that were loaded twice, and the work for many kernels: comparisons are
 * counted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmds/record/process_objects.h"

enum { KERNELS = 8192, CODES = 3 };

static unsigned long comparisons;

int __real_strcmp(const char *a, const char *b);
int __wrap_strcmp(const char *a, const char *b);

int __wrap_strcmp(const char *a, const char *b)
{
	comparisons++;
	return __real_strcmp(a, b);
}

/* Codes 1 and 2 have the same bytes. */
static void add_code(struct process_objects *objects, uint32_t id)
{
	struct run_code *code = calloc(1, sizeof(*code));

	assert_non_null(code);
	code->hr.id = id;
	code->sites = calloc(1, sizeof(*code->sites));
	strcpy(code->hash, id < CODES ? "aa" : "bb");
	assert_true(run_table_put(&objects->codes, id, code));
}

static void add_kernel(struct process_objects *objects, uint32_t code, uint32_t number)
{
	struct run_kernel *kernel = calloc(1, sizeof(*kernel));
	char symbol[40];

	assert_non_null(kernel);
	kernel->hr.id = 1 + (code - 1) * KERNELS + number;
	kernel->hr.code_object = code;
	snprintf(symbol, sizeof(symbol), "kernel%u", number);
	kernel->symbol = strdup(symbol);
	assert_true(run_table_put(&objects->kernels, kernel->hr.id, kernel));
}

static void test_known(void **state)
{
	static struct process_objects objects;

	(void)state;
	process_objects_init(&objects, 1);
	for (uint32_t code = 1; code <= CODES; code++) {
		add_code(&objects, code);
		for (uint32_t i = 0; i < KERNELS; i++)
			add_kernel(&objects, code, i);
	}
	for (uint32_t id = 1; id <= CODES * KERNELS; id++) {
		struct run_dispatch dispatch = {.hr = {.id = id, .kernel = id, .launched = id}};
		uint32_t number = (id - 1) % KERNELS, code = (id - 1) / KERNELS + 1;
		uint32_t first = code == 2 ? 1 : code;

		run_dispatch_info(&objects, &dispatch);
		assert_int_equal(dispatch.info.code_object, first);
		assert_int_equal(dispatch.info.kernel_id, 1 + (first - 1) * KERNELS + number);
	}
	/* A search through all of them makes KERNELS / 2 for each. */
	assert_true(comparisons < 32ul * CODES * KERNELS);
	process_objects_deinit(&objects);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_known)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
