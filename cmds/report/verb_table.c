/* SPDX-License-Identifier: MIT */
#include "cmds/report/verb_table.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmds/report/accounting_text.h"
#include "cmds/report/attach_runs.h"
#include "cmds/report/merge_files.h"
#include "cmds/report/option_names.h"
#include "cmds/report/query.h"
#include "cmds/report/report_db.h"
#include "common/err.h"
#include "common/progress.h"

const struct report_verb *const report_verbs[] = {
	&report_verb_summary,	 &report_verb_lines,	 &report_verb_kernels,
	&report_verb_dispatches, &report_verb_samples,	 &report_verb_annotate,
	&report_verb_flame,	 &report_verb_occupancy, &report_verb_spills,
	&report_verb_mix,
	&report_verb_timeline,
	&report_verb_stats,	 &report_verb_api,	 &report_verb_copies,
	&report_verb_markers,	 &report_verb_launches,	 &report_verb_allocations,
	&report_verb_diff,	 &report_verb_check,	 &report_verb_export,
	&report_verb_load,	 &report_verb_sql,	 &report_verb_tables,
	&report_verb_doctor,	 &report_verb_info,	 &report_verb_list,
	&report_verb_mcp,	 &report_verb_replay,	 NULL,
};

const struct report_verb *report_verb_find(const char *name)
{
	for (const struct report_verb *const *verb = report_verbs; *verb; verb++)
		if (!strcmp((*verb)->name, name))
			return *verb;
	return NULL;
}

/* ---- Checking -------------------------------------------------------------------------------- */

/* The verbs that accept the options of the group. */
static struct probe_err *wrong_option(const struct report *report, enum report_option_group group)
{
	char text[400] = "";
	size_t n = 0;

	for (const struct report_verb *const *verb = report_verbs; *verb; verb++)
		if ((*verb)->options & group && n < sizeof(text))
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? ", " : "",
					      (*verb)->name);
	return probe_err_create("%s cannot be used with %s, only with %s",
				report_option_names(group), report->verb->name, text);
}

static struct probe_err *check_format(const struct report *report)
{
	unsigned formats = report->verb->formats;
	char text[160] = "";
	size_t n = 0;

	if (!formats && report->format != REPORT_TABLE)
		return probe_err_create("--format cannot be used with %s, which has only one form",
					report->verb->name);
	/* The default format is allowed: a verb without it reports that itself. */
	if (!formats || report->format == REPORT_TABLE || formats & 1u << report->format)
		return NULL;
	for (int format = 0; format < REPORT_ALL_FORMATS; format++)
		if (formats & 1u << format)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? ", " : "",
					      report_format_names[format]);
	return probe_err_create("invalid value '%s' for --format with %s; expected one of %s",
				report_format_names[report->format], report->verb->name, text);
}

static struct probe_err *check_files(const struct report *report)
{
	const struct report_verb *verb = report->verb;

	if (verb->input == REPORT_NO_FILES && report->file_count)
		return probe_err_create("%s takes no file ('%s')", verb->name, report->files[0]);
	if (report->runs && report->file_count != 2)
		return probe_err_create("--runs: expected two databases, not %zu",
					report->file_count);
	return NULL;
}

/*
 * --fields and --sort: columns of one of the verb's queries; the error is that of the first query.
 */
static struct probe_err *check_columns(const struct report *report)
{
	const struct report_query *query;

	for (unsigned n = 0; (query = report_verb_query(report->verb, report, n)); n++)
		if (report_fits(report, query))
			return NULL;
	query = report_verb_query(report->verb, report, 0);
	return query ? report_check(report, query) : NULL;
}

struct probe_err *report_check_options(const struct report *report)
{
	unsigned wrong = report->given & ~report->verb->options;
	struct probe_err *err = check_files(report);

	if (err)
		return err;
	for (int i = 0; i < REPORT_O_GROUPS; i++)
		if (wrong >> i & 1)
			return wrong_option(report, (enum report_option_group)(1 << i));
	err = check_format(report);
	if (err)
		return err;
	if (report->verb->check) {
		err = report->verb->check(report);
		if (err)
			return err;
	}
	return check_columns(report);
}

/* ---- Showing --------------------------------------------------------------------------------- */

/* A table says so in its head; for programs that read counts it is a warning. */
static void warn_partial(const struct report *report, const struct report_db *db)
{
	if (report->verb->counts && db->reader.partial && report->format != REPORT_TABLE)
		probe_log(PROBE_LOG_WARNING,
			  "%s: partial: all counts are lower bounds (probe-report info says why)",
			  db->path);
}

static struct probe_err *show(const struct report *report, struct report_db *db, bool first,
			      bool last)
{
	if (report->verb->rows)
		return report_framed_rows(report, db, report->verb->rows, first, last);
	return report->verb->show(report, db, first, last);
}

static struct probe_err *show_file(const struct report *report, size_t i)
{
	bool together = report->runs || report->merge;
	bool first = i == 0, last = together || i + 1 == report->file_count;
	REPORT_AUTO_DB struct report_db db = {.path = report->files[i]};
	struct probe_err *err;

	if (i && report->format == REPORT_TABLE && report->verb->formats)
		putchar('\n');
	probe_progress_step("reading %s", report->files[i]);
	/* The verb opens the file itself. */
	if (report->verb->input == REPORT_ANY_FILES)
		return show(report, &db, first, last);
	if (report->runs)
		err = report_runs_open(report, &db);
	else if (report->merge && report->file_count > 1)
		err = report_files_open(report, &db);
	else
		err = report_db_open(report, report->files[i], &db);
	if (err)
		return err;
	report_hide_progress();
	warn_partial(report, &db);
	return show(report, &db, first, last);
}

static struct probe_err *show_files(const struct report *report)
{
	size_t files = report->runs || report->merge ? report->file_count > 0 : report->file_count;

	if (report->verb->input == REPORT_NO_FILES || report->verb->input == REPORT_FILES_TOGETHER)
		return show(report, NULL, true, true);
	for (size_t i = 0; i < files; i++) {
		struct probe_err *err = show_file(report, i);

		if (err)
			return err;
	}
	return NULL;
}

struct probe_err *report_verb_show(const struct report *report)
{
	struct probe_err *err = show_files(report);

	probe_progress_end();
	errno = 0;
	/* It writes what an earlier write could not, so that errno says why again. */
	if ((fflush(stdout) || ferror(stdout)) && !err)
		err = probe_err_create(errno ? "cannot write the report: %s"
					     : "cannot write the report",
				       strerror(errno));
	return err;
}
