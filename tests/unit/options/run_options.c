/* SPDX-License-Identifier: MIT */
/* Option table and output names of probe-run. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/err.h"
#include "cmds/options/filter_options.h"
#include "cmds/options/handler_plugins.h"
#include "cmds/options/kind_choice.h"
#include "cmds/options/run_options.h"
#include "cmds/options/output_path.h"

#define ARGS(...)                                                                                  \
	((char *[]){"probe-run", __VA_ARGS__, NULL}),                                              \
		(int)(sizeof((char *[]){"probe-run", __VA_ARGS__}) / sizeof(char *))

static struct run_config good(char **argv, int argc)
{
	struct run_config config;
	struct probe_err *err = run_config_init(&config, argc, argv);

	assert_null(err);
	return config;
}

static void bad(const char *wanted, char **argv, int argc)
{
	struct run_config config;
	struct probe_err *err = run_config_init(&config, argc, argv);
	char text[512];

	assert_non_null(err);
	probe_err_format(err, text, sizeof(text));
	if (!strstr(text, wanted))
		fail_msg("'%s' lacks '%s'", text, wanted);
	probe_err_destroy(err);
	run_config_deinit(&config);
}

static void defaults(void **state)
{
	struct run_config config = good(ARGS("app"));

	(void)state;
	assert_string_equal(config.directory, "probe-out");
	assert_string_equal(config.file, "%hostname%/%pid%.db");
	assert_int_equal(config.handler_count, 1);
	assert_string_equal(config.handlers[0].name, "memory");
	assert_true(config.instrumented && config.report && !config.strict && !config.force);
	assert_int_equal(config.full.action, PROBE_FULL_BLOCK);
	assert_int_equal(config.program, 1);
	run_config_deinit(&config);
}

static void stops_at_the_program(void **state)
{
	struct run_config config = good(ARGS("-q", "app", "-v", "--force"));

	(void)state;
	assert_int_equal(config.program, 2);
	assert_int_equal(config.verbosity, -1);
	assert_false(config.force);
	run_config_deinit(&config);
	config = good(ARGS("--strict", "--", "--force"));
	assert_int_equal(config.program, 3);
	assert_true(config.strict && !config.force);
	run_config_deinit(&config);
}

static void reads_handlers(void **state)
{
	struct run_config config =
		good(ARGS("-a", "one,two:k=v:x=y=z", "--analyze=./three.so:a=", "app"));

	(void)state;
	assert_int_equal(config.handler_count, 3);
	assert_string_equal(config.handlers[0].name, "one");
	assert_int_equal(config.handlers[0].arg_count, 0);
	assert_string_equal(config.handlers[1].name, "two");
	assert_int_equal(config.handlers[1].arg_count, 2);
	assert_string_equal(config.handlers[1].args[1], "x=y=z");
	assert_string_equal(config.handlers[2].name, "./three.so");
	assert_string_equal(config.handlers[2].args[0], "a=");
	run_config_deinit(&config);
	/* The same one twice is one; with other arguments it is another. */
	config = good(ARGS("-a", "one:a=1,one,one:a=1", "--analyze", "one,one:a=2", "app"));
	assert_int_equal(config.handler_count, 3);
	assert_string_equal(config.handlers[2].args[0], "a=2");
	run_config_deinit(&config);
}

static void every_option_is_taken(void **state)
{
	(void)state;
	/* Each row of the table, spelled out, with a value each of them takes. */
	for (size_t i = 0; i < run_command.count; i++) {
		const struct probe_option *option = &run_command.options[i];
		static const char *const values[] = {"memory", "block",	     "auto",   "all",
						     "x",      "stochastic", "cycles", "256"};
		bool taken = false;
		char word[80];

		if (!option->name)
			continue;
		for (size_t k = 0; k < 8 && !taken; k++) {
			struct run_config config;
			struct probe_err *err;

			snprintf(word, sizeof(word), "--%s%s%s", option->name,
				 option->value ? "=" : "", option->value ? values[k] : "");
			/* Some options need others. */
			err = run_config_init(
				&config, 6,
				(char *[]){"probe-run", "--pc-sampling-method=stochastic",
					   "--pc-sampling-unit=cycles",
					   "--pc-sampling-interval=1024", word, "app", NULL});
			taken = !err;
			probe_err_destroy(err);
			run_config_deinit(&config);
		}
		if (!taken)
			fail_msg("--%s is not taken", option->name);
		for (size_t k = i + 1; k < run_command.count; k++)
			assert_true(!option->letter ||
				    option->letter != run_command.options[k].letter);
	}
}

static void refuses(void **state)
{
	(void)state;
	bad("no program given", (char *[]){"probe-run", NULL}, 1);
	bad("did you mean --output-directory", ARGS("--output-d", "x", "app"));
	bad("takes no value", ARGS("--strict=1", "app"));
	bad("needs a value", ARGS("--kind"));
	bad("invalid value 'speed' for --kind; expected memory, trace, time or count",
	    ARGS("--kind", "speed", "app"));
	bad("is not KEY=VALUE", ARGS("-a", "x:y", "app"));
	bad("is not KEY=VALUE", ARGS("-a", "x:=y", "app"));
	bad("without a name", ARGS("-a", "x,,y", "app"));
	bad("invalid regular expression 'a['", ARGS("-k", "a[", "app"));
	bad("option --output-file needs a value", ARGS("-o", "", "app"));
	for (size_t i = 0; i < run_command.count; i++) {
		char word[64];

		if (!run_command.options[i].value)
			continue;
		snprintf(word, sizeof(word), "--%s=", run_command.options[i].name);
		bad("needs a value", ARGS(word, "app"));
	}
}

static void device_filters(void **state)
{
	static const char *const yes[] = {"0", "70000", "4294967295", "0:4294967296", "3:4"};
	static const char *const no[] = {"-1", "x",    "4294967296", "3:3",	    "4:3",
					 "1:", "1:2:", "1 :2",	     "0:4294967297"};
	static const char *const policies[] = {"sample:", "sample:0",	       "sample:x",
					       "sampled", "sample:4294967296", "wait"};
	struct run_config config = good(ARGS("--when-full=sample:7", "--filter-y", "2:9", "app"));

	(void)state;
	assert_int_equal(config.full.action, PROBE_FULL_SAMPLE);
	assert_int_equal(config.full.sample_every, 7);
	assert_string_equal(config.groups[1], "2:9");
	assert_null(config.groups[0]);
	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		assert_null(run_filter_set(&config, RUN_FILTER_GROUPS_X, "--filter-x", yes[i]));
	run_config_deinit(&config);
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		bad("for --filter-z; expected a workgroup N",
		    ARGS("--filter-z", (char *)no[i], "app"));
	for (size_t i = 0; i < sizeof(policies) / sizeof(*policies); i++)
		bad("expected block, drop, sample or sample:N",
		    ARGS("--when-full", (char *)policies[i], "app"));
}

static struct run_plugin plugin(const char *name, uint32_t streams)
{
	return (struct run_plugin){.handler = {.name = name, .streams = streams}};
}

/* The kind that two handlers get, or what is said if none serves both. */
static enum probe_kind kind_of(struct run_plugin a, struct run_plugin b, const char *wanted)
{
	struct run_plugin items[] = {a, b};
	struct run_plugins plugins = {.items = items, .count = 2};
	enum probe_kind kind = PROBE_KIND_NONE;
	struct probe_err *err = run_kind_choose(&plugins, &kind);
	char text[512] = "";

	assert_int_equal(err != NULL, wanted != NULL);
	if (err)
		probe_err_format(err, text, sizeof(text));
	if (wanted && !strstr(text, wanted))
		fail_msg("'%s' lacks '%s'", text, wanted);
	probe_err_destroy(err);
	return kind;
}

static void kinds_serve_all(void **state)
{
	struct run_plugin memory = plugin("memory", PROBE_STREAM_COUNTERS | PROBE_STREAM_ACCESS);
	struct run_plugin log = plugin("log", PROBE_STREAM_ACCESS | PROBE_STREAM_MESSAGE);
	struct run_plugin time = plugin("time", PROBE_STREAM_TIME);
	struct run_plugin messages = plugin("messages", PROBE_STREAM_MESSAGE);
	struct run_plugin accesses = plugin("accesses", PROBE_STREAM_ACCESS);
	struct run_config config;
	enum probe_kind kind = PROBE_KIND_TIME;

	(void)state;
	assert_int_equal(kind_of(memory, memory, NULL), PROBE_KIND_MEMORY);
	assert_int_equal(kind_of(memory, log, NULL), PROBE_KIND_TRACE);
	assert_int_equal(kind_of(log, messages, NULL), PROBE_KIND_TRACE);
	assert_int_equal(kind_of(messages, time, NULL), PROBE_KIND_TIME);
	/* Where no kind has accesses for it and all the rest, messages are what there is. */
	assert_int_equal(kind_of(time, log, NULL), PROBE_KIND_TIME);
	kind_of(time, accesses, "time needs time; accesses needs trace;");
	kind_of(memory, time, "memory needs memory or trace; time needs time;");
	/* Requested explicitly. */
	assert_null(run_kind_choose(&(struct run_plugins){.items = &log, .count = 1}, &kind));
	assert_int_equal(kind, PROBE_KIND_TIME);
	config = good(ARGS("--kind=time", "app"));
	assert_string_equal(config.handlers[0].name, "time");
	run_config_deinit(&config);
	config = good(ARGS("--kind=count", "app"));
	assert_string_equal(config.handlers[0].name, "count");
	run_config_deinit(&config);
}

static void policy_needs_rings(void **state)
{
	struct run_config config = {
		.kind = PROBE_KIND_MEMORY, .full = {PROBE_FULL_DROP, 1}, .instrumented = true};
	struct probe_err *err = run_full_policy_check(&config);
	char text[256];

	(void)state;
	assert_non_null(err);
	probe_err_format(err, text, sizeof(text));
	assert_non_null(strstr(text, "--when-full drop applies to --kind trace and time only"));
	probe_err_destroy(err);
	config.kind = PROBE_KIND_TRACE;
	assert_null(run_full_policy_check(&config));
	config.kind = PROBE_KIND_MEMORY;
	config.full.action = PROBE_FULL_BLOCK;
	assert_null(run_full_policy_check(&config));
}

#define SAMPLING(method, unit, interval)                                                           \
	ARGS("--pc-sampling-method", method, "--pc-sampling-unit", unit, "--pc-sampling-interval", \
	     interval, "app")

static void refuses_sampling(void **state)
{
	(void)state;
	bad("--pc-sampling-unit is missing: PC sampling needs --pc-sampling-method, "
	    "--pc-sampling-unit and --pc-sampling-interval together",
	    ARGS("--pc-sampling-method=stochastic", "--pc-sampling-interval=256", "app"));
	bad("--pc-sampling-method is missing", ARGS("--pc-sampling-interval=256", "app"));
	bad("'often' for --pc-sampling-method; expected host_trap or stochastic",
	    SAMPLING("often", "time", "1"));
	bad("'hours' for --pc-sampling-unit; expected time, cycles or instructions",
	    SAMPLING("host_trap", "hours", "1"));
	bad("invalid value '0' for --pc-sampling-interval; expected a whole number greater than 0",
	    SAMPLING("host_trap", "time", "0"));
	bad("invalid value '-1' for --pc-sampling-interval; expected a whole number",
	    SAMPLING("host_trap", "time", "-1"));
	bad("invalid value '1e6' for --pc-sampling-interval; expected a whole number",
	    SAMPLING("host_trap", "time", "1e6"));
	bad("cannot be used with --pc-sampling-method=host_trap, which takes "
	    "--pc-sampling-unit=time",
	    SAMPLING("host_trap", "cycles", "1024"));
	bad("cannot be used with --pc-sampling-method=stochastic, which takes "
	    "--pc-sampling-unit=cycles",
	    SAMPLING("stochastic", "instructions", "1024"));
	bad("a power of two from 256 to 2147483648", SAMPLING("stochastic", "cycles", "128"));
	bad("out of range", SAMPLING("stochastic", "cycles", "4294967296"));
	bad("1000 is not a power of two", SAMPLING("stochastic", "cycles", "1000"));
	bad("--pc-sampling-clones needs sampling", ARGS("--pc-sampling-clones", "app"));
}

static void samples_originals(void **state)
{
	struct run_config config = good(SAMPLING("stochastic", "cycles", "2147483648"));

	(void)state;
	assert_true(config.sampling.on && !config.instrumented);
	assert_int_equal(config.sampling.method, 1);
	assert_int_equal(config.sampling.unit, 1);
	assert_int_equal(config.sampling.interval, 2147483648);
	assert_int_equal(config.handler_count, 0);
	run_config_deinit(&config);
	config = good(ARGS("--pc-sampling-method=host_trap", "--pc-sampling-unit=time",
			   "--pc-sampling-interval=1", "--kind=memory", "app"));
	assert_true(config.sampling.on && config.instrumented);
	assert_int_equal(config.handler_count, 1);
	run_config_deinit(&config);
}

static void dispatch_filters(void **state)
{
	static const char *const yes[] = {
		"all",	    "first", "1-in-1",	  "3-in-10",
		"1-in-3:0", "4",     "1,3-4,9-9", "2-in-9:18446744073709551615"};
	static const char *const no[] = {
		"last",	   "0-in-3",   "4-in-3", "-1-in-3",
		"1-in-",   "1-in-3x",  "1 in 3", "1-in-99999999999",
		"1-in-3:", "1-in-3:x", "0",	 "4-3",
		"1,",	   "1,,2",     "3:1",	 "99999999999999999999999"};
	struct run_config config = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		assert_null(run_filter_set(&config, RUN_FILTER_DISPATCHES, "--dispatches", yes[i]));
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		bad("for --dispatches; expected all, first",
		    ARGS("--dispatches", (char *)no[i], "app"));
}

static void takes(const char *name, const char *value, const char *wanted, char **argv, int argc,
		  const char *(*got)(const struct run_config *config))
{
	struct run_config config;

	setenv(name, value, 1);
	config = good(argv, argc);
	unsetenv(name);
	assert_string_equal(got(&config) ? got(&config) : "", wanted);
	run_config_deinit(&config);
}

static const char *included(const struct run_config *config)
{
	return config->library_include;
}

static const char *excluded(const struct run_config *config)
{
	return config->library_exclude;
}

static const char *traced(const struct run_config *config)
{
	static char text[PROBE_TRACED_TEXT];

	probe_traced_format(config->traced, text);
	return text;
}

/* Lists in variables are values like those of others: options win over them. */
static void variables_are_read(void **state)
{
	(void)state;
	takes("PROBE_LIBRARY_INCLUDE", "*.so\n\nmemory\n", "*.so\nmemory", ARGS("app"), included);
	takes("PROBE_LIBRARY_INCLUDE", "*.so", "a\nb",
	      ARGS("--library-include=a", "--library-include=b", "app"), included);
	takes("PROBE_LIBRARY_EXCLUDE", "*.so", "*.so", ARGS("--library-include=a", "app"),
	      excluded);
	takes("PROBE_TRACE", "hip,copies", "copies,hip", ARGS("app"), traced);
	takes("PROBE_TRACE", "hip,copies", "hsa", ARGS("--hsa-trace", "app"), traced);
	takes("PROBE_TRACE", "hip", "", ARGS("--kernel-trace", "app"), traced);
	setenv("PROBE_TRACE", "hip,hup", 1);
	bad("invalid value 'hip,hup' for PROBE_TRACE; expected words of copies,", ARGS("app"));
	unsetenv("PROBE_TRACE");
}

static void limits_of_handlers(void **state)
{
	static const char *const no[] = {"0", "-1", "1x", " 1", "1000000001", "nine"};
	struct run_config config = good(ARGS("--handler-timeout", "5", "--handler-memory=none",
					     "--handler-output", "3", "app"));

	(void)state;
	assert_int_equal(config.limits.seconds, 5);
	assert_true(config.limits.memory == UINT64_MAX);
	assert_int_equal(config.limits.output, 3 << 20);
	run_config_deinit(&config);
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		bad("for --handler-output; expected a number from 1 to",
		    ARGS("--handler-output", (char *)no[i], "app"));
}

static void expands(const char *text, const char *wanted)
{
	static const char environment[] = "PMI_RANK=4\0HOME=/root\0EMPTY=\0TAIL";
	struct run_keys keys = {
		.pid = 42, .environment = environment, .environment_size = sizeof(environment) - 1};
	char *got = run_keys_expand(text, &keys);

	assert_string_equal(got, wanted);
	free(got);
}

static void expands_keys(void **state)
{
	char host[256] = "", *path, *own;
	struct probe_err *err;

	(void)state;
	gethostname(host, sizeof(host) - 1);
	expands("plain", "plain");
	expands("%p_%r_%nid%_{pid}$ENV{HOME}%q{EMPTY}{no}", "42_4_4_42/root{no}");
	expands("%job%.%size%.%j.%s", "0.1.0.1");
	own = run_keys_expand("%ppid% %tag% %arg0%", &(struct run_keys){.pid = getpid()});
	asprintf(&path, "%d unit_options_run_options ", (int)getppid());
	assert_memory_equal(own, path, strlen(path));
	assert_null(strchr(own, '/'));
	free(path);
	free(own);
	expands("%pid%-%rank%", "42-4");
	expands("%hostname%", host);
	expands("%env{HOME}%/%env{EMPTY}%x%env{NONE}%y", "/root/xy");
	expands("100%", "100%");
	path = run_output_path("d", "n", &(struct run_keys){.pid = 1});
	assert_string_equal(path, "d/n.db");
	free(path);
	path = run_output_path("/d/%rank%", "n.db", &(struct run_keys){.pid = 1});
	assert_string_equal(path, "/d/0/n.db");
	free(path);
	/* A whole path is its own directory. */
	path = run_output_path("d", "/tmp/%pid%", &(struct run_keys){.pid = 7});
	assert_string_equal(path, "/tmp/7.db");
	free(path);
	assert_null(run_keys_check("%pid%%env{A}%"));
	for (int i = 0; i < 3; i++) {
		err = run_keys_check(((const char *[]){"%nosuch%", "50%", "%env{A%"})[i]);
		assert_non_null(err);
		probe_err_destroy(err);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),
		cmocka_unit_test(stops_at_the_program),
		cmocka_unit_test(reads_handlers),
		cmocka_unit_test(every_option_is_taken),
		cmocka_unit_test(refuses),
		cmocka_unit_test(refuses_sampling),
		cmocka_unit_test(samples_originals),
		cmocka_unit_test(dispatch_filters),
		cmocka_unit_test(device_filters),
		cmocka_unit_test(expands_keys),
		cmocka_unit_test(kinds_serve_all),
		cmocka_unit_test(policy_needs_rings),
		cmocka_unit_test(variables_are_read),
		cmocka_unit_test(limits_of_handlers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
