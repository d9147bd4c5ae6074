/* SPDX-License-Identifier: MIT */
/* probe-report replay: the only verb that writes databases. It parses its own command line. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/err.h"
#include "common/log.h"
#include "common/progress.h"
#include "common/option.h"
#include "cmds/options/handler_list.h"
#include "cmds/options/handler_plugins.h"
#include "cmds/options/run_options.h"
#include "cmds/options/install_paths.h"
#include "cmds/record/rerun_handlers.h"
#include "cmds/report/verb_table.h"

enum key {
	KEY_ANALYZE,
	KEY_FILE,
	KEY_OUTPUT,
	KEY_IN_PLACE,
	KEY_FORCE,
	/* In the order of enum run_handler_limit. */
	KEY_HANDLER_TIMEOUT,
	KEY_HANDLER_MEMORY,
	KEY_HANDLER_OUTPUT,
	KEY_QUIET,
	KEY_COLOR,
	KEY_PRINT_OPTIONS,
	KEY_HELP,
};

static const struct probe_option options[] = {
	{"analyze", 'a', "LIST", "handlers by name or path, NAME[:KEY=VALUE]..., as in probe-run",
	 KEY_ANALYZE},
	{"input", 'i', "FILE", "the database; the same as FILE", KEY_FILE},
	{"output-file", 'o', "FILE", "a new database (default: the input's name with -replay)",
	 KEY_OUTPUT},
	{"in-place", 0, NULL, "write into the input instead", KEY_IN_PLACE},
	{"force", 0, NULL, "overwrite the file, if it is a database of Probe", KEY_FORCE},
	RUN_HANDLER_LIMIT_OPTIONS(KEY_HANDLER_TIMEOUT),
	{"quiet", 'q', NULL, "print errors only", KEY_QUIET},
	{"color", 0, "WHEN", "auto, always or never", KEY_COLOR},
	{"print-options", 0, NULL, "print the long options, one per line", KEY_PRINT_OPTIONS},
	{"help", 'h', NULL, "print this text", KEY_HELP},
};

static const struct probe_command command = {
	.name = "probe-report replay",
	.usage = "-a LIST [options] FILE",
	.summary = "Run handlers again over the records that probe-run stored.",
	.options = options,
	.count = sizeof(options) / sizeof(*options),
	.footer = "Tables of these handlers are replaced; everything else stays.\n"
		  "Exit status: 0 success, 1 error, 2 usage.",
};

struct line {
	struct run_config config;
	struct run_replay replay;
	enum probe_color color;
	bool in_place, quiet, done;
};

static struct probe_err *set_file(struct line *line, const char *path)
{
	if (line->replay.from)
		return probe_err_create("replay takes one file, not two: %s, %s", line->replay.from,
					path);
	line->replay.from = path;
	return NULL;
}

static struct probe_err *set_limit(struct line *line, int key, const char *value)
{
	char name[PROBE_OPTION_SPELLING];

	probe_command_spelling(&command, key, name);
	return run_handler_limit_set(&line->config.limits,
				     (enum run_handler_limit)(key - KEY_HANDLER_TIMEOUT), name,
				     value);
}

static struct probe_err *set_option(void *user, int key, const char *value)
{
	struct line *line = user;

	switch ((enum key)key) {
	case KEY_ANALYZE:
		return run_config_handlers(&line->config, value);
	case KEY_FILE:
		return set_file(line, value);
	case KEY_QUIET:
		line->quiet = true;
		return NULL;
	case KEY_COLOR:
		return probe_color_parse(value, &line->color)
			       ? NULL
			       : probe_err_create("invalid value '%s' for --color; expected auto, "
						  "always or never",
						  value);
	case KEY_OUTPUT:
		line->replay.to = value;
		return NULL;
	case KEY_IN_PLACE:
		line->in_place = true;
		return NULL;
	case KEY_FORCE:
		line->replay.force = true;
		return NULL;
	case KEY_HANDLER_TIMEOUT:
	case KEY_HANDLER_MEMORY:
	case KEY_HANDLER_OUTPUT:
		return set_limit(line, key, value);
	case KEY_PRINT_OPTIONS:
		probe_command_list(&command, stdout);
		line->done = true;
		return NULL;
	case KEY_HELP:
		probe_command_help(&command, stdout);
		line->done = true;
		return NULL;
	}
	return NULL;
}

/* Options may stand before and after the file. */
static struct probe_err *parse(int argc, char **argv, struct line *line)
{
	for (int at = 0; at < argc - 1;) {
		int next = 1;
		struct probe_err *err = probe_command_parse(&command, argc - at, argv + at,
							    set_option, line, &next);

		if (err || line->done)
			return err;
		at += next;
		if (at >= argc)
			break;
		err = set_file(line, argv[at]);
		if (err)
			return err;
	}
	if (!line->replay.from)
		return probe_err_create("no file given; probe-run writes probe-out/HOST/PID.db");
	if (!line->config.handler_count)
		return probe_err_create(
			"--analyze is missing: which handlers? probe-run --list shows "
			"them");
	if (line->in_place && (line->replay.to || line->replay.force))
		return probe_err_create("--in-place cannot be used with --output-file or --force");
	return NULL;
}

static char *default_output(const char *from)
{
	size_t len = strlen(from);
	char *ret;

	if (len > 3 && !strcmp(from + len - 3, ".db"))
		len -= 3;
	return asprintf(&ret, "%.*s-replay.db", (int)len, from) < 0 ? NULL : ret;
}

static void print_counts(const struct line *line)
{
	const struct run_replay *replay = &line->replay;

	if (!line->quiet)
		printf("%s: replayed %llu dispatches, %llu counter rows and %llu records; %llu records "
		       "malformed\n",
		       replay->to ? replay->to : replay->from,
		       (unsigned long long)replay->counts.dispatches,
		       (unsigned long long)replay->counts.counters,
		       (unsigned long long)replay->counts.records,
		       (unsigned long long)replay->counts.invalid);
	if (replay->counts.missing)
		probe_log(PROBE_LOG_WARNING,
			  "%s: %llu of the records that the run stored are missing: the "
			  "handlers saw only the others",
			  replay->from, (unsigned long long)replay->counts.missing);
}

static struct probe_err *act(struct line *line)
{
	struct run_replay *replay = &line->replay;
	PROBE_AUTO_FREE char *output = NULL;
	PROBE_AUTO(run_layout_deinit) struct run_layout layout = {0};
	PROBE_AUTO(run_plugins_deinit) struct run_plugins plugins = {0};
	struct probe_err *err = run_layout_init(&layout);

	if (err)
		return err;
	err = run_plugins_find(&line->config, &layout, &plugins);
	if (err)
		return err;
	if (plugins.count < line->config.handler_count)
		return probe_err_create("not all handlers can be used; nothing was written");
	if (!line->in_place && !replay->to) {
		replay->to = output = default_output(replay->from);
		if (!output)
			return probe_err_oom();
	}
	replay->config = &line->config;
	replay->plugins = &plugins;
	probe_progress_setup(line->quiet);
	probe_progress_step("%s: reading it", replay->from);
	err = run_replay(replay);
	probe_progress_end();
	if (err)
		return err;
	if (replay->failed < plugins.count)
		print_counts(line);
	if (replay->failed)
		return probe_err_create("%u of %zu handlers failed", replay->failed,
					plugins.count);
	return NULL;
}

static void line_deinit(struct line *line)
{
	run_config_deinit(&line->config);
}

static int fail(struct probe_err *err, int status)
{
	probe_log_err(PROBE_LOG_ERROR, err);
	probe_err_destroy(err);
	return status;
}

static int replay(int argc, char **argv)
{
	PROBE_AUTO(line_deinit)
	struct line line = {.config.limits = run_handler_limits_default()};
	struct probe_err *err = parse(argc, argv, &line);

	probe_log_setup(line.quiet ? PROBE_LOG_ERROR : PROBE_LOG_INFO, line.color);
	if (err)
		return fail(err, 2);
	if (line.done)
		return 0;
	err = act(&line);
	return err ? fail(err, 1) : 0;
}

const struct report_verb report_verb_replay = {
	.name = "replay",
	.help = "run handlers again over stored records (replay --help)",
	.command = replay,
};
