/* SPDX-License-Identifier: MIT */
/*
 * A DWARF 5 line table that has files but no directory: libdwarf 20210528 reads past the end of its
 * array when it makes their names, so it must not be asked for them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "codeobj/inlines.h"
#include "codeobj/lines.h"
#include "common/err.h"

static unsigned asked;

int __real_dwarf_srcfiles(void *die, char ***names, long long *count, void **error);
int __wrap_dwarf_srcfiles(void *die, char ***names, long long *count, void **error);

int __wrap_dwarf_srcfiles(void *die, char ***names, long long *count, void **error)
{
	asked++;
	return __real_dwarf_srcfiles(die, names, count, error);
}

static size_t read_file(const char *path, uint8_t *bytes, size_t capacity)
{
	FILE *file = fopen(path, "rb");
	size_t size;

	assert_non_null(file);
	size = fread(bytes, 1, capacity, file);
	fclose(file);
	return size;
}

static void read_both(const char *path)
{
	static uint8_t bytes[1 << 16];
	struct probe_inlines *inlines;
	struct probe_lines *lines;
	size_t size = read_file(path, bytes, sizeof(bytes));
	struct probe_err *err = probe_lines_read("test", bytes, size, &lines);

	asked = 0;
	if (!err)
		probe_lines_destroy(lines);
	probe_err_destroy(err);
	err = probe_inlines_read("test", bytes, size, &inlines);
	if (!err)
		probe_inlines_destroy(inlines);
	probe_err_destroy(err);
}

static void no_directory(void **state)
{
	(void)state;
	read_both(TEST_CORPUS "/debug_info/libdwarf-srcfiles");
	assert_int_equal(asked, 0);
}

static void with_directories(void **state)
{
	(void)state;
	read_both(TEST_CORPUS "/debug_info/inline-dwarf5.co");
	assert_int_not_equal(asked, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_directory),
		cmocka_unit_test(with_directories),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
