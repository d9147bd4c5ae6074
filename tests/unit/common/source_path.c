/* SPDX-License-Identifier: MIT */
#include "common/source_path.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <setjmp.h>

#include <cmocka.h>

static void names(void **state)
{
	static const char *const rows[][2] = {
		{"", ""},
		{"/a/b.h", "/a/b.h"},
		{"/a/./b.h", "/a/b.h"},
		{"./b.h", "b.h"},
		{"././b.h", "b.h"},
		{".//b.h", "b.h"},
		{"/./a//b/././c.h", "/a/b/c.h"},
		{"//a.h", "/a.h"},
		{"a/../b.h", "a/../b.h"},
		{"/a/.b/..c/d./e.h", "/a/.b/..c/d./e.h"},
		{".", "."},
	};
	char path[64];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(path, sizeof(path), "%s", rows[i][0]);
		probe_source_path_clean(path);
		assert_string_equal(path, rows[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(names)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
