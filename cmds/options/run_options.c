/* SPDX-License-Identifier: MIT */
#include "cmds/options/run_options.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include <probe/env.h>

#include "cmds/options/filter_options.h"
#include "cmds/options/handler_list.h"
#include "common/err.h"

enum key {
	KEY_HEADING,
	KEY_DIRECTORY,
	KEY_FILE,
	KEY_FORCE,
	KEY_NO_REPORT,
	KEY_ANALYZE,
	KEY_INSTRUMENTED,
	KEY_NO_INSTRUMENTED,
	KEY_INSTRUMENTED_VARIABLE, /* no option has this key, */
	KEY_TRACE_VARIABLE,	   /* nor this one */
	KEY_KIND,
	/* In the order of enum run_filter. */
	KEY_INCLUDE,
	KEY_EXCLUDE,
	KEY_LIB_INCLUDE,
	KEY_LIB_EXCLUDE,
	KEY_DISPATCHES,
	KEY_FILTER_X,
	KEY_FILTER_Y,
	KEY_FILTER_Z,
	KEY_WHEN_FULL,
	/* In the order of enum run_handler_limit. */
	KEY_HANDLER_TIMEOUT,
	KEY_HANDLER_MEMORY,
	KEY_HANDLER_OUTPUT,
	/* In the order of enum run_sampling_option. */
	KEY_SAMPLING_METHOD,
	KEY_SAMPLING_UNIT,
	KEY_SAMPLING_INTERVAL,
	KEY_SAMPLING_CLONES,
	KEY_SAMPLING_RAW,
	KEY_SAMPLING_BETA,
	KEY_TWICE,
	KEY_KERNEL_TRACE,
	KEY_COPY_TRACE,
	KEY_MARKER_TRACE,
	KEY_HSA_TRACE,
	KEY_HIP_TRACE,
	KEY_CALL_STACKS,
	KEY_RUNTIME_TRACE,
	KEY_SYS_TRACE,
	KEY_TRUNCATE,
	KEY_STATS,
	KEY_STRICT,
	KEY_DEVICE,
	KEY_SOURCE_DIR,
	KEY_LIST,
	KEY_RECOVER,
	KEY_PRINT_ENV,
	KEY_PRINT_OPTIONS,
	KEY_QUIET,
	KEY_VERBOSE,
	KEY_COLOR,
	KEY_HELP,
	KEY_VERSION,
};

#define HEADING(text)                                                                              \
	{                                                                                          \
		.help = (text), .key = KEY_HEADING                                                 \
	}

static const struct probe_option options[] = {
	HEADING("What to record"),
	{"analyze", 'a', "LIST",
	 "handlers by name or path, NAME[:KEY=VALUE]...,\n"
	 "separated by commas; repeatable (default: memory)",
	 KEY_ANALYZE},
	{"instrumented", 'i', NULL, "run the instrumented kernels (default)", KEY_INSTRUMENTED},
	{"no-instrumented", 0, NULL, "run the original kernels; record dispatches only",
	 KEY_NO_INSTRUMENTED},
	{"kind", 0, "KIND",
	 "kind of probes (default: chosen by the handlers).\n"
	 "memory: counters per access, made on the GPU;\n"
	 "trace: the address of every access;\n"
	 "time: time stamps of kernels, functions, regions;\n"
	 "count: executions of each basic block",
	 KEY_KIND},
	{"kernel-include-regex", 'k', "RE", "only kernels whose demangled name matches",
	 KEY_INCLUDE},
	{"kernel-exclude-regex", 0, "RE", "no kernels whose demangled name matches", KEY_EXCLUDE},
	{"library-include", 0, "GLOB", "only kernels from these files (repeatable)",
	 KEY_LIB_INCLUDE},
	{"library-exclude", 0, "GLOB", "no kernels from these files (repeatable)", KEY_LIB_EXCLUDE},
	{"dispatches", 0, "WHICH",
	 "of each kernel: all, first, 3,7-9, N-in-M (the first N of\n"
	 "every M), N-in-M:SEED (random, the same in each run)",
	 KEY_DISPATCHES},
	{"when-full", 0, "POLICY",
	 "if the buffer (ring) of a wave of --kind trace or time is full.\n"
	 "block: the kernel waits for the reader (default);\n"
	 "drop: drop and count records;\n"
	 "sample[:N]: block for one record in N, drop the others",
	 KEY_WHEN_FULL},
	{"filter-x", 0, "N[:M]", "record workgroups N to M - 1 in x only", KEY_FILTER_X},
	{"filter-y", 0, "N[:M]", "the same in y", KEY_FILTER_Y},
	{"filter-z", 0, "N[:M]", "the same in z", KEY_FILTER_Z},
	RUN_HANDLER_LIMIT_OPTIONS(KEY_HANDLER_TIMEOUT),
	{"strict", 0, NULL, "exit with status 3 if data were lost", KEY_STRICT},
	{"device", 0, "WHERE",
	 "auto, gpu, or sim[:gfx90a|:gfx942]: the simulated GPU (default: auto)", KEY_DEVICE},
	HEADING("Tracing, named as in rocprofv3 (with these alone, the original kernels run)"),
	{"kernel-trace", 0, NULL, "every dispatch with its times (always recorded)",
	 KEY_KERNEL_TRACE},
	{"memory-copy-trace", 0, NULL, "asynchronous memory copies", KEY_COPY_TRACE},
	{"marker-trace", 0, NULL, "marks and ranges of ROCTx", KEY_MARKER_TRACE},
	{"hip-trace", 0, NULL, "calls of HIP", KEY_HIP_TRACE},
	{"hsa-trace", 0, NULL, "calls of HSA", KEY_HSA_TRACE},
	{"runtime-trace", 'r', NULL, "all of the above except calls of HSA", KEY_RUNTIME_TRACE},
	{"sys-trace", 's', NULL, "all of the above", KEY_SYS_TRACE},
	{"call-stacks", 0, NULL, "the call stack of each launch", KEY_CALL_STACKS},
	{"truncate-kernels", 'T', NULL, "names of kernels without arguments", KEY_TRUNCATE},
	{"stats", 0, NULL, "print statistics per function, kernel and copy at the end", KEY_STATS},
	HEADING("PC sampling (the first three are required together)"),
	{"pc-sampling-method", 0, "METHOD", "host_trap or stochastic", KEY_SAMPLING_METHOD},
	{"pc-sampling-unit", 0, "UNIT", "unit of the interval: time (us), cycles, instructions",
	 KEY_SAMPLING_UNIT},
	{"pc-sampling-interval", 0, "N", "units between two samples", KEY_SAMPLING_INTERVAL},
	{"pc-sampling-clones", 0, NULL, "sample instrumented kernels, not the originals",
	 KEY_SAMPLING_CLONES},
	{"pc-sampling-raw", 0, NULL, "keep each sample (80 B) as well as sums", KEY_SAMPLING_RAW},
	{"twice", 0, NULL,
	 "run the program twice, first sampled, then probed, and\n"
	 "record both runs in one database; the second run's output\n"
	 "is discarded, its input is the same file, or empty",
	 KEY_TWICE},
	{"pc-sampling-beta-enabled", 0, NULL, "accepted for compatibility, no effect",
	 KEY_SAMPLING_BETA},
	HEADING("Output; keys in names: %pid% %hostname% %rank% %env{NAME}%"),
	{"output-directory", 'd', "DIR", "directory (default: probe-out)", KEY_DIRECTORY},
	{"output-file", 'o', "NAME",
	 "file in the directory, or an absolute path; .db is appended if missing\n"
	 "(default: %hostname%/%pid%.db)",
	 KEY_FILE},
	{"force", 0, NULL, "overwrite an existing database of Probe", KEY_FORCE},
	{"source-dir", 0, "DIR",
	 "store sources below DIR, too (default: where the program\n"
	 "was compiled, and unchanged files elsewhere)",
	 KEY_SOURCE_DIR},
	{"no-report", 0, NULL, "print no summary at the end", KEY_NO_REPORT},
	HEADING("Other"),
	{"list", 'L', NULL, "list handlers, kinds, devices and compiler passes", KEY_LIST},
	{"recover", 0, "DIR",
	 "after probe-run or its recorder was killed: complete the\n"
	 "databases in DIR, and run their pending handlers",
	 KEY_RECOVER},
	{"print-env", 0, NULL, "print the variables of a run as shell commands", KEY_PRINT_ENV},
	{"print-options", 0, NULL, "print the long options, one per line", KEY_PRINT_OPTIONS},
	{"quiet", 'q', NULL, "print errors only", KEY_QUIET},
	{"verbose", 'v', NULL, "print more; repeatable", KEY_VERBOSE},
	{"color", 0, "WHEN", "auto, always or never", KEY_COLOR},
	{"help", 'h', NULL, "print this text", KEY_HELP},
	{"version", 0, NULL, "print versions", KEY_VERSION},
};

const struct probe_command run_command = {
	.name = "probe-run",
	.usage = "[options] [--] program [argument...]",
	.summary = "Run a program and record what its GPU kernels do in a database.",
	.options = options,
	.count = sizeof(options) / sizeof(*options),
	.footer =
		"Exit status: that of the program. 125: probe-run failed before the program started,\n"
		"126: program not executable, 127: not found. 3: the program succeeded, but data\n"
		"were lost (--strict), or nothing could be stored.",
};

/* Indexed by the value: enum probe_kind from 1, enum run_device, enum probe_color. */
#define KIND(name, number, word, text) word,
static const char *const kinds[] = {PROBE_KIND_TABLE(KIND) NULL};
#undef KIND
static const char *const devices[] = {"auto", "gpu", "sim", "sim:gfx90a", "sim:gfx942", NULL};
static const char *const switches[] = {"0", "1", NULL};
static const char *const colors[] = {"auto", "always", "never", NULL};

static uint32_t traced_by(int key)
{
	const uint32_t runtime = PROBE_TRACED_COPIES | PROBE_TRACED_MARKERS | PROBE_TRACED_HIP;

	switch (key) {
	case KEY_COPY_TRACE:
		return PROBE_TRACED_COPIES;
	case KEY_MARKER_TRACE:
		return PROBE_TRACED_MARKERS;
	case KEY_HSA_TRACE:
		return PROBE_TRACED_HSA;
	case KEY_HIP_TRACE:
		return PROBE_TRACED_HIP;
	case KEY_CALL_STACKS:
		return PROBE_TRACED_STACKS;
	case KEY_RUNTIME_TRACE:
		return runtime;
	case KEY_SYS_TRACE:
		return runtime | PROBE_TRACED_HSA;
	default:
		return 0;
	}
}

static void set_flag(struct run_config *config, int key)
{
	switch (key) {
	case KEY_FORCE:
		config->force = true;
		break;
	case KEY_NO_REPORT:
		config->report = false;
		break;
	case KEY_INSTRUMENTED:
		config->instrumented = true;
		config->probes_requested = true;
		break;
	case KEY_NO_INSTRUMENTED:
		config->instrumented = false;
		break;
	case KEY_SAMPLING_RAW:
		config->pc_sampling_raw = true;
		break;
	case KEY_TWICE:
		config->twice = config->probes_requested = true;
		break;
	case KEY_KERNEL_TRACE:
	case KEY_COPY_TRACE:
	case KEY_MARKER_TRACE:
	case KEY_HSA_TRACE:
	case KEY_HIP_TRACE:
	case KEY_CALL_STACKS:
	case KEY_RUNTIME_TRACE:
	case KEY_SYS_TRACE:
		config->tracing = true;
		config->traced |= traced_by(key);
		break;
	case KEY_TRUNCATE:
		config->truncate_kernels = true;
		break;
	case KEY_STATS:
		config->stats = true;
		break;
	case KEY_STRICT:
		config->strict = true;
		break;
	case KEY_SAMPLING_CLONES:
		config->sampling.clones = true;
		config->probes_requested = true;
		break;
	case KEY_LIST:
		config->action = RUN_ACTION_LIST;
		break;
	case KEY_PRINT_ENV:
		config->action = RUN_ACTION_PRINT_ENV;
		break;
	case KEY_PRINT_OPTIONS:
		config->action = RUN_ACTION_PRINT_OPTIONS;
		break;
	case KEY_QUIET:
		config->verbosity = -1;
		break;
	case KEY_VERBOSE:
		config->verbosity = config->verbosity < 0 ? 1 : config->verbosity + 1;
		break;
	case KEY_HELP:
		config->action = RUN_ACTION_HELP;
		break;
	case KEY_VERSION:
		config->action = RUN_ACTION_VERSION;
		break;
	}
}

static struct probe_err *set_kind(struct run_config *config, const char *name, const char *value)
{
	int index = 0;
	struct probe_err *err = probe_option_choose(name, kinds, value, &index);

	config->kind = (enum probe_kind)(index + PROBE_KIND_MEMORY);
	config->probes_requested = true;
	return err;
}

/* Applies an option, or the variable with the same meaning; `name` is that of either. */
static struct probe_err *set_value(struct run_config *config, int key, const char *name,
				   const char *value)
{
	struct probe_err *err;
	int index = 0;

	switch (key) {
	case KEY_DIRECTORY:
		config->directory = value;
		return NULL;
	case KEY_FILE:
		config->file = value;
		return NULL;
	case KEY_SOURCE_DIR:
		config->source_dir = value;
		return NULL;
	case KEY_RECOVER:
		config->action = RUN_ACTION_RECOVER;
		config->recover = value;
		return NULL;
	case KEY_ANALYZE:
		config->probes_requested = true;
		return run_config_handlers(config, value);
	case KEY_KIND:
		return set_kind(config, name, value);
	case KEY_INSTRUMENTED_VARIABLE:
		err = probe_option_choose(name, switches, value, &index);
		config->instrumented = index;
		return err;
	case KEY_DEVICE:
		err = probe_option_choose(name, devices, value, &index);
		config->device = (enum run_device)index;
		return err;
	case KEY_COLOR:
		err = probe_option_choose(name, colors, value, &index);
		config->color = (enum probe_color)index;
		return err;
	case KEY_HANDLER_TIMEOUT:
	case KEY_HANDLER_MEMORY:
	case KEY_HANDLER_OUTPUT:
		return run_handler_limit_set(&config->limits,
					     (enum run_handler_limit)(key - KEY_HANDLER_TIMEOUT),
					     name, value);
	case KEY_WHEN_FULL:
		return run_full_policy_set(config, name, value);
	case KEY_SAMPLING_METHOD:
	case KEY_SAMPLING_UNIT:
	case KEY_SAMPLING_INTERVAL:
		return run_sampling_set(&config->sampling,
					(enum run_sampling_option)(key - KEY_SAMPLING_METHOD), name,
					value);
	default:
		return run_filter_set(config, (enum run_filter)(key - KEY_INCLUDE), name, value);
	}
}

static struct probe_err *set_option(void *user, int key, const char *value)
{
	struct run_config *config = user;
	char name[PROBE_OPTION_SPELLING];

	if (!value) {
		set_flag(config, key);
		return NULL;
	}
	probe_command_spelling(&run_command, key, name);
	return set_value(config, key, name, value);
}

static const struct {
	const char *name;
	int key;
} variables[] = {
	{PROBE_ENV_KIND, KEY_KIND},
	{PROBE_ENV_WHEN_FULL, KEY_WHEN_FULL},
	{PROBE_ENV_GROUPS_X, KEY_FILTER_X},
	{PROBE_ENV_GROUPS_Y, KEY_FILTER_Y},
	{PROBE_ENV_GROUPS_Z, KEY_FILTER_Z},
	{PROBE_ENV_INSTRUMENTED, KEY_INSTRUMENTED_VARIABLE},
	{PROBE_ENV_KERNEL_INCLUDE, KEY_INCLUDE},
	{PROBE_ENV_KERNEL_EXCLUDE, KEY_EXCLUDE},
	{PROBE_ENV_LIBRARY_INCLUDE, KEY_LIB_INCLUDE},
	{PROBE_ENV_LIBRARY_EXCLUDE, KEY_LIB_EXCLUDE},
	{PROBE_ENV_TRACE, KEY_TRACE_VARIABLE},
	{PROBE_ENV_DISPATCHES, KEY_DISPATCHES},
	{PROBE_ENV_DEVICE, KEY_DEVICE},
	{PROBE_ENV_SAMPLING_METHOD, KEY_SAMPLING_METHOD},
	{PROBE_ENV_SAMPLING_UNIT, KEY_SAMPLING_UNIT},
	{PROBE_ENV_SAMPLING_INTERVAL, KEY_SAMPLING_INTERVAL},
};

/* Options add to these, so that their variables are read after the options. */
static bool is_list(int key)
{
	return key == KEY_LIB_INCLUDE || key == KEY_LIB_EXCLUDE || key == KEY_TRACE_VARIABLE;
}

static bool list_given(const struct run_config *config, int key)
{
	return key == KEY_LIB_INCLUDE	? config->library_include != NULL
	       : key == KEY_LIB_EXCLUDE ? config->library_exclude != NULL
					: config->tracing;
}

static struct probe_err *set_variable(struct run_config *config, int key, const char *name,
				      const char *value)
{
	if (!is_list(key))
		return set_value(config, key, name, value);
	if (list_given(config, key))
		return NULL;
	return key == KEY_TRACE_VARIABLE
		       ? run_trace_set(config, name, value)
		       : run_globs_set(config, (enum run_filter)(key - KEY_INCLUDE), name, value);
}

static struct probe_err *read_variables(struct run_config *config, bool lists)
{
	struct probe_err *err = NULL;

	if (getauxval(AT_SECURE))
		return NULL;
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables) && !err; i++) {
		const char *value = getenv(variables[i].name);

		if (value && *value && is_list(variables[i].key) == lists)
			err = set_variable(config, variables[i].key, variables[i].name, value);
	}
	return err;
}

/* Rejects options that would have no effect, or that conflict. */
static struct probe_err *check_together(const struct run_config *config)
{
	const struct run_sampling *sampling = &config->sampling;

	if (config->twice && !config->instrumented)
		return probe_err_create("--twice cannot be used with --no-instrumented: its second "
					"run is the one with probes");
	if (config->twice && config->tracing)
		return probe_err_create("--twice cannot be used with tracing: record a trace in "
					"a run of its own");
	if (sampling->clones && config->twice)
		return probe_err_create("--pc-sampling-clones cannot be used with --twice, which "
					"samples the originals");
	if (sampling->clones && !config->instrumented)
		return probe_err_create("--pc-sampling-clones cannot be used with "
					"--no-instrumented: no clones run");
	return NULL;
}

/* Sampling or tracing alone needs no probes and no handlers. */
static struct probe_err *complete(struct run_config *config)
{
	struct probe_err *err = run_sampling_check(&config->sampling);

	if (err)
		return err;
	err = config->action == RUN_ACTION_RUN ? check_together(config) : NULL;
	if (err)
		return err;
	if ((config->sampling.on || config->tracing) && !config->probes_requested) {
		config->instrumented = false;
		return NULL;
	}
	if (config->handler_count)
		return NULL;
	return run_config_handlers(config, config->kind == PROBE_KIND_COUNT  ? "count"
					   : config->kind == PROBE_KIND_TIME ? "time"
									     : "memory");
}

static void add_word(struct run_config *config, const char *word)
{
	size_t length = strlen(word) + 1;
	char *words = realloc(config->words, config->words_size + length);

	if (!words)
		return;
	memcpy(words + config->words_size, word, length);
	config->words = words;
	config->words_size += (uint32_t)length;
}

/* The program and its arguments have no effect on a recording. */
static void keep_words(struct run_config *config, char **argv)
{
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		const char *value = getenv(variables[i].name);

		if (!value || !*value)
			continue;
		add_word(config, variables[i].name);
		add_word(config, value);
	}
	add_word(config, "");
	for (int i = 0; i < config->program; i++)
		add_word(config, argv[i]);
	add_word(config, "program");
}

struct probe_err *run_config_init(struct run_config *config, int argc, char **argv)
{
	struct probe_err *err;

	*config = (struct run_config){
		.directory = "probe-out",
		.file = "%hostname%/%pid%.db",
		.dispatches = "all",
		.full = {PROBE_FULL_BLOCK, 1},
		.workgroups = {{0}, {UINT32_MAX, UINT32_MAX, UINT32_MAX}},
		.instrumented = true,
		.report = true,
		.limits = run_handler_limits_default(),
	};
	err = read_variables(config, false);
	if (err)
		return err;
	err = probe_command_parse(&run_command, argc, argv, set_option, config, &config->program);
	if (err)
		return err;
	err = read_variables(config, true);
	if (err)
		return err;
	if (config->action == RUN_ACTION_RUN && config->program >= argc)
		return probe_err_create("no program given; usage: %s %s", run_command.name,
					run_command.usage);
	if (config->action == RUN_ACTION_RUN)
		keep_words(config, argv);
	return complete(config);
}

static bool is_variable(const char *name)
{
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		if (!strcmp(variables[i].name, name))
			return true;
	return false;
}

static char *next_word(char *word)
{
	return word + strlen(word) + 1;
}

struct probe_err *run_config_restore(struct run_config *config, const char *words, size_t size)
{
	char *copy = malloc(size + 1), *at = copy, **argv;
	struct probe_err *err;
	int argc = 0;

	*config = (struct run_config){0};
	argv = copy ? calloc(size + 1, sizeof(*argv)) : NULL;
	if (!argv) {
		free(copy);
		return probe_err_oom();
	}
	memcpy(copy, words, size);
	copy[size] = 0;
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		unsetenv(variables[i].name);
	while (*at && next_word(at) < copy + size) {
		if (is_variable(at))
			setenv(at, next_word(at), 1);
		at = next_word(next_word(at));
		if (at >= copy + size)
			break;
	}
	for (at = at < copy + size ? next_word(at) : at; at < copy + size; at = next_word(at))
		argv[argc++] = at;
	err = run_config_init(config, argc, argv);
	free(argv);
	free(config->words);
	config->words = copy;
	config->words_size = (uint32_t)size;
	return err;
}

void run_config_deinit(struct run_config *config)
{
	run_config_free_handlers(config);
	free(config->library_include);
	free(config->library_exclude);
	free(config->words);
	*config = (struct run_config){0};
}
