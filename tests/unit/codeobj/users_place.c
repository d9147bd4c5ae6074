/* SPDX-License-Identifier: MIT */
/* The user's line of an instruction, from tables made by hand: 16 bytes of code per case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <probe/user_source.h>

#include "codeobj/inlines.h"
#include "codeobj/lines.h"
#include "codeobj/users_place.h"

enum { USER, HEADER };
static char *files[] = {"/home/me/a.hip", "/usr/include/hip/vector.h"};
static struct probe_function functions[] = {{0x100, USER, 7}, {0x200, HEADER, 70}};

static struct probe_line rows[] = {
	{.address = 0x100, .file = USER, .line = 0}, /* before any line */
	{.address = 0x110, .file = USER, .line = 10},
	{.address = 0x120, .file = HEADER, .line = 20}, /* inlined at 11 */
	{.address = 0x130, .file = USER, .line = 0},	/* inlined at 12 */
	{.address = 0x140, .file = USER, .line = 0},	/* behind it, not inlined */
	{.address = 0x150, .file = USER, .line = 3},	/* the copy of a struct, at 13 */
	{.address = 0x160, .file = HEADER, .line = 21}, /* in that copy */
	{.address = 0x170, .file = HEADER, .line = 22}, /* not inlined: a macro's */
	{.address = 0x200, .file = HEADER, .line = 71}, /* a kernel of a library */
	{.address = 0x210, .file = HEADER, .line = 0},
	{.address = 0x220, .file = PROBE_LINE_END},
};
static struct probe_lines lines = {
	.rows = rows,
	.count = sizeof(rows) / sizeof(rows[0]),
	.files = files,
	.file_count = 2,
	.functions = functions,
	.function_count = 2,
};

/* Names: 0 the user's file, 1 the header, 2 functions'. */
static char *names[] = {"/home/me/a.hip", "/usr/include/hip/vector.h", "f"};
enum { KERNEL, HEADERS, USERS, COPY, IN_COPY, LIBRARY };
static struct probe_scope scopes[] = {
	[KERNEL] = {.parent = PROBE_INLINE_NONE, .function = 2},
	[HEADERS] = {.parent = KERNEL, .function = 2, .call_file = 0, .call_line = 11},
	[USERS] = {.parent = KERNEL, .function = 2, .call_file = 0, .call_line = 12},
	[COPY] = {.parent = KERNEL, .function = 2, .call_file = 0, .call_line = 13, .implicit = 1},
	[IN_COPY] = {.parent = COPY, .function = 2, .call_file = 0, .call_line = 3},
	[LIBRARY] = {.parent = PROBE_INLINE_NONE, .function = 2},
};
static struct probe_scope_row scope_rows[] = {
	{0x100, KERNEL, 0}, {0x120, HEADERS, 0}, {0x130, USERS, 0},
	{0x140, KERNEL, 0}, {0x150, COPY, 0},	 {0x160, IN_COPY, 0},
	{0x170, KERNEL, 0}, {0x200, LIBRARY, 0}, {0x220, PROBE_INLINE_NONE, 0},
};
static struct probe_inlines inlines = {
	.scopes = scopes,
	.scope_count = sizeof(scopes) / sizeof(scopes[0]),
	.rows = scope_rows,
	.row_count = sizeof(scope_rows) / sizeof(scope_rows[0]),
	.names = names,
	.name_count = 3,
};

static void check(uint64_t start, uint64_t address, const char *file, uint32_t line,
		  bool approximate)
{
	struct probe_place place = {0};

	assert_true(probe_users_place(&lines, &inlines, start, address, &place));
	assert_string_equal(place.file, file);
	assert_int_equal(place.line, line);
	assert_int_equal(place.approximate, approximate);
}

static void test_places(void **state)
{
	(void)state;
	check(0x100, 0x110, files[USER], 10, false);
	check(0x100, 0x11c, files[USER], 10, false);
	check(0x100, 0x120, files[USER], 11, false);
	check(0x100, 0x130, files[USER], 12, true);
	check(0x100, 0x150, files[USER], 13, false);
	check(0x100, 0x160, files[USER], 13, false);
	check(0x100, 0x170, files[HEADER], 22, false);
	check(0x200, 0x200, files[HEADER], 71, false);
}

static void test_without_a_line(void **state)
{
	struct probe_place place;

	(void)state;
	/* That of the code before it, which was inlined. */
	check(0x100, 0x140, files[USER], 12, true);
	check(0x200, 0x214, files[HEADER], 71, true);
	/* None before it in its function. */
	check(0x100, 0x104, files[USER], 7, true);
	/* No function begins there. */
	check(0x140, 0x140, files[USER], 0, false);
	assert_false(probe_users_place(&lines, &inlines, 0x300, 0x300, &place));
	assert_false(probe_users_place(NULL, NULL, 0x100, 0x110, &place));
}

static void test_without_calls(void **state)
{
	struct probe_place place;

	(void)state;
	assert_true(probe_users_place(&lines, NULL, 0x100, 0x120, &place));
	assert_string_equal(place.file, files[HEADER]);
	assert_int_equal(place.line, 20);
}

static void test_user_sources(void **state)
{
	(void)state;
	assert_true(probe_is_user_source("/home/me/a.hip"));
	assert_true(probe_is_user_source("/home/me/include/hip/mine.h"));
	assert_true(probe_is_user_source("/tmp/comgr-cf831a/input/CompileSource"));
	assert_false(probe_is_user_source("/usr/include/hip/hip_runtime.h"));
	assert_false(probe_is_user_source("/opt/rocm-6.1.0/include/hip/hip_runtime.h"));
	assert_false(probe_is_user_source(
		"..-hipamd-5.2.3/include/hip/amd_detail/amd_hip_runtime.h"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_without_a_line),
		cmocka_unit_test(test_without_calls),
		cmocka_unit_test(test_user_sources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
