/* SPDX-License-Identifier: MIT */
/*
 * Which kernel or function contains an address, and where a kernel ends: by symbols, kernels, debug
 * information.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "codeobj/disassembly.h"
#include "codeobj/functions.h"
#include "codeobj/inlines.h"
#include "codeobj/kernel_extent.h"
#include "codeobj/kernels.h"

/* Instructions of 4 bytes at 100, 104 ...: kernel one, function helper, kernel two, padding. */
static struct probe_instruction rows[] = {
	{100, 4, "v_nop"},
	{104, 4, "s_endpgm"},
	{108, 4, "v_pad"},
	{112, 4, "v_mul"},
	{116, 4, "s_setpc_b64 s[30:31]"},
	{120, 4, "v_add"},
	{124, 4, "s_endpgm"},
	{128, 4, "s_code_end"},
	{132, 4, "s_code_end"},
};
static struct probe_disassembly disassembly = {sizeof(rows) / sizeof(*rows), rows, NULL};
static struct probe_kernel kernel_rows[] = {{.symbol = "one", .address = 100},
					    {.symbol = "two", .address = 120},
					    {.symbol = "undefined"}};
static struct probe_kernels kernels = {3, kernel_rows};
static struct probe_symbol symbols[] = {
	{"one", "one", 100, 8}, {"helper", "helper", 112, 0}, {"two", "two", 120, 8}};
static struct probe_functions functions = {3, symbols};
/* helper inlines a call at 116; scopes: one, helper, call, two */
static struct probe_scope scopes[] = {{.parent = PROBE_INLINE_NONE, .function = 0},
				      {.parent = PROBE_INLINE_NONE, .function = 1},
				      {.parent = 1, .function = 3},
				      {.parent = PROBE_INLINE_NONE, .function = 2}};
static struct probe_scope_row scope_rows[] = {
	{100, 0, 0}, {112, 1, 0}, {116, 2, 0}, {120, 3, 0}, {128, PROBE_INLINE_NONE, 0}};
static char *names[] = {"one", "helper", "two", "inner"};
static struct probe_inlines inlines = {scopes, 4, scope_rows, 5, names, 4};

static const struct probe_code nothing;
static const struct probe_code by_symbols = {&kernels, &functions, NULL};
static const struct probe_code by_debug = {&kernels, NULL, &inlines};

static size_t extent(const struct probe_code *code, uint64_t address)
{
	const struct probe_instruction *first;
	size_t count = probe_kernel_extent(code, &disassembly, address, &first);

	if (count)
		assert_int_equal(first->address, address);
	return count;
}

static void extents(void **state)
{
	const struct probe_instruction *first = rows;

	(void)state;
	/* Padding comes after the last terminator and does not belong to the kernel. */
	assert_int_equal(extent(&by_symbols, 100), 2);
	assert_int_equal(extent(&by_debug, 100), 2);
	assert_int_equal(extent(&by_symbols, 112), 2);
	assert_int_equal(extent(&by_debug, 112), 2);
	assert_int_equal(extent(&by_symbols, 120), 2);
	assert_int_equal(extent(&by_debug, 120), 2);
	/* Nothing is known: everything up to the last terminator. */
	assert_int_equal(extent(&nothing, 100), 7);
	/* Not the start of an instruction. */
	assert_int_equal(probe_kernel_extent(&by_symbols, &disassembly, 102, &first), 0);
	assert_null(first);
}

static void starts(void **state)
{
	(void)state;
	assert_int_equal(probe_function_start(&by_symbols, &disassembly, 116), 112);
	assert_int_equal(probe_function_start(&by_debug, &disassembly, 116), 112);
	assert_int_equal(probe_function_start(&by_debug, &disassembly, 104), 100);
	assert_int_equal(probe_function_start(&nothing, &disassembly, 116), 0);
	assert_int_equal(probe_function_start(&by_debug, &disassembly, 128), 0);
}

static void kernels_by_symbol(void **state)
{
	(void)state;
	assert_ptr_equal(probe_code_kernel(&by_symbols, "two"), &kernel_rows[1]);
	assert_null(probe_code_kernel(&by_symbols, "three"));
	assert_null(probe_code_kernel(&by_symbols, NULL));
	assert_null(probe_code_kernel(&nothing, "two"));
	assert_null(probe_code_symbol(&by_debug, 112));
	assert_ptr_equal(probe_code_symbol(&by_symbols, 116), &symbols[1]);
}

/* A function with code of its own is no kernel's, with debug information or without. */
static void kernels_by_address(void **state)
{
	const char *function = "unset";

	(void)state;
	assert_ptr_equal(probe_code_kernel_at(&by_symbols, 104, &function), &kernel_rows[0]);
	assert_null(function);
	assert_null(probe_code_kernel_at(&by_symbols, 116, &function));
	assert_string_equal(function, "helper");
	assert_null(probe_code_kernel_at(&by_debug, 116, &function));
	assert_string_equal(function, "helper");
	assert_ptr_equal(probe_code_kernel_at(&by_debug, 124, &function), &kernel_rows[1]);
	/* Before all kernels. */
	assert_null(probe_code_kernel_at(&by_symbols, 50, &function));
	assert_string_equal(function, "?");
	assert_null(probe_code_kernel_at(&nothing, 100, &function));
	assert_null(function);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(extents),
		cmocka_unit_test(starts),
		cmocka_unit_test(kernels_by_symbol),
		cmocka_unit_test(kernels_by_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
