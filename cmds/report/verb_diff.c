/* SPDX-License-Identifier: MIT */
/* probe-report diff BEFORE AFTER: what changed from one run of a program to the next. */
#include <stdio.h>

#include "cmds/report/accounting_text.h"
#include "cmds/report/compare_runs.h"
#include "cmds/report/report_db.h"
#include "cmds/report/row_formats.h"
#include "cmds/report/verb_table.h"
#include "common/err.h"

static struct probe_err *check_two(const struct report *report)
{
	if (report->file_count == 2)
		return NULL;
	return probe_err_create("diff: expected two databases, an older and a newer run, not %zu",
				report->file_count);
}

static struct probe_err *print_head(const struct report *report, const char *name, const char *path)
{
	REPORT_AUTO_DB struct report_db db = {0};
	struct probe_err *err = report_db_open(report, path, &db);

	if (err)
		return err;
	printf("%s: ", name);
	return report_head(report, &db);
}

/* Describes the two runs. */
static struct probe_err *print_heads(const struct report *report)
{
	struct probe_err *err = print_head(report, "before", report->files[0]);

	return err ? err : print_head(report, "after", report->files[1]);
}

static struct probe_err *print_changes(const struct report *report, const struct report_db *db)
{
	bool any = false;
	struct probe_err *err = report_any_row(report, db, &report_compare_query, &any);

	if (err)
		return err;
	if (any)
		return report_rows(report, db, &report_compare_query, true, true);
	puts(report->kernel ? "nothing changed in kernels that --kernel matches"
			    : "nothing changed: all counts are equal");
	return NULL;
}

static struct probe_err *show(const struct report *report, struct report_db *unused, bool first,
			      bool last)
{
	REPORT_AUTO_DB struct report_db db = {0};
	struct report view = *report;
	struct probe_err *err;

	(void)unused;
	view.file_count = 1; /* all rows form one table, without a column for the file */
	err = report_compare_open(&view, report->files[0], report->files[1], &db);
	if (err)
		return err;
	if (db.reader.partial)
		probe_log(PROBE_LOG_WARNING,
			  "one of the runs is partial: its counts are lower bounds");
	if (report->format != REPORT_TABLE)
		return report_rows(&view, &db, &report_compare_query, first, last);
	err = print_heads(report);
	putchar('\n');
	return err ? err : print_changes(&view, &db);
}

static const struct report_query *query(const struct report *report, unsigned number)
{
	(void)report;
	return number ? NULL : &report_compare_query;
}

const struct report_verb report_verb_diff = {
	.name = "diff",
	.help = "two runs of one program: what changed, by line and by kernel",
	.options = REPORT_O_ROWS | REPORT_O_KERNEL | REPORT_O_ALL,
	.formats = 1 << REPORT_TABLE | 1 << REPORT_CSV | 1 << REPORT_JSON,
	.input = REPORT_FILES_TOGETHER,
	.query = query,
	.check = check_two,
	.show = show,
};
