/* SPDX-License-Identifier: MIT */
/* Verdicts of a code object's kernels when it is loaded: clones, filters, arguments, sites. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <probe/wire.h>

#include "hsa-plugin/code/kernel_verdict.h"

static void clone_names(void **state)
{
	uint32_t kind = 0;

	(void)state;
	assert_string_equal(probe_clone_of("__probe_memory__Z3fooPf", &kind), "_Z3fooPf");
	assert_int_equal(kind, PROBE_KIND_MEMORY);
	assert_string_equal(probe_clone_of("__probe_trace_foo", &kind), "foo");
	assert_int_equal(kind, PROBE_KIND_TRACE);
	assert_null(probe_clone_of("__probe_other_foo", &kind));
	assert_null(probe_clone_of("__probe_memory_", &kind));
	assert_null(probe_clone_of("foo", &kind));
}

/* ---- A code object: kernels a and b, clones of a --------------------------------------------- */

enum { A, B, A_MEMORY, A_TRACE, KERNELS };

static struct probe_arg arguments[] = {
	{PROBE_ARG_EXPLICIT, 0, 8},
	{PROBE_ARG_EXPLICIT, 8, 8},
};

static const struct {
	struct probe_sites_header header;
	struct probe_site_kernel kernel;
	char strings[4];
} sites = {
	.header = {.magic = PROBE_SITES_MAGIC,
		   .version = PROBE_SITES_VERSION,
		   .header_size = sizeof(sites.header),
		   .total_size = sizeof(sites),
		   .site_count = 12,
		   .kernel_count = 1,
		   .kernels_offset = offsetof(__typeof__(sites), kernel),
		   .strings_offset = offsetof(__typeof__(sites), strings),
		   .strings_size = 4},
	.kernel = {.name = 1, .first_site = 4, .site_count = 8},
	.strings = {0, 'a', 0, 0},
};

struct code_object {
	struct probe_config config;
	struct probe_kernel_meta metas[KERNELS];
	struct probe_kernel kernels[KERNELS];
	struct probe_kernel_row rows[KERNELS];
	struct probe_site_table sites;
};

static void init(struct code_object *object)
{
	static char *const names[] = {"a", "b", "__probe_memory_a", "__probe_trace_a"};

	*object = (struct code_object){
		.config.kind = PROBE_KIND_MEMORY,
		.sites = {(const uint8_t *)&sites, sizeof(sites)},
	};
	for (int i = 0; i < KERNELS; i++) {
		bool clone = i >= A_MEMORY;

		object->metas[i] = (struct probe_kernel_meta){
			.symbol = names[i],
			.kernarg_size = clone ? 16 : 8,
			.arg_count = clone ? 2 : 1,
			.args = arguments,
		};
		object->rows[i].meta = &object->metas[i];
		object->rows[i].kernel = &object->kernels[i];
	}
}

/* The verdict of kernel a. */
static uint32_t verdict(struct code_object *object)
{
	struct probe_image none = {0};
	uint32_t ret;

	probe_kernels_decide(&object->config, "file:///opt/libkernels.so", object->rows, KERNELS,
			     &object->sites, &none);
	ret = object->kernels[A].verdict;
	free(object->kernels[A].plan);
	object->kernels[A].plan = NULL;
	return ret;
}

static void clone_of_the_kind_is_found(void **state)
{
	struct code_object object;

	(void)state;
	init(&object);
	assert_int_equal(verdict(&object), PROBE_V_SWAPPED);
	assert_ptr_equal(object.kernels[A].clone, &object.kernels[A_MEMORY]);
	assert_int_equal(object.kernels[A].site_first, 4);
	assert_int_equal(object.kernels[A].site_count, 8);
	assert_int_equal(object.kernels[B].verdict, PROBE_V_NO_CLONE);
	/* Clones that the application dispatches itself run unchanged. */
	assert_int_equal(object.kernels[A_MEMORY].verdict, PROBE_V_NO_CLONE);
	assert_int_equal(object.kernels[A_TRACE].kind, PROBE_KIND_TRACE);
	for (int i = 0; i < KERNELS; i++)
		if (object.rows[i].kernel == &object.kernels[A_TRACE])
			assert_ptr_equal(object.rows[i].original, &object.kernels[A]);
	init(&object);
	object.config.kind = PROBE_KIND_TIME;
	assert_int_equal(verdict(&object), PROBE_V_NO_CLONE);
	object.config.kind = PROBE_KIND_NONE;
	assert_int_equal(verdict(&object), PROBE_V_OFF);
}

static void filters_come_first(void **state)
{
	struct code_object object;

	(void)state;
	init(&object);
	object.config.library_exclude = "*kernels*";
	assert_int_equal(verdict(&object), PROBE_V_LIBRARY);
	object.config.library_exclude = NULL;
	assert_int_equal(regcomp(&object.config.exclude, "^[ab]$", REG_EXTENDED | REG_NOSUB), 0);
	object.config.exclude_set = true;
	assert_int_equal(verdict(&object), PROBE_V_FILTERED);
	assert_int_equal(object.kernels[B].verdict, PROBE_V_FILTERED);
	regfree(&object.config.exclude);
	object.config.exclude_set = false;
	/* A filter that could not be read lets nothing pass. */
	object.config.broken = true;
	assert_int_equal(verdict(&object), PROBE_V_FILTERED);
}

static void unusable_metadata_is_refused(void **state)
{
	struct code_object object;

	(void)state;
	init(&object);
	object.sites = (struct probe_site_table){0};
	assert_int_equal(verdict(&object), PROBE_V_METADATA);
	/* The clone has no argument for the context. */
	init(&object);
	object.metas[A_MEMORY].arg_count = 1;
	assert_int_equal(verdict(&object), PROBE_V_METADATA);
	/* The compiler guessed the stack, and there is no code that could be read. */
	init(&object);
	object.metas[A].dynamic_stack = true;
	assert_int_equal(verdict(&object), PROBE_V_RECURSION);
	assert_null(object.kernels[A].clone);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clone_names),
		cmocka_unit_test(clone_of_the_kind_is_found),
		cmocka_unit_test(filters_come_first),
		cmocka_unit_test(unusable_metadata_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
