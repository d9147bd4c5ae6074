/* SPDX-License-Identifier: MIT */
/* The configuration in the environment: kinds, name filters, dispatches. */
#include <setjmp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <probe/wire.h>

#include "hsa-plugin/code/filters.h"

static void libraries(void **state)
{
	static const char app[] = "file:///opt/a%20b/app#offset=4096&size=100",
			  blas[] = "file:///opt/lib/librocblas.so.0#offset=1&size=2";
	static const struct {
		const char *include, *exclude, *uri;
		bool wanted;
	} cases[] = {
		{NULL, NULL, app, true},
		{"app", NULL, app, true},
		{"app", NULL, blas, false},
		{"app", NULL, "memory://77#offset=1&size=2", false},
		{"memory", NULL, "memory://77#offset=1&size=2", true},
		{NULL, "librocblas*", blas, false},
		{NULL, "librocblas*", app, true},
		{"/opt/a b/*", NULL, app, true},
		{"/opt/*", "*blas*", blas, false},
		{"/opt/*", "*blas*", app, true},
		{"none\n*blas.so*", NULL, blas, true},
		{"none\n*blas.so*", NULL, app, false},
		{"*", "librocblas.so.0\napp", app, false},
	};
	struct probe_config config = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		config.library_include = (char *)cases[i].include;
		config.library_exclude = (char *)cases[i].exclude;
		assert_int_equal(probe_config_wants_library(&config, cases[i].uri),
				 cases[i].wanted);
	}
}

static const char *const names[] = {
	"PROBE_SOCKET",		"PROBE_KIND",		"PROBE_INSTRUMENTED", "PROBE_WHEN_FULL",
	"PROBE_KERNEL_INCLUDE", "PROBE_KERNEL_EXCLUDE", "PROBE_DISPATCHES"};

static void clear(void)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unsetenv(names[i]);
}

static void environment(void **state)
{
	struct probe_config config;
	char text[200];

	(void)state;
	clear();
	assert_false(probe_config_read(&config));
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	setenv("PROBE_SOCKET", text, 1);
	assert_false(probe_config_read(&config));
	setenv("PROBE_SOCKET", "@name", 1);
	assert_true(probe_config_read(&config));
	assert_string_equal(config.socket, "@name");
	assert_int_equal(config.kind, PROBE_KIND_MEMORY);
	assert_int_equal(config.full.action, PROBE_FULL_BLOCK);
	assert_true(probe_config_wants(&config, "anything(int)"));
	setenv("PROBE_KIND", "trace", 1);
	setenv("PROBE_WHEN_FULL", "drop", 1);
	assert_true(probe_config_read(&config));
	assert_int_equal(config.kind, PROBE_KIND_TRACE);
	assert_int_equal(config.full.action, PROBE_FULL_DROP);
	setenv("PROBE_INSTRUMENTED", "0", 1);
	assert_true(probe_config_read(&config));
	assert_int_equal(config.kind, PROBE_KIND_NONE);
}

static void kernel_names(void **state)
{
	struct probe_config config;

	(void)state;
	clear();
	setenv("PROBE_SOCKET", "x", 1);
	setenv("PROBE_KERNEL_INCLUDE", "^transpose_(lds|naive)", 1);
	setenv("PROBE_KERNEL_EXCLUDE", "naive|<33>", 1);
	assert_true(probe_config_read(&config));
	assert_true(probe_config_wants(&config, "transpose_lds<32>(float*)"));
	assert_false(probe_config_wants(&config, "transpose_lds<33>(float*)"));
	assert_false(probe_config_wants(&config, "transpose_naive(float*)"));
	assert_false(probe_config_wants(&config, "my_transpose_lds"));
}

/* A malformed filter must not instrument everything. */
static void broken_filters_pass_nothing(void **state)
{
	static const char *const broken[][2] = {{"PROBE_KERNEL_INCLUDE", "("},
						{"PROBE_KERNEL_EXCLUDE", "["},
						{"PROBE_KIND", "everything"},
						{"PROBE_DISPATCHES", "often"}};
	struct probe_config config;

	(void)state;
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		clear();
		setenv("PROBE_SOCKET", "x", 1);
		setenv(broken[i][0], broken[i][1], 1);
		assert_true(probe_config_read(&config));
		assert_false(probe_config_wants(&config, "kernel"));
	}
	clear();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(libraries),
		cmocka_unit_test(environment),
		cmocka_unit_test(kernel_names),
		cmocka_unit_test(broken_filters_pass_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
