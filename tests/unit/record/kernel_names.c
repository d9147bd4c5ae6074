/* SPDX-License-Identifier: MIT */
/* Demangled names of kernels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmds/record/kernel_names.h"

static const struct {
	const char *symbol, *name;
} names[] = {
	{"_Z4copyPf", "copy(float*)"},
	{"plain", "plain"},
	{"_ZL2k1PfPKfi.intern.5f29ab0c", "k1(float*, float const*, int)"},
	{"_ZL2k1PfPKfi.static.123", "k1(float*, float const*, int)"},
	{"plain.intern.5f29", "plain.intern.5f29"}, /* not mangled: nothing shows that the compiler
						     * appended the suffix */
	{"_Znonsense.intern.5f29", "_Znonsense.intern.5f29"},
};

enum { COUNT = sizeof(names) / sizeof(*names) };

static void demangles(void **state)
{
	const char *symbols[COUNT];
	char **got;

	(void)state;
	for (size_t i = 0; i < COUNT; i++)
		symbols[i] = names[i].symbol;
	got = run_names_demangle(symbols, COUNT);
	assert_non_null(got);
	for (size_t i = 0; i < COUNT; i++)
		assert_string_equal(got[i], names[i].name);
	run_names_destroy(got, COUNT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(demangles)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
