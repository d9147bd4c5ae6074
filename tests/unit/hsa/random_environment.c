/* SPDX-License-Identifier: MIT */
/*
 * The library parses variables inside a program that is not its own: no value may end the program,
 * allocate without a bound, or make a configuration that the rest of the library does not expect.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <cmocka.h>

#include <probe/env.h>
#include <probe/wire.h>

#include "hsa-plugin/code/filters.h"
#include "hsa-plugin/queue/agent_sampling.h"

enum { CASES = 3000, LONG = 20000 };

static const char *const names[] = {
	PROBE_ENV_SOCKET,	    PROBE_ENV_INSTRUMENTED,    PROBE_ENV_KIND,
	PROBE_ENV_WHEN_FULL,	    PROBE_ENV_TRACE,	       PROBE_ENV_GROUPS_X,
	PROBE_ENV_GROUPS_Y,	    PROBE_ENV_GROUPS_Z,	       PROBE_ENV_KERNEL_INCLUDE,
	PROBE_ENV_KERNEL_EXCLUDE,   PROBE_ENV_LIBRARY_INCLUDE, PROBE_ENV_LIBRARY_EXCLUDE,
	PROBE_ENV_DISPATCHES,	    PROBE_ENV_SAMPLING_METHOD, PROBE_ENV_SAMPLING_UNIT,
	PROBE_ENV_SAMPLING_INTERVAL};

static const char *const words[] = {"",
				    "0",
				    "1",
				    "-1",
				    "x",
				    "4294967295",
				    "4294967296",
				    "memory",
				    "trace",
				    "time",
				    "count",
				    "none",
				    "block",
				    "drop",
				    "sample",
				    ":",
				    ",",
				    "-",
				    "/",
				    "*",
				    "[",
				    "(",
				    ")",
				    "{",
				    "}",
				    "|",
				    "^",
				    "$",
				    "\\",
				    "all",
				    "every=",
				    "seed=",
				    "\n",
				    "\xff",
				    "host_trap",
				    "stochastic",
				    "hsa",
				    "hip",
				    "%",
				    "a{255}",
				    "99999999999999999999999",
				    " ",
				    "cycles",
				    "time",
				    "1-5",
				    "3:7",
				    "+",
				    "sample:0"};

static uint64_t state = 1;

static size_t below(size_t limit)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (size_t)(state % limit);
}

static void set_random(const char *name)
{
	char value[LONG + 16] = "";
	size_t parts = below(6), size = 0;

	for (size_t i = 0; i < parts; i++) {
		const char *word = words[below(sizeof(words) / sizeof(*words))];

		strcpy(value + size, word);
		size += strlen(word);
	}
	/* Long ones: one character, or one word again and again. */
	if (!below(20)) {
		const char *word = words[1 + below(sizeof(words) / sizeof(*words) - 1)];

		while (size + strlen(word) < LONG)
			size += strlen(strcpy(value + size, word));
	}
	setenv(name, value, 1);
}

static void check(const struct probe_config *config)
{
	assert_in_range(config->kind, 0, PROBE_KINDS - 1);
	assert_in_range(config->full.action, 0, PROBE_FULL_SAMPLE);
	assert_true(config->full.action != PROBE_FULL_SAMPLE || config->full.sample_every);
	assert_non_null(memchr(config->socket, 0, sizeof(config->socket)));
	assert_true(config->selection.ranges <= PROBE_RANGES_MAX);
	for (int i = 0; i < 3; i++)
		assert_true(config->workgroups.first[i] <= config->workgroups.last[i]);
	for (uint64_t number = 1; number < 4; number++)
		probe_selection_has(&config->selection, number);
	probe_config_wants(config, "void kernel<float, 4>(float*, int)");
	probe_config_wants_library(config, "file:///opt/a%20b/app#offset=4096&size=100");
}

static void any_value_is_harmless(void **unused)
{
	(void)unused;
	for (int i = 0; i < CASES; i++) {
		struct probe_sampler_request sampling;
		struct probe_config config;

		for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++) {
			if (below(3))
				unsetenv(names[n]);
			else
				set_random(names[n]);
		}
		if (below(8))
			setenv(PROBE_ENV_SOCKET, "@nobody", 1);
		if (probe_config_read(&config))
			check(&config);
		probe_sampling_config_read(&sampling);
		assert_true(!sampling.on || sampling.interval);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_value_is_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
