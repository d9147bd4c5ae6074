/* SPDX-License-Identifier: MIT */
/* MD5, and which files debug information proves to be sources of a code object. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "codeobj/compiled_sources.h"
#include "common/err.h"

static void md5_is(const char *text, size_t size, const char *want)
{
	uint8_t md5[PROBE_MD5_BYTES];
	char hex[2 * PROBE_MD5_BYTES + 1];

	probe_md5(text, size, md5);
	for (int i = 0; i < PROBE_MD5_BYTES; i++)
		sprintf(hex + 2 * i, "%02x", md5[i]);
	assert_string_equal(hex, want);
}

/* RFC 1321 section A.5, and lengths around the block (coreutils). */
static void test_md5(void **state)
{
	static const char digits[] =
		"12345678901234567890123456789012345678901234567890123456789012345678901234567890";
	static const struct {
		size_t size;
		const char *md5;
	} zeros[] = {
		{55, "c9ea3314b91c9fd4e38f9432064fd1f2"}, {56, "e3c4dd21a9171fd39d208efa09bf7883"},
		{63, "65cecfb980d72fde57d175d6ec1c3f64"}, {64, "3b5d3c7d207e37dceeedd301e35e2e58"},
		{65, "1ef5e829303a139ce967440e0cdca10c"},
	};
	char zero[65] = {0};

	(void)state;
	md5_is("", 0, "d41d8cd98f00b204e9800998ecf8427e");
	md5_is("message digest", 14, "f96b697d7cb7938d525a2f31aaf161d0");
	md5_is(digits, 80, "57edf4a22be3c955ac49da2e2107b67a");
	for (size_t i = 0; i < sizeof(zeros) / sizeof(zeros[0]); i++)
		md5_is(zero, zeros[i].size, zeros[i].md5);
}

static char *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	char *text = malloc(4 << 20);

	assert_non_null(file);
	assert_non_null(text);
	*size = fread(text, 1, 4 << 20, file);
	fclose(file);
	return text;
}

static struct probe_compiled_sources *sources_of(const char *object)
{
	struct probe_compiled_sources *sources = NULL;
	size_t size;
	char *bytes = read_file(object, &size);
	struct probe_err *err = probe_compiled_sources_read(object, bytes, size, &sources);

	if (err) {
		char text[512];

		probe_err_format(err, text, sizeof(text));
		fail_msg("%s", text);
	}
	free(bytes);
	return sources;
}

static void test_sources(void **state)
{
	struct probe_compiled_sources *five = sources_of(TEST_DATA "/codeobj/tile-dwarf5.co");
	struct probe_compiled_sources *four = sources_of(TEST_DATA "/codeobj/tile-dwarf4.co");
	struct probe_compiled_sources *none = sources_of(TEST_DATA "/codeobj/tile-nodebug.co");
	size_t size;
	char *text = read_file(TEST_DATA "/codeobj/tile.hip", &size);

	(void)state;
	assert_true(probe_compiled_sources_has(five, text, size));
	assert_false(probe_compiled_sources_has(five, text, size - 1));
	assert_false(probe_compiled_sources_has(five, "", 0));
	assert_true(five->directory_count > 0);
	assert_int_equal(four->directory_count, five->directory_count);
	assert_string_equal(four->directories[0], five->directories[0]);
	assert_false(probe_compiled_sources_has(four, text, size)); /* it has no checksums */
	assert_int_equal(none->directory_count + none->md5_count, 0);
	assert_false(probe_compiled_sources_has(NULL, text, size));
	probe_compiled_sources_destroy(five);
	probe_compiled_sources_destroy(four);
	probe_compiled_sources_destroy(none);
	free(text);
}

static void test_below(void **state)
{
	char base[] = "/tmp/probe-below-XXXXXX", path[128], link[128];

	(void)state;
	assert_non_null(mkdtemp(base));
	snprintf(path, sizeof(path), "%s/a", base);
	snprintf(link, sizeof(link), "%s/link", base);
	fclose(fopen(path, "w"));
	assert_return_code(symlink("/etc/passwd", link), 0);
	assert_true(probe_path_is_below(base, path));
	assert_false(probe_path_is_below(base, link));
	assert_false(probe_path_is_below(base, base));
	assert_false(probe_path_is_below("/", "/etc/passwd"));
	assert_false(probe_path_is_below("/et", "/etc/passwd"));
	assert_false(probe_path_is_below(path, path));
	assert_false(probe_path_is_below(base, "/nonexistent"));
	unlink(path);
	unlink(link);
	rmdir(base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_md5),
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_below),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
