/* SPDX-License-Identifier: MIT */
/* Why a kernel has no clone, by site tables as the pass writes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "codeobj/sites.h"
#include "cmds/record/unprobed_kernels.h"

static char strings[] = "\0copy\0left\0copy2";
static struct probe_site_kernel kernels[] = {
	{.name = 1, .kinds = 1u << PROBE_KIND_MEMORY, .site_count = 2},
	{.name = 6},
};
static struct probe_sites table = {
	.kernels = kernels,
	.kernel_count = 2,
	.strings = strings,
	.strings_size = sizeof(strings),
};

static void check(const struct probe_sites *sites, const char *symbol, enum probe_kind wanted,
		  enum run_unprobed reason, uint32_t wanted_kinds)
{
	uint32_t kinds = 0;

	assert_int_equal(run_unprobed_reason(sites, symbol, wanted, &kinds), reason);
	assert_int_equal(kinds, wanted_kinds);
}

static void test_reasons(void **state)
{
	uint32_t memory = 1u << PROBE_KIND_MEMORY;

	(void)state;
	check(NULL, "copy", PROBE_KIND_MEMORY, RUN_UNPROBED_PLAIN, 0);
	check(NULL, "__amd_rocclr_fillBufferAligned.kd", PROBE_KIND_MEMORY, RUN_UNPROBED_RUNTIME,
	      0);
	check(&table, "other", PROBE_KIND_MEMORY, RUN_UNPROBED_PLAIN, 0);
	check(&table, "copy2", PROBE_KIND_TRACE, RUN_UNPROBED_PLAIN, 0);
	check(&table, "copy", PROBE_KIND_TRACE, RUN_UNPROBED_KIND, memory);
	check(&table, "copy.kd", PROBE_KIND_TIME, RUN_UNPROBED_KIND, memory);
	check(&table, "left", PROBE_KIND_TRACE, RUN_UNPROBED_KIND, memory);
	check(&table, "left", PROBE_KIND_MEMORY, RUN_UNPROBED_EMPTY, 0);
	kernels[0].kinds = 0;
	check(&table, "copy.kd", PROBE_KIND_TRACE, RUN_UNPROBED_EMPTY, 0);
	kernels[0].kinds = memory;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_reasons)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
