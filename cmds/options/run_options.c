/* SPDX-License-Identifier: MIT */
/* Command line of probe-run; see run_options.h. */
#include "cmds/options/run_options.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

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
	KEY_KIND,
	KEY_INCLUDE,
	KEY_EXCLUDE,
	KEY_DISPATCHES,
	KEY_LIB_INCLUDE,
	KEY_LIB_EXCLUDE,
	KEY_WHEN_FULL,
	KEY_FILTER_X,
	KEY_FILTER_Y,
	KEY_FILTER_Z,
	KEY_SAMPLING_RAW,
	KEY_TWICE,
	KEY_STRICT,
	KEY_SAMPLING_METHOD,
	KEY_SAMPLING_UNIT,
	KEY_SAMPLING_INTERVAL,
	KEY_SAMPLING_CLONES,
	KEY_SAMPLING_BETA,
	KEY_DEVICE,
	KEY_LIST,
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
	HEADING("What is recorded"),
	{"analyze", 'a', "LIST",
	 "handlers by name or path, NAME[:KEY=VALUE]...,\n"
	 "separated by commas; repeatable (memory)",
	 KEY_ANALYZE},
	{"instrumented", 'i', NULL, "run the instrumented clones (default)", KEY_INSTRUMENTED},
	{"no-instrumented", 0, NULL, "record dispatches only", KEY_NO_INSTRUMENTED},
	{"kind", 0, "KIND",
	 "memory: counters made on the device;\n"
	 "trace: every address (what the handlers take);\n"
	 "time: time stamps of kernels, functions, regions;\n"
	 "count: how often each block of code ran",
	 KEY_KIND},
	{"kernel-include-regex", 'k', "RE", "only kernels whose demangled name matches",
	 KEY_INCLUDE},
	{"kernel-exclude-regex", 0, "RE", "not those that match", KEY_EXCLUDE},
	{"library-include", 0, "GLOB", "only code from such files (repeatable)", KEY_LIB_INCLUDE},
	{"library-exclude", 0, "GLOB", "not from such (repeatable)", KEY_LIB_EXCLUDE},
	{"dispatches", 0, "WHICH",
	 "of each kernel: all, first, 3,7-9, N-in-M (the first N of\n"
	 "every M), N-in-M:SEED (by chance, the same in each run)",
	 KEY_DISPATCHES},
	{"when-full", 0, "POLICY",
	 "block: kernels wait for the reader; drop;\n"
	 "sample[:N]: wait for one record in N (block)",
	 KEY_WHEN_FULL},
	{"filter-x", 0, "N[:M]", "only workgroups N to M - 1 in x", KEY_FILTER_X},
	{"filter-y", 0, "N[:M]", "in y", KEY_FILTER_Y},
	{"filter-z", 0, "N[:M]", "in z", KEY_FILTER_Z},
	{"pc-sampling-method", 0, "METHOD", "host_trap or stochastic: sample where waves are",
	 KEY_SAMPLING_METHOD},
	{"pc-sampling-unit", 0, "UNIT", "of the interval: time (us), cycles, instructions",
	 KEY_SAMPLING_UNIT},
	{"pc-sampling-interval", 0, "N", "between two samples; all three go together",
	 KEY_SAMPLING_INTERVAL},
	{"pc-sampling-clones", 0, NULL, "sample instrumented kernels (not the originals)",
	 KEY_SAMPLING_CLONES},
	{"pc-sampling-raw", 0, NULL, "keep each sample (80 B), not only sums", KEY_SAMPLING_RAW},
	{"twice", 0, NULL,
	 "run the program two times, into one database: its kernels\n"
	 "sampled, then probed. What the second run prints is not\n"
	 "shown; its input is the same file, or empty",
	 KEY_TWICE},
	{"pc-sampling-beta-enabled", 0, NULL, "accepted, without effect", KEY_SAMPLING_BETA},
	{"strict", 0, NULL, "lost data is an error: exit status 3", KEY_STRICT},
	{"device", 0, "WHERE", "auto, gpu, or sim: the simulated GPU (auto)", KEY_DEVICE},
	HEADING("Where it goes; keys %pid% %hostname% %rank% %env{NAME}%"),
	{"output-directory", 'd', "DIR", "directory (probe-out)", KEY_DIRECTORY},
	{"output-file", 'o', "NAME", "file in it, or a whole path (%hostname%/%pid%.db)", KEY_FILE},
	{"force", 0, NULL, "overwrite", KEY_FORCE},
	{"no-report", 0, NULL, "no account at the end", KEY_NO_REPORT},
	HEADING("Other"),
	{"list", 'L', NULL, "handlers, passes and devices", KEY_LIST},
	{"print-env", 0, NULL, "the variables a run sets, as shell commands", KEY_PRINT_ENV},
	{"print-options", 0, NULL, "long options, one per line", KEY_PRINT_OPTIONS},
	{"quiet", 'q', NULL, "errors only", KEY_QUIET},
	{"verbose", 'v', NULL, "say more; repeatable", KEY_VERBOSE},
	{"color", 0, "WHEN", "auto, always or never", KEY_COLOR},
	{"help", 'h', NULL, "this text", KEY_HELP},
	{"version", 0, NULL, "versions", KEY_VERSION},
};

const struct probe_command run_command = {
	.name = "probe-run",
	.usage = "[options] [--] program [argument...]",
	.summary = "Run a program, record what its GPU kernels do, store it in a database.",
	.options = options,
	.count = sizeof(options) / sizeof(*options),
	.footer = "Exit status: the program's; 125 our own failure before it started, 126 not\n"
		  "executable, 127 not found, 3 data lost with --strict.",
};

/* Words an option takes, and the numbers they mean. */
struct choice {
	const char *word;
	int value;
};

static const struct choice kinds[] = {{"memory", PROBE_KIND_MEMORY},
				      {"trace", PROBE_KIND_TRACE},
				      {"time", PROBE_KIND_TIME},
				      {"count", PROBE_KIND_COUNT},
				      {NULL, 0}};
static const struct choice devices[] = {
	{"auto", RUN_DEVICE_AUTO}, {"gpu", RUN_DEVICE_GPU}, {"sim", RUN_DEVICE_SIM}, {NULL, 0}};
static const struct choice switches[] = {{"0", 0}, {"1", 1}, {NULL, 0}};
static const struct choice colors[] = {{"auto", PROBE_COLOR_AUTO},
				       {"always", PROBE_COLOR_ALWAYS},
				       {"never", PROBE_COLOR_NEVER},
				       {NULL, 0}};

const char *run_kind_name(enum probe_kind kind)
{
	for (const struct choice *choice = kinds; choice->word; choice++)
		if (choice->value == (int)kind)
			return choice->word;
	return "none";
}

static struct probe_err *choose(const char *option, const struct choice *choices, const char *value,
				int *ret)
{
	char words[80] = "";

	for (const struct choice *choice = choices; choice->word; choice++) {
		if (!strcmp(choice->word, value)) {
			*ret = choice->value;
			return NULL;
		}
		strcat(words, choice == choices ? "" : ", ");
		strcat(words, choice->word);
	}
	return probe_err_create("%s: '%s' is none of: %s", option, value, words);
}

/* Split "name:key=value:..." at its colons; the words share one allocation, at args[-1]... name. */
static struct probe_err *parse_handler(const char *text, size_t len, struct run_handler_spec *ret)
{
	char *copy = strndup(text, len);
	size_t count = 0;
	char *rest = copy;

	if (!copy)
		return probe_err_oom();
	for (size_t i = 0; i < len; i++)
		count += copy[i] == ':';
	ret->args = calloc(count + 1, sizeof(*ret->args));
	ret->name = strsep(&rest, ":");
	if (!ret->args) {
		free(copy);
		*ret = (struct run_handler_spec){0};
		return probe_err_oom();
	}
	while (rest) {
		char *word = strsep(&rest, ":");

		ret->args[ret->arg_count++] = word;
		if (!strchr(word, '=') || *word == '=')
			return probe_err_create("--analyze: '%s' of '%.*s' is not KEY=VALUE", word,
						(int)len, text);
	}
	if (!*ret->name)
		return probe_err_create("--analyze: a handler without a name in '%.*s'", (int)len,
					text);
	return NULL;
}

struct probe_err *run_config_handlers(struct run_config *config, const char *list)
{
	for (;;) {
		size_t len = strcspn(list, ",");
		struct run_handler_spec *grown;
		struct probe_err *err;

		grown = realloc(config->handlers, (config->handler_count + 1) * sizeof(*grown));
		if (!grown)
			return probe_err_oom();
		config->handlers = grown;
		grown[config->handler_count] = (struct run_handler_spec){0};
		err = parse_handler(list, len, &grown[config->handler_count++]);
		if (err || !list[len])
			return err;
		list += len + 1;
	}
}

/* Options with a choice of words, and where their number goes. */
static struct probe_err *take_choice(struct run_config *config, int key, const char *option,
				     const char *value)
{
	struct probe_err *err;
	int number = 0;

	switch (key) {
	case KEY_KIND:
		err = choose(option, kinds, value, &number);
		config->kind = (enum probe_kind)number;
		config->probes_asked = true;
		return err;
	case KEY_WHEN_FULL:
		return run_policy_parse(option, value, config);
	case KEY_FILTER_X:
	case KEY_FILTER_Y:
	case KEY_FILTER_Z:
		config->groups[key - KEY_FILTER_X] = value;
		return run_groups_check(option, value);
	case KEY_DEVICE:
		err = choose(option, devices, value, &number);
		config->device = (enum run_device)number;
		return err;
	case KEY_COLOR:
		err = choose(option, colors, value, &number);
		config->color = (enum probe_color)number;
		return err;
	default:
		err = choose(option, switches, value, &number);
		config->instrumented = number;
		return err;
	}
}

static void take_flag(struct run_config *config, int key)
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
		config->probes_asked = true;
		break;
	case KEY_NO_INSTRUMENTED:
		config->instrumented = false;
		break;
	case KEY_SAMPLING_RAW:
		config->pc_sampling_raw = true;
		break;
	case KEY_TWICE:
		config->twice = config->probes_asked = true;
		break;
	case KEY_STRICT:
		config->strict = true;
		break;
	case KEY_SAMPLING_CLONES:
		config->sampling.clones = true;
		config->probes_asked = true;
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

static struct probe_err *take_sampling(struct run_config *config, enum run_sampling_option option,
				       const char *value)
{
	return run_sampling_take(&config->sampling, option, run_sampling_option(option), value);
}

static struct probe_err *take(void *user, int key, const char *value)
{
	struct run_config *config = user;

	switch (key) {
	case KEY_DIRECTORY:
		config->directory = value;
		return *value ? NULL : probe_err_create("--output-directory: empty");
	case KEY_FILE:
		config->file = value;
		return *value ? NULL : probe_err_create("--output-file: empty");
	case KEY_ANALYZE:
		config->probes_asked = true;
		return run_config_handlers(config, value);
	case KEY_KIND:
		return take_choice(config, key, "--kind", value);
	case KEY_WHEN_FULL:
		return take_choice(config, key, "--when-full", value);
	case KEY_FILTER_X:
		return take_choice(config, key, "--filter-x", value);
	case KEY_FILTER_Y:
		return take_choice(config, key, "--filter-y", value);
	case KEY_FILTER_Z:
		return take_choice(config, key, "--filter-z", value);
	case KEY_DEVICE:
		return take_choice(config, key, "--device", value);
	case KEY_COLOR:
		return take_choice(config, key, "--color", value);
	case KEY_SAMPLING_METHOD:
		return take_sampling(config, RUN_SAMPLING_METHOD, value);
	case KEY_SAMPLING_UNIT:
		return take_sampling(config, RUN_SAMPLING_UNIT, value);
	case KEY_SAMPLING_INTERVAL:
		return take_sampling(config, RUN_SAMPLING_INTERVAL, value);
	case KEY_INCLUDE:
		return run_take_filter(config, RUN_FILTER_KERNEL, "--kernel-include-regex", value);
	case KEY_EXCLUDE:
		return run_take_filter(config, RUN_FILTER_NOT_KERNEL, "--kernel-exclude-regex",
				       value);
	case KEY_DISPATCHES:
		return run_take_filter(config, RUN_FILTER_DISPATCHES, "--dispatches", value);
	case KEY_LIB_INCLUDE:
		return run_take_filter(config, RUN_FILTER_LIBRARY, "--library-include", value);
	case KEY_LIB_EXCLUDE:
		return run_take_filter(config, RUN_FILTER_NOT_LIBRARY, "--library-exclude", value);
	default:
		take_flag(config, key);
		return NULL;
	}
}

/* Variables that equal options; the tool in the application reads the same names. */
static const struct {
	const char *name;
	int key;
} variables[] = {
	{"PROBE_KIND", KEY_KIND},
	{"PROBE_WHEN_FULL", KEY_WHEN_FULL},
	{"PROBE_GROUPS_X", KEY_FILTER_X},
	{"PROBE_GROUPS_Y", KEY_FILTER_Y},
	{"PROBE_GROUPS_Z", KEY_FILTER_Z},
	{"PROBE_INSTRUMENTED", KEY_HEADING},
	{"PROBE_KERNEL_INCLUDE", KEY_INCLUDE},
	{"PROBE_KERNEL_EXCLUDE", KEY_EXCLUDE},
	{"PROBE_DISPATCHES", KEY_DISPATCHES},
	{"PROBE_DEVICE", KEY_DEVICE},
};

static struct probe_err *take_sampling_variables(struct run_config *config)
{
	struct probe_err *err = NULL;

	for (int i = 0; i < RUN_SAMPLING_OPTIONS && !err; i++) {
		const char *name = run_sampling_variable((enum run_sampling_option)i);
		const char *value = getenv(name);

		if (value && *value)
			err = run_sampling_take(&config->sampling, (enum run_sampling_option)i,
						name, value);
	}
	return err;
}

static struct probe_err *take_variables(struct run_config *config)
{
	if (getauxval(AT_SECURE))
		return NULL;
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		const char *value = getenv(variables[i].name);
		struct probe_err *err = NULL;
		int key = variables[i].key;

		if (!value || !*value)
			continue;
		if (key == KEY_INCLUDE || key == KEY_EXCLUDE || key == KEY_DISPATCHES)
			err = run_take_filter(config,
					      key == KEY_INCLUDE   ? RUN_FILTER_KERNEL
					      : key == KEY_EXCLUDE ? RUN_FILTER_NOT_KERNEL
								   : RUN_FILTER_DISPATCHES,
					      variables[i].name, value);
		else
			err = take_choice(config, key, variables[i].name, value);
		if (err)
			return err;
	}
	return take_sampling_variables(config);
}

/* Options that would have no effect, or undo each other. */
static struct probe_err *check_together(const struct run_config *config)
{
	const struct run_sampling *sampling = &config->sampling;

	if (config->twice && !config->instrumented)
		return probe_err_create("--twice: its second run is the one with probes; it does "
					"not go with --no-instrumented");
	if (sampling->clones && config->twice)
		return probe_err_create("--pc-sampling-clones: --twice samples the originals");
	if (sampling->clones && !config->instrumented)
		return probe_err_create("--pc-sampling-clones: with --no-instrumented no clones "
					"run");
	return NULL;
}

/* What sampling means for the rest: alone it needs no probes, and no handlers. */
static struct probe_err *settle(struct run_config *config)
{
	struct probe_err *err = run_sampling_check(&config->sampling);

	if (!err && config->action == RUN_ACTION_RUN)
		err = check_together(config);
	if (err)
		return err;
	if (config->sampling.on && !config->probes_asked) {
		config->instrumented = false;
		return NULL;
	}
	if (config->handler_count)
		return NULL;
	return run_config_handlers(config, config->kind == PROBE_KIND_COUNT  ? "count"
					   : config->kind == PROBE_KIND_TIME ? "time"
									     : "memory");
}

struct probe_err *run_config_init(struct run_config *config, int argc, char **argv)
{
	struct probe_err *err;

	*config = (struct run_config){
		.directory = "probe-out",
		.file = "%hostname%/%pid%.db",
		.dispatches = "all",
		.sample_every = 1,
		.instrumented = true,
		.report = true,
	};
	err = take_variables(config);
	if (!err)
		err = probe_command_parse(&run_command, argc, argv, take, config, &config->program);
	if (!err && config->action == RUN_ACTION_RUN && config->program >= argc)
		err = probe_err_create("no program given; usage: %s %s", run_command.name,
				       run_command.usage);
	return err ? err : settle(config);
}

void run_config_deinit(struct run_config *config)
{
	for (size_t i = 0; i < config->handler_count; i++) {
		free(config->handlers[i].name); /* the words after it are in the same block */
		free(config->handlers[i].args);
	}
	free(config->handlers);
	free(config->library_include);
	free(config->library_exclude);
	*config = (struct run_config){0};
}
