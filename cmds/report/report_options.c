/* SPDX-License-Identifier: MIT */
#include "cmds/report/report_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmds/report/dispatch_filter.h"
#include "cmds/report/newest_runs.h"
#include "cmds/report/option_names.h"
#include "cmds/report/verb_table.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "common/option.h"
#include "common/selection.h"
#include "probe_version.h"
#include "store/store.h"

enum key {
	KEY_FILE,
	KEY_LAST,
	KEY_RUNS,
	KEY_MERGE,
	KEY_SORT,
	KEY_FIELDS,
	KEY_LIMIT,
	KEY_KERNEL,
	KEY_BY,
	KEY_DISPATCHES,
	KEY_START,
	KEY_END,
	KEY_ALL,
	KEY_UNFOLD,
	KEY_FINDINGS,
	KEY_TABLE,
	KEY_BASELINE,
	KEY_FAIL_ON,
	KEY_OUTPUT,
	KEY_FORCE,
	KEY_RUN_NAME,
	KEY_FORMAT,
	KEY_SEPARATOR,
	KEY_HEADER,
	KEY_NO_HEADER,
	KEY_SOURCE_ROOT,
	KEY_QUIET,
	KEY_COLOR,
	KEY_PRINT_OPTIONS,
	KEY_PRINT_VERBS,
	KEY_HELP,
	KEY_VERSION,
};

static const struct probe_option options[] = {
	{NULL, 0, NULL, "What to show", 0},
	{"all", 0, NULL, "lines: also small findings, and accesses without extra cost", KEY_ALL},
	{"unfold", 0, NULL,
	 "lines: a finding for each kernel (instantiation of a template) and access", KEY_UNFOLD},
	{"findings", 0, NULL, "lines: only findings, without lines that only have many samples",
	 KEY_FINDINGS},
	{"table", 0, "NAME", "tables: the rows of this table (default: list the tables)",
	 KEY_TABLE},
	{"kernel", 'k', "RE", "only kernels whose demangled name matches this pattern", KEY_KERNEL},
	{"by", 0, "WHAT",
	 "samples: one row per line, kernel, instruction or dispatch (line);\n"
	 "lines: launch-shape separates launches by number and size of workgroups;\n"
	 "mix: one row per kernel or line (kernel)",
	 KEY_BY},
	{"dispatches", 'd', "LIST",
	 "lines, samples, annotate, flame: only these dispatches, as in 1,5-9,12-", KEY_DISPATCHES},
	{"start", 0, "TIME",
	 "lines, samples, annotate, flame: from this time after the first dispatch:\n"
	 "1500ns, 20us, 3.5ms, 2s; without a unit: seconds",
	 KEY_START},
	{"end", 0, "TIME", "lines, samples, annotate, flame: up to this time", KEY_END},
	{"limit", 'n', "N", "at most N rows or findings; 0: no limit", KEY_LIMIT},
	{"sort", 's', "KEY,...", "sort by these columns; -KEY: descending, +KEY: ascending",
	 KEY_SORT},
	{"fields", 'f', "NAME,...", "columns, in this order (probe-report list shows them)",
	 KEY_FIELDS},
	{"input", 'i', "FILE", "a database; the same as FILE", KEY_FILE},
	{"last", 0, "N", "the N newest databases in ./probe-out (default without FILE: 1)",
	 KEY_LAST},
	{"runs", 0, NULL, "join two runs of one program, one sampled and one probed", KEY_RUNS},
	{"merge", 0, NULL, "read all files as one run, as for the ranks of one program", KEY_MERGE},
	{"baseline", 0, "FILE", "check, export: the run to compare with", KEY_BASELINE},
	{"fail-on", 0, "RULE",
	 "check: exit with 1 if a line or kernel breaks this rule: 'line.conflicts > 0',\n"
	 "'line.lines128_used > +5%', 'kernel.time_ns > +10%'; repeatable",
	 KEY_FAIL_ON},
	{"output", 'o', "FILE",
	 "export: write to this file (default: standard output);\n"
	 "rocprofv3: the prefix of the file names; otf2: a directory",
	 KEY_OUTPUT},
	{"force", 0, NULL, "export: overwrite an existing file", KEY_FORCE},
	{"run-name", 0, "NAME",
	 "load: add the files to this run (default: the guid of the first file)", KEY_RUN_NAME},
	{"source-dir", 0, "DIR", "where the sources are now, if they have moved", KEY_SOURCE_ROOT},
	{"source-root", 0, "DIR", "the same as --source-dir", KEY_SOURCE_ROOT},
	{NULL, 0, NULL, "How", 0},
	{"format", 0, "NAME",
	 "table, csv or json (table); samples: also rocprofv3, its CSV;\n"
	 "check: also sarif, github, markdown, junit; export: html,\n"
	 "json (of all), chrome, perfetto, speedscope, folded, otf2,\n"
	 "csv or rocprofv3 (its files)",
	 KEY_FORMAT},
	{"separator", 't', "SEP", "csv: one character between fields (,)", KEY_SEPARATOR},
	{"header", 0, NULL, "print column names (default)", KEY_HEADER},
	{"no-header", 0, NULL, "print no column names", KEY_NO_HEADER},
	{"quiet", 'q', NULL, "print errors, but no warnings", KEY_QUIET},
	{"color", 0, "WHEN", "auto, always or never", KEY_COLOR},
	{NULL, 0, NULL, "Other", 0},
	{"print-verbs", 0, NULL, "print the verbs, one per line", KEY_PRINT_VERBS},
	{"print-options", 0, NULL, "print the long options, one per line", KEY_PRINT_OPTIONS},
	{"help", 'h', NULL, "print this text", KEY_HELP},
	{"version", 0, NULL, "print versions", KEY_VERSION},
};

static const struct probe_command command = {
	.name = "probe-report",
	.usage = "[verb] [options] [FILE...]",
	.options = options,
	.count = sizeof(options) / sizeof(*options),
	.footer =
		"Extra cycles: an estimate of what extra LDS passes and extra cache-line requests cost in\n"
		"the whole run; for atomic updates that wait for other lanes, an upper bound. Without PC\n"
		"samples, it is a throughput model. An LDS pass takes one cycle of its compute unit.\n"
		"Cache lines take their bytes divided by a bandwidth measured on an MI210: that of the\n"
		"L2 if all allocations fit in it (with some 4 MB of the HIP runtime), otherwise that of\n"
		"memory; or the cycles that the address unit needs for each four lanes. Other work may\n"
		"hide these cycles. If the estimates of a kernel add up to more than its time, all are\n"
		"reduced by one factor.\n"
		"If the original kernel has at least 100 PC samples (probe-run --twice), the estimate is\n"
		"the share of its samples that waited for the accesses of the line, times the avoidable\n"
		"share of its passes, requests or updates, times the kernel's time. It is no bound: a fix\n"
		"saves less if other waves hide the wait, and more if other waves wait at a barrier for\n"
		"this wave, or few waves work.\n"
		"\n"
		"Exit status: 0 success, 1 error, 2 usage.",
};

static const char *const by_names[] = {"line",	   "kernel",	   "instruction",
				       "dispatch", "launch-shape", NULL};

void report_usage(void)
{
	fprintf(stderr, "probe: usage: %s %s\n", command.name, command.usage);
}

static struct probe_err *print_help(void)
{
	PROBE_AUTO_FREE char *summary = NULL;
	struct probe_command with_verbs = command;
	size_t size;
	FILE *out = open_memstream(&summary, &size);

	if (!out)
		return probe_err_oom();
	fputs("Show what probe-run recorded.\n\nVerbs", out);
	for (const struct report_verb *const *verb = report_verbs; *verb; verb++)
		fprintf(out, "\n  %-12s %s", (*verb)->name, (*verb)->help);
	if (fclose(out))
		return probe_err_oom();
	with_verbs.summary = summary;
	probe_command_help(&with_verbs, stdout);
	return NULL;
}

/* ---- Values ---------------------------------------------------------------------------------- */

static struct probe_err *set_limit(struct report *report, const char *value)
{
	char *end;

	report->limit = strtoll(value, &end, 10);
	if (end == value || *end || report->limit < 0)
		return probe_err_create("invalid value '%s' for --limit; expected a number, 0 for "
					"no limit",
					value);
	/* -1 means the verb's default limit. */
	if (!report->limit)
		report->limit = INT64_MAX;
	return NULL;
}

static struct probe_err *set_last(struct report *report, const char *value)
{
	char *end;
	long last = strtol(value, &end, 10);

	if (end == value || *end || last < 1 || last > REPORT_LAST_MAX)
		return probe_err_create("invalid value '%s' for --last; expected a number, 1 to %d",
					value, REPORT_LAST_MAX);
	report->last = (size_t)last;
	return NULL;
}

static struct probe_err *set_kernel(struct report *report, const char *value)
{
	char text[128];
	int rc;

	if (report->kernel)
		return probe_err_create("--kernel was given twice; join the patterns with |");
	if (!probe_pattern_bounded(value))
		return probe_err_create("invalid value for --kernel: " PROBE_PATTERN_UNBOUNDED);
	rc = regcomp(&report->kernel_regex, value, REG_EXTENDED | REG_NOSUB);
	if (rc) {
		regerror(rc, &report->kernel_regex, text, sizeof(text));
		return probe_err_create("invalid value '%s' for --kernel: %s; expected an extended "
					"regular expression, with \\ before characters to be "
					"matched literally",
					value, text);
	}
	report->kernel = value;
	return NULL;
}

static struct probe_err *set_source_root(struct report *report, const char *value)
{
	struct stat st;

	if (stat(value, &st))
		return probe_err_create("invalid value '%s' for --source-dir: %s", value,
					strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return probe_err_create("invalid value '%s' for --source-dir: not a directory",
					value);
	report->source_root = value;
	return NULL;
}

static struct probe_err *set_separator(struct report *report, const char *value)
{
	if (!strcmp(value, "\\t"))
		value = "\t";
	if (strlen(value) != 1 || strchr("\"\r\n", *value) || (unsigned char)*value >= 0x80)
		return probe_err_create("invalid value '%s' for --separator; expected one plain "
					"character",
					value);
	report->separator = *value;
	return NULL;
}

static struct probe_err *add_file(struct report *report, const char *path)
{
	const char **files;

	if (!*path)
		return probe_err_create("the name of a file is empty");
	files = realloc(report->files, (report->file_count + 1) * sizeof(*files));
	if (!files)
		return probe_err_oom();
	report->files = files;
	files[report->file_count++] = path;
	return NULL;
}

/* ---- Options --------------------------------------------------------------------------------- */

static unsigned group_of(enum key key)
{
	static const unsigned groups[] = {
		[KEY_SORT] = REPORT_O_ROWS,
		[KEY_FIELDS] = REPORT_O_ROWS,
		[KEY_LIMIT] = REPORT_O_ROWS,
		[KEY_KERNEL] = REPORT_O_KERNEL,
		[KEY_ALL] = REPORT_O_ALL,
		[KEY_UNFOLD] = REPORT_O_UNFOLD,
		[KEY_FINDINGS] = REPORT_O_UNFOLD,
		[KEY_TABLE] = REPORT_O_TABLE,
		[KEY_DISPATCHES] = REPORT_O_DISPATCHES,
		[KEY_START] = REPORT_O_DISPATCHES,
		[KEY_END] = REPORT_O_DISPATCHES,
		[KEY_BY] = REPORT_O_BY,
		[KEY_RUNS] = REPORT_O_RUNS,
		[KEY_MERGE] = REPORT_O_MERGE,
		[KEY_OUTPUT] = REPORT_O_OUTPUT,
		[KEY_FORCE] = REPORT_O_OUTPUT,
		[KEY_RUN_NAME] = REPORT_O_LOAD,
		[KEY_BASELINE] = REPORT_O_BASELINE,
		[KEY_FAIL_ON] = REPORT_O_GATE,
		[KEY_VERSION] = 0,
	};

	return groups[key];
}

static struct probe_err *add_rule(struct report *report, const char *text)
{
	if (report->rule_count == REPORT_RULES_MAX)
		return probe_err_create("--fail-on: more than %d rules", REPORT_RULES_MAX);
	report->rules[report->rule_count++] = text;
	return NULL;
}

static struct probe_err *set_other_option(struct report_line *line, enum key key, const char *value)
{
	static const char *const colors[] = {"auto", "always", "never", NULL};
	struct probe_err *err;
	int word = 0;

	switch (key) {
	case KEY_QUIET:
		line->quiet = true;
		return NULL;
	case KEY_COLOR:
		err = probe_option_choose("--color", colors, value, &word);
		line->color = (enum probe_color)word;
		return err;
	case KEY_HELP:
		line->done = true;
		return print_help();
	case KEY_PRINT_VERBS:
		line->done = true;
		for (const struct report_verb *const *verb = report_verbs; *verb; verb++)
			puts((*verb)->name);
		return NULL;
	case KEY_PRINT_OPTIONS:
		line->done = true;
		probe_command_list(&command, stdout);
		return NULL;
	case KEY_VERSION:
		line->done = true;
		printf("probe-report %s\nSQLite %s\n", PROBE_VERSION, probe_store_sqlite_version());
		return NULL;
	default:
		return NULL;
	}
}

static struct probe_err *set_output_option(struct report_line *line, enum key key,
					   const char *value)
{
	struct report *report = &line->report;
	struct probe_err *err;
	int word = 0;

	switch (key) {
	case KEY_FORMAT:
		err = probe_option_choose("--format", report_format_names, value, &word);
		report->format = (enum report_format)word;
		return err;
	case KEY_SEPARATOR:
		return set_separator(report, value);
	case KEY_HEADER:
	case KEY_NO_HEADER:
		report->header = key == KEY_HEADER;
		return NULL;
	case KEY_SOURCE_ROOT:
		return set_source_root(report, value);
	case KEY_BASELINE:
		report->baseline = value;
		return NULL;
	case KEY_FAIL_ON:
		return add_rule(report, value);
	case KEY_OUTPUT:
		report->output = strcmp(value, "-") ? value : NULL;
		return NULL;
	case KEY_FORCE:
		report->force = true;
		return NULL;
	case KEY_RUN_NAME:
		report->run_name = value;
		return NULL;
	default:
		return set_other_option(line, key, value);
	}
}

static struct probe_err *set_option(void *user, int key, const char *value)
{
	struct report_line *line = user;
	struct report *report = &line->report;
	struct probe_err *err;
	int word = 0;

	report->given |= group_of((enum key)key);
	switch ((enum key)key) {
	case KEY_FILE:
		return add_file(report, value);
	case KEY_LAST:
		return set_last(report, value);
	case KEY_SORT:
		report->sort = value;
		return NULL;
	case KEY_FIELDS:
		report->fields = value;
		report->fields_given = true;
		return NULL;
	case KEY_LIMIT:
		return set_limit(report, value);
	case KEY_KERNEL:
		return set_kernel(report, value);
	case KEY_BY:
		err = probe_option_choose("--by", by_names, value, &word);
		report->by = (enum report_by)word;
		return err;
	case KEY_DISPATCHES:
		return report_set_dispatches(report, value);
	case KEY_START:
		return report_set_time("--start", value, &report->start);
	case KEY_END:
		return report_set_time("--end", value, &report->end);
	case KEY_RUNS:
		report->runs = true;
		return NULL;
	case KEY_MERGE:
		report->merge = true;
		return NULL;
	case KEY_ALL:
		report->all = true;
		return NULL;
	case KEY_UNFOLD:
		report->unfold = true;
		return NULL;
	case KEY_FINDINGS:
		report->findings = true;
		return NULL;
	case KEY_TABLE:
		report->table = value;
		return NULL;
	default:
		return set_output_option(line, (enum key)key, value);
	}
}

/* ---- Words ----------------------------------------------------------------------------------- */

static struct probe_err *unknown_verb(const char *word)
{
	char text[400] = "";
	size_t n = 0;

	for (const struct report_verb *const *verb = report_verbs; *verb && n < sizeof(text);
	     verb++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? ", " : "",
				      (*verb)->name);
	return probe_err_create("'%s' is neither a verb nor a file; verbs: %s", word, text);
}

/* A word without special characters that names no existing file. */
static bool is_name(const char *word)
{
	return !strpbrk(word, "./") && access(word, F_OK);
}

/* The first word that is not an option may be the verb. */
static struct probe_err *read_first_word(struct report *report, const char *word)
{
	const struct report_verb *verb = report_verb_find(word);

	if (verb && verb->command)
		return probe_err_create("%s has options of its own and must be the first word: "
					"probe-report %s --help",
					word, word);
	if (verb) {
		report->verb = verb;
		return NULL;
	}
	return *word && is_name(word) ? unknown_verb(word) : add_file(report, word);
}

/*
 * "annotate KERNEL FILE": the first word is a pattern if there are more words than files, or if it
 * names no file.
 */
static struct probe_err *read_kernel_word(struct report *report)
{
	bool name = report->file_count && is_name(report->files[0]);
	size_t wanted = name ? 0 : report->runs ? 2 : 1;
	const char *word;

	if (!report->verb->kernel_word || report->kernel || report->file_count <= wanted)
		return NULL;
	word = report->files[0];
	report->file_count--;
	memmove(report->files, report->files + 1, report->file_count * sizeof(*report->files));
	report->kernel_literal = true;
	/* A name that is not a valid pattern matches only itself; this pattern matches nothing. */
	if ((!probe_pattern_bounded(word) ||
	     regcomp(&report->kernel_regex, word, REG_EXTENDED | REG_NOSUB)) &&
	    regcomp(&report->kernel_regex, "^$x", REG_EXTENDED | REG_NOSUB))
		return probe_err_oom();
	report->kernel = word;
	return NULL;
}

static struct probe_err *read_statement_word(struct report *report)
{
	if (!report->verb->statement_word)
		return NULL;
	if (!report->file_count)
		return probe_err_create("%s: expected a statement, such as: probe-report sql "
					"'SELECT * FROM kernels' FILE",
					report->verb->name);
	report->statement = report->files[0];
	report->file_count--;
	memmove(report->files, report->files + 1, report->file_count * sizeof(*report->files));
	return NULL;
}

/* Without a file: use the newest. */
static struct probe_err *find_newest(struct report_line *line)
{
	struct report *report = &line->report;
	struct probe_err *err;

	if (report->verb->input == REPORT_NO_FILES || (report->file_count && !report->last))
		return NULL;
	if (report->file_count)
		return probe_err_create("--last cannot be used with a file ('%s')",
					report->files[0]);
	if (!report->last)
		report->last = report->runs ? 2 : 1;
	err = report_newest_runs(report->last, &line->newest, &line->newest_count);
	if (err)
		return err;
	for (size_t i = 0; i < line->newest_count; i++) {
		err = add_file(report, line->newest[i]);
		if (err)
			return err;
	}
	return NULL;
}

/* Options may stand between and after files: continue after each word that is not an option. */
struct probe_err *report_parse(int argc, char **argv, struct report_line *line)
{
	bool literal = false, first = true;
	struct probe_err *err;

	*line = (struct report_line){
		.report = {.verb = report_verbs[0],
			   .verbs = report_verbs,
			   .limit = -1,
			   .separator = ',',
			   .header = true,
			   .end = INT64_MAX},
		.color = PROBE_COLOR_AUTO,
	};
	for (int at = 0; at < argc - 1;) {
		int next = 1;

		err = NULL;
		if (!literal)
			err = probe_command_parse(&command, argc - at, argv + at, set_option, line,
						  &next);
		if (err || line->done)
			return err;
		literal |= next > 1 && !strcmp(argv[at + next - 1], "--");
		at += next;
		if (at >= argc)
			break;
		err = first && !literal ? read_first_word(&line->report, argv[at])
					: add_file(&line->report, argv[at]);
		if (err)
			return err;
		first = false;
	}
	err = read_statement_word(&line->report);
	if (err)
		return err;
	err = read_kernel_word(&line->report);
	if (!err && line->report.start > line->report.end)
		err = probe_err_create("--start is later than --end");
	return err ? err : find_newest(line);
}

void report_line_deinit(struct report_line *line)
{
	if (line->report.kernel)
		regfree(&line->report.kernel_regex);
	free(line->report.files);
	report_newest_free(line->newest, line->newest_count);
}
