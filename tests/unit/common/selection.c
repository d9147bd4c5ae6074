/* SPDX-License-Identifier: MIT */
/* Values of the environment contract, as probe-run and the library in the application read them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/selection.h"

static void selections(void **state)
{
	static const struct {
		const char *text, *taken; /* dispatches 1 to 9 */
	} good[] = {
		{NULL, "111111111"},	      {"", "111111111"},	{"all", "111111111"},
		{"first", "100000000"},	      {"1-in-1", "111111111"},	{"1-in-4", "100010001"},
		{"2-in-3", "110110110"},      {"3", "001000000"},	{"2-4", "011100000"},
		{"1,3-4,9-100", "101100001"}, {"3-3,3-3", "001000000"},
	};
	static const char *const bad[] = {
		"none", "0-in-4",  "5-in-4",   "1-in-",	    "1-in-4x", "-3",
		"4-2",	"1-in-4:", "1-in-4:x", "1-in-4:1x", "3:1",     "1,,2",
		"1,",	"0",	   "x",	       "1-",	    "all ",    "99999999999999999999999"};
	struct probe_selection selection;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(probe_selection_parse(good[i].text, &selection));
		for (uint64_t n = 1; n <= 9; n++)
			assert_int_equal(probe_selection_has(&selection, n),
					 good[i].taken[n - 1] == '1');
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(probe_selection_parse(bad[i], &selection));
}

/* About as many as requested; the same each time; others with another seed. */
static void seeded(void **state)
{
	struct probe_selection one, two;
	unsigned taken = 0, both = 0, row = 0, longest = 0;

	(void)state;
	assert_true(probe_selection_parse("1-in-10:7", &one));
	assert_true(probe_selection_parse("1-in-10:8", &two));
	for (uint64_t n = 1; n <= 100000; n++) {
		bool has = probe_selection_has(&one, n);

		assert_int_equal(has, probe_selection_has(&one, n));
		taken += has;
		both += has && probe_selection_has(&two, n);
		row = has ? row + 1 : 0;
		longest = row > longest ? row : longest;
	}
	/* Six standard deviations of 10000 and of 1000. */
	assert_in_range(taken, 9430, 10570);
	assert_in_range(both, 810, 1190);
	assert_in_range(longest, 3, 12);
}

static void patterns(void **state)
{
	static const char *const good[] = {"",
					   "a{2,3}b{4}",
					   "^{",
					   "x{}y",
					   "(ab|c)*{10}",
					   "[0-9]{1000}",
					   "[^]{9999}[:alpha:]]",
					   "\\{9999}",
					   "a+b+c+d+e+f+g+h+i+j+k+l+m+n+"};
	static const char *const bad[] = {
		"a{1001}",
		"a{2,100000}",
		"(a{255}){255}",
		"a{99999999999999999999}",
		"e++++++++++++",
		"a???????????????b",
		/* These took seconds to minutes: found by tests/fuzz/targets/environment.c. */
		"(((((((()+)+)+)+)+)+)+)+",
		"(((a?\?\?P?+)+)++)+",
		"I?\?\?\?}?\?\?\?+++",
		"((((((((((((a*)?)*)?)*)?)*)?)*)?)*)?",
		"((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+",
		"(((((((((((a{1,}){1,}){1,}){1,}){1,}){1,}){1,}){1,}){1,}){1,}){1,}){1,}"};
	char text[1002];

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(probe_pattern_bounded(good[i]));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(probe_pattern_bounded(bad[i]));
	memset(text, '(', 1001);
	text[1001] = 0;
	assert_false(probe_pattern_bounded(text));
	assert_true(probe_pattern_bounded(text + 1));
}

static void workgroups(void **state)
{
	static const char *const bad[] = {"-1", "x",	"4294967296", "3:3",	     "4:3",
					  "1:", "1:2:", "1 :2",	      "0:4294967297"};
	static const struct {
		const char *text;
		uint32_t first, last;
	} good[] = {
		{NULL, 0, UINT32_MAX},
		{"", 0, UINT32_MAX},
		{"0", 0, 0},
		{"4294967295", UINT32_MAX, UINT32_MAX},
		{"0:4294967296", 0, UINT32_MAX},
		{"3:5", 3, 4},
	};
	struct probe_workgroups some = {{0}, {9, 9, 9}};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(probe_workgroups_parse(bad[i], 1, &some));
	assert_int_equal(some.last[1], 9);
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(probe_workgroups_parse(good[i].text, 1, &some));
		assert_int_equal(some.first[1], good[i].first);
		assert_int_equal(some.last[1], good[i].last);
	}
	assert_true(probe_workgroups_restricted(&some));
	for (int axis = 0; axis < 3; axis++)
		assert_true(probe_workgroups_parse("", axis, &some));
	assert_false(probe_workgroups_restricted(&some));
}

/* What probe-run writes for the library is what it has read itself. */
static void policies(void **state)
{
	static const char *const bad[] = {"sample:",	       "sample:0", "sample:x", "sampled",
					  "sample:4294967296", "wait",	   "block ",   "dropped"};
	static const struct {
		const char *text, *written;
		struct probe_full_policy policy;
	} good[] = {
		{NULL, "block", {PROBE_FULL_BLOCK, 1}},
		{"", "block", {PROBE_FULL_BLOCK, 1}},
		{"block", "block", {PROBE_FULL_BLOCK, 1}},
		{"drop", "drop", {PROBE_FULL_DROP, 1}},
		{"sample", "sample:16", {PROBE_FULL_SAMPLE, 16}},
		{"sample:4294967295", "sample:4294967295", {PROBE_FULL_SAMPLE, UINT32_MAX}},
	};
	char text[PROBE_FULL_POLICY_TEXT];
	struct probe_full_policy policy;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(probe_full_policy_parse(bad[i], &policy));
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_true(probe_full_policy_parse(good[i].text, &policy));
		assert_int_equal(policy.action, good[i].policy.action);
		assert_int_equal(policy.sample_every, good[i].policy.sample_every);
		probe_full_policy_format(policy, text);
		assert_string_equal(text, good[i].written);
	}
}

static void kinds(void **state)
{
	(void)state;
	for (int kind = 0; kind < PROBE_KINDS; kind++) {
		enum probe_kind read = PROBE_KINDS;

		assert_true(probe_kind_parse(probe_kind_name((enum probe_kind)kind), &read));
		assert_int_equal(read, kind);
	}
	assert_string_equal(probe_kind_name(PROBE_KINDS), "");
	assert_false(probe_kind_parse("", &(enum probe_kind){0}));
	assert_false(probe_kind_parse("tape", &(enum probe_kind){0}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(selections), cmocka_unit_test(seeded),
		cmocka_unit_test(patterns),   cmocka_unit_test(workgroups),
		cmocka_unit_test(policies),   cmocka_unit_test(kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
