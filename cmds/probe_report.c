/* SPDX-License-Identifier: MIT */
/* probe-report: read what probe-run recorded. The command line; verbs are in files of their own. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/err.h"
#include "common/log.h"
#include "common/option.h"
#include "probe_version.h"
#include "cmds/report/report.h"

enum key {
	KEY_FILE,
	KEY_RUNS,
	KEY_SORT,
	KEY_FIELDS,
	KEY_LIMIT,
	KEY_KERNEL,
	KEY_BY,
	KEY_DISPATCHES,
	KEY_START,
	KEY_END,
	KEY_ALL,
	KEY_TABLE,
	KEY_FORMAT,
	KEY_SEPARATOR,
	KEY_HEADER,
	KEY_NO_HEADER,
	KEY_SOURCE_ROOT,
	KEY_QUIET,
	KEY_COLOR,
	KEY_PRINT_OPTIONS,
	KEY_HELP,
	KEY_VERSION,
};

static const struct probe_option options[] = {
	{NULL, 0, NULL, "What to show", 0},
	{"all", 0, NULL, "lines: also what costs no more than it needs", KEY_ALL},
	{"table", 0, "NAME", "tables: the rows of this one (without it: which there are)",
	 KEY_TABLE},
	{"kernel", 'k', "RE", "only kernels whose demangled name matches", KEY_KERNEL},
	{"by", 0, "WHAT", "samples: a row per line, kernel, instruction or dispatch (line)",
	 KEY_BY},
	{"dispatches", 'd', "LIST", "samples, annotate, flame: only of these, as 1,5-9,12-",
	 KEY_DISPATCHES},
	{"start", 0, "TIME", "the same: from this time after the first dispatch: 3.5ms", KEY_START},
	{"end", 0, "TIME", "the same: up to this time", KEY_END},
	{"limit", 'n', "N", "at most N rows or findings", KEY_LIMIT},
	{"sort", 's', "KEY,...", "columns; '-' in front: from the top, '+': from the bottom",
	 KEY_SORT},
	{"fields", 'f', "NAME,...", "columns, in this order (see probe-report list)", KEY_FIELDS},
	{"input", 'i', "FILE", "a database, as without -i", KEY_FILE},
	{"runs", 0, NULL, "the two files are runs of one program, one sampled, one probed: as one",
	 KEY_RUNS},
	{"source-dir", 0, "DIR", "where sources are now: found by the end of their path",
	 KEY_SOURCE_ROOT},
	{"source-root", 0, "DIR", "the same", KEY_SOURCE_ROOT},
	{NULL, 0, NULL, "How", 0},
	{"format", 0, "NAME", "table, csv or json (table); samples: rocprofv3, its CSV",
	 KEY_FORMAT},
	{"separator", 't', "SEP", "of csv: one character (,)", KEY_SEPARATOR},
	{"header", 0, NULL, "column names (default)", KEY_HEADER},
	{"no-header", 0, NULL, "none", KEY_NO_HEADER},
	{"quiet", 'q', NULL, "no warnings: errors only", KEY_QUIET},
	{"color", 0, "WHEN", "auto, always or never", KEY_COLOR},
	{NULL, 0, NULL, "Other", 0},
	{"print-options", 0, NULL, "long options, one per line", KEY_PRINT_OPTIONS},
	{"help", 'h', NULL, "this text", KEY_HELP},
	{"version", 0, NULL, "versions", KEY_VERSION},
};

static const struct probe_command command = {
	.name = "probe-report",
	.usage = "[verb] [options] [FILE...]",
	.summary =
		"Show what probe-run recorded. Verbs: summary (default), lines, kernels,\n"
		"dispatches, samples, annotate [KERNEL] (its instructions, with their lines),\n"
		"flame (folded stacks of samples), tables (of handlers), info (also of programs\n"
		"and code objects), list (columns), replay (handlers again; replay --help).",
	.options = options,
	.count = sizeof(options) / sizeof(*options),
	.footer =
		"Cost is bytes of bandwidth wasted: the larger of 64 per excess line of 64 bytes\n"
		"and 128 per excess line of 128 bytes, and 128 per LDS bank conflict.\n"
		"Cycles saved by a fix are a model, rather an upper bound: samples that waited for\n"
		"a line's accesses, as a share of the kernel's, times the avoidable part of its\n"
		"LDS passes or lines, times the kernel's time. Lines that were in caches cost\n"
		"less, down to nothing, and which were is not known: for global memory half of it\n"
		"counts (saved_middle) where rows are put in order.\n"
		"Exit status: 0 ok, 1 error, 2 usage.",
};

static const char *const verbs[REPORT_VERBS] = {
	"summary", "lines",    "kernels", "dispatches", "samples",
	"flame",   "annotate", "tables",  "info",	"list",
};

struct line {
	struct report report;
	enum probe_color color;
	bool quiet;
	int done; /* help and the like: exit with done - 1 */
};

static struct probe_err *set_format(struct report *report, const char *value)
{
	static const char *const names[] = {"table", "csv", "json", "rocprofv3"};

	for (int i = 0; i < 4; i++) {
		if (!strcmp(value, names[i])) {
			report->format = (enum report_format)i;
			return NULL;
		}
	}
	return probe_err_create("--format: '%s' is none of: table, csv, json, rocprofv3", value);
}

static struct probe_err *set_by(struct report *report, const char *value)
{
	static const char *const names[REPORT_BYS] = {"line", "kernel", "instruction", "dispatch"};

	for (int i = 0; i < REPORT_BYS; i++) {
		if (!strcmp(value, names[i])) {
			report->by = (enum report_by)i;
			return NULL;
		}
	}
	return probe_err_create("--by: '%s' is none of: line, kernel, instruction, dispatch",
				value);
}

static struct probe_err *set_limit(struct report *report, const char *value)
{
	char *end;

	report->limit = strtoll(value, &end, 10);
	if (end == value || *end || report->limit < 0)
		return probe_err_create("-n: '%s' is no count", value);
	return NULL;
}

static struct probe_err *set_kernel(struct report *report, const char *value)
{
	char text[128];
	int rc;

	if (report->kernel)
		return probe_err_create("-k: given twice; join the patterns with |");
	rc = regcomp(&report->kernel_regex, value, REG_EXTENDED | REG_NOSUB);
	if (rc) {
		regerror(rc, &report->kernel_regex, text, sizeof(text));
		return probe_err_create("-k: '%s': %s", value, text);
	}
	report->kernel = value;
	return NULL;
}

static struct probe_err *set_source_root(struct report *report, const char *value)
{
	struct stat st;

	if (stat(value, &st))
		return probe_err_create("--source-dir: '%s': %s", value, strerror(errno));
	if (!S_ISDIR(st.st_mode))
		return probe_err_create("--source-dir: '%s' is no directory", value);
	report->source_root = value;
	return NULL;
}

static struct probe_err *set_separator(struct report *report, const char *value)
{
	if (!strcmp(value, "\\t"))
		value = "\t";
	if (strlen(value) != 1 || strchr("\"\r\n", *value) || (unsigned char)*value >= 0x80)
		return probe_err_create("-t: '%s' is not one plain character", value);
	report->separator = *value;
	return NULL;
}

static struct probe_err *add_file(struct report *report, const char *path)
{
	const char **files = realloc(report->files, (report->file_count + 1) * sizeof(*files));

	if (!files)
		return probe_err_oom();
	report->files = files;
	files[report->file_count++] = path;
	return NULL;
}

static struct probe_err *take_other(struct line *line, int key, const char *value)
{
	switch ((enum key)key) {
	case KEY_QUIET:
		line->quiet = true;
		break;
	case KEY_COLOR:
		if (!probe_color_parse(value, &line->color))
			return probe_err_create("--color: '%s' is none of: auto, always, never",
						value);
		break;
	case KEY_HELP:
		probe_command_help(&command, stdout);
		line->done = 1;
		break;
	case KEY_PRINT_OPTIONS:
		probe_command_list(&command, stdout);
		line->done = 1;
		break;
	case KEY_VERSION:
		printf("probe-report %s\nSQLite %s\n", PROBE_VERSION, sqlite3_libversion());
		line->done = 1;
		break;
	default:
		break;
	}
	return NULL;
}

static struct probe_err *take(void *user, int key, const char *value)
{
	struct line *line = user;
	struct report *report = &line->report;

	switch ((enum key)key) {
	case KEY_FILE:
		return add_file(report, value);
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
		report->by_given = true;
		return set_by(report, value);
	case KEY_DISPATCHES:
		return report_set_dispatches(report, value);
	case KEY_START:
		return report_set_time("--start", value, &report->start);
	case KEY_END:
		return report_set_time("--end", value, &report->end);
	case KEY_RUNS:
		report->runs = true;
		return NULL;
	case KEY_ALL:
		report->all = true;
		return NULL;
	case KEY_FORMAT:
		return set_format(report, value);
	case KEY_SEPARATOR:
		return set_separator(report, value);
	case KEY_HEADER:
	case KEY_NO_HEADER:
		report->header = key == KEY_HEADER;
		return NULL;
	case KEY_TABLE:
		report->table = value;
		return NULL;
	case KEY_SOURCE_ROOT:
		return set_source_root(report, value);
	default:
		return take_other(line, key, value);
	}
}

static bool set_verb(struct report *report, const char *word)
{
	for (int i = 0; i < REPORT_VERBS; i++) {
		if (!strcmp(verbs[i], word)) {
			report->verb = (enum report_verb)i;
			return true;
		}
	}
	return false;
}

static struct probe_err *no_verb(const char *word)
{
	char text[200] = "";
	size_t n = 0;

	for (int i = 0; i < REPORT_VERBS && n < sizeof(text); i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", i ? ", " : "", verbs[i]);
	return probe_err_create("'%s' is no verb and no file; verbs: %s, replay", word, text);
}

/* A plain word in front of files can only be meant as a verb. */
static bool meant_as_verb(const char *word, int behind)
{
	return behind > 0 && !strpbrk(word, "./") && access(word, F_OK);
}

/* Options may stand between and after files: parse on behind each word that is none. */
static struct probe_err *parse(int argc, char **argv, struct line *line)
{
	bool literal = false, first = true;

	for (int at = 0; at < argc - 1;) {
		struct probe_err *err = NULL;
		int next = 1;

		if (!literal)
			err = probe_command_parse(&command, argc - at, argv + at, take, line,
						  &next);
		if (err || line->done)
			return err;
		literal |= next > 1 && !strcmp(argv[at + next - 1], "--");
		at += next;
		if (at >= argc)
			return NULL;
		if (first && !literal && meant_as_verb(argv[at], argc - at - 1) &&
		    !set_verb(&line->report, argv[at]))
			err = no_verb(argv[at]);
		else if (!(first && !literal && set_verb(&line->report, argv[at])))
			err = add_file(&line->report, argv[at]);
		if (err)
			return err;
		first = false;
	}
	return NULL;
}

/* "annotate KERNEL FILE": with more words than files are wanted, the first is a pattern. */
static struct probe_err *take_kernel(struct report *report)
{
	size_t wanted = report->runs ? 2 : 1;
	const char *word;

	if (report->verb != REPORT_ANNOTATE || report->kernel || report->file_count <= wanted)
		return NULL;
	word = report->files[0];
	report->file_count--;
	memmove(report->files, report->files + 1, report->file_count * sizeof(*report->files));
	report->kernel_literal = true;
	/* A name that is no pattern matches itself only: this one matches nothing else. */
	if (regcomp(&report->kernel_regex, word, REG_EXTENDED | REG_NOSUB) &&
	    regcomp(&report->kernel_regex, "^$x", REG_EXTENDED | REG_NOSUB))
		return probe_err_oom();
	report->kernel = word;
	return NULL;
}

/* Options that choose among rows, of the verbs that print none; and files, of list. */
static struct probe_err *check_rows(const struct report *report)
{
	const char *verb = verbs[report->verb];

	if (report->verb != REPORT_INFO && report->verb != REPORT_LIST &&
	    report->verb != REPORT_FLAME)
		return NULL;
	if (report->fields || report->sort || report->limit >= 0)
		return probe_err_create("-f, -s, -n: not with %s, whose rows are what they are",
					verb);
	if (report->kernel && report->verb != REPORT_FLAME)
		return probe_err_create("-k: not with %s, which is not about kernels that ran",
					verb);
	if (report->verb == REPORT_LIST && report->file_count)
		return probe_err_create("list takes no file ('%s'): it shows what columns there "
					"are; probe-report tables FILE, what handlers wrote",
					report->files[0]);
	return NULL;
}

/* Which options go with which verbs. */
static struct probe_err *check_options(const struct report *report)
{
	bool samples = report->verb == REPORT_SAMPLES || report->verb == REPORT_FLAME ||
		       report->verb == REPORT_ANNOTATE;

	if (!report->file_count && report->verb != REPORT_LIST)
		return probe_err_create("no file given; probe-run writes probe-out/HOST/PID.db");
	if (report->runs && (report->file_count != 2 || report->verb == REPORT_INFO))
		return probe_err_create("--runs: takes two databases, and not with info");
	if (report->all && report->verb != REPORT_LINES && report->verb != REPORT_SUMMARY)
		return probe_err_create(
			"--all: goes with lines and summary only; %s leaves nothing "
			"out",
			verbs[report->verb]);
	if (report->verb == REPORT_TABLES && report->kernel && !report->table)
		return probe_err_create(
			"-k: goes with tables only for a --table that names kernels");
	if (report->table && report->verb != REPORT_TABLES)
		return probe_err_create("--table: goes with the verb tables only");
	if (report_filtered(report) && !samples)
		return probe_err_create("--dispatches, --start, --end: go with samples, annotate "
					"and flame");
	if (report->by_given && report->verb != REPORT_SAMPLES)
		return probe_err_create("--by: goes with samples only");
	if (report->format != REPORT_TABLE && report->format != REPORT_ROCPROFV3 &&
	    report->verb == REPORT_FLAME)
		return probe_err_create("--format: flame has one form, folded stacks");
	if (report->format == REPORT_ROCPROFV3 && report->verb != REPORT_SAMPLES)
		return probe_err_create("--format rocprofv3: goes with samples only");
	if (report->format == REPORT_CSV && report->verb == REPORT_INFO)
		return probe_err_create("--format: info has no CSV form: use --format json");
	return check_rows(report);
}

/* Columns of lines, of the table that is above them with samples, or of a `count` run's. */
static struct probe_err *check_lines(const struct report *report)
{
	struct probe_err *err = report_check(report, &report_join_query);

	if (!err)
		return NULL;
	probe_err_destroy(err);
	err = report_check(report, &report_counts_query);
	if (!err)
		return NULL;
	probe_err_destroy(err);
	return report_check(report, &report_lines_query);
}

static struct probe_err *check(const struct report *report)
{
	struct probe_err *err = NULL;

	err = check_options(report);
	if (err)
		return err;
	switch (report->verb) {
	case REPORT_LINES:
		return check_lines(report);
	case REPORT_DISPATCHES:
		return report_check(report, &report_dispatches_query);
	case REPORT_SAMPLES:
		return report_check(report, report_samples_query(report->by, REPORT_FROM_SUMS));
	case REPORT_ANNOTATE:
		return report_check(report, report_annotate_query());
	case REPORT_INFO:
	case REPORT_TABLES: /* what columns there are is known when the file is open */
	case REPORT_FLAME:
	case REPORT_LIST:
		return NULL;
	default:
		return report_check(report, &report_kernels_query);
	}
}

/* Of counts that a program reads: where people read them, a table says it, and why. */
static void warn_partial(const struct report *report, const struct report_db *db)
{
	bool counts = report->verb == REPORT_LINES || report->verb == REPORT_KERNELS ||
		      report->verb == REPORT_TABLES;

	if (counts && db->reader.partial && report->format != REPORT_TABLE)
		probe_log(PROBE_LOG_WARNING,
			  "%s: partial: all counts are lower bounds (probe-report info says why)",
			  db->path);
}

static struct probe_err *show(const struct report *report, size_t i)
{
	bool first = i == 0, last = report->runs || i + 1 == report->file_count;
	struct report_db db;
	struct probe_err *err;

	if (i && report->format == REPORT_TABLE && report->verb != REPORT_FLAME)
		putchar('\n');
	if (report->verb == REPORT_INFO)
		return report_info(report, report->files[i], first, last);
	err = report->runs ? report_runs_open(report, &db)
			   : report_db_open(report, report->files[i], &db);
	if (err)
		return err;
	warn_partial(report, &db);
	if (report->verb == REPORT_LINES)
		err = report_lines(report, &db, first, last);
	else if (report->verb == REPORT_KERNELS)
		err = report_kernels(report, &db, first, last);
	else if (report->verb == REPORT_TABLES)
		err = report_tables(report, &db, first, last);
	else if (report->verb == REPORT_DISPATCHES)
		err = report_dispatches(report, &db, first, last);
	else if (report->verb == REPORT_SAMPLES)
		err = report_samples(report, &db, first, last);
	else if (report->verb == REPORT_ANNOTATE)
		err = report_annotate(report, &db, first, last);
	else if (report->verb == REPORT_FLAME)
		err = report_flame(report, &db);
	else
		err = report_summary(report, &db, first, last);
	report_db_close(&db);
	return err;
}

static struct probe_err *show_all(const struct report *report)
{
	size_t files = report->runs ? 1 : report->file_count;
	struct probe_err *err = NULL;

	if (report->verb == REPORT_LIST)
		report_list(report);
	for (size_t i = 0; i < files && !err && report->verb != REPORT_LIST; i++)
		err = show(report, i);
	if (fflush(stdout) && !err)
		err = probe_err_create("cannot write the report");
	return err;
}

static void deinit(struct line *line)
{
	if (line->report.kernel)
		regfree(&line->report.kernel_regex);
	free(line->report.files);
}

int main(int argc, char **argv)
{
	struct line line = {
		.report = {.limit = -1, .separator = ',', .header = true, .end = INT64_MAX},
		.color = PROBE_COLOR_AUTO,
	};
	struct probe_err *err;
	int status = 2;

	probe_log_setup(PROBE_LOG_INFO, line.color);
	if (argc > 1 && !strcmp(argv[1], "replay"))
		return report_replay(argc - 1, argv + 1);
	err = parse(argc, argv, &line);
	probe_log_setup(line.quiet ? PROBE_LOG_ERROR : PROBE_LOG_INFO, line.color);
	if (!err && !line.done)
		err = take_kernel(&line.report);
	if (!err && !line.done)
		err = check(&line.report);
	if (!err) {
		status = line.done ? line.done - 1 : 1;
		line.report.color = probe_color_on(line.color, STDOUT_FILENO);
		if (!line.done)
			err = show_all(&line.report);
		if (!err)
			status = 0;
	}
	if (err)
		probe_log_err(PROBE_LOG_ERROR, err);
	if (err && status == 2)
		fprintf(stderr, "probe: usage: %s %s\n", command.name, command.usage);
	probe_err_destroy(err);
	deinit(&line);
	return status;
}
