/* SPDX-License-Identifier: MIT */
/*
 * probe-report samples: prints where PC samples are: one row per source line, kernel, instruction
 * or dispatch. Only stochastic sampling records the state of a wave; for host-trap samples these
 * columns are empty. The number of samples at a position is proportional to the time that waves
 * spend there.
 */
#include <stdio.h>

#include "cmds/report/accounting_text.h"
#include "cmds/report/dispatch_filter.h"
#include "cmds/report/missing_samples.h"
#include "cmds/report/report_db.h"
#include "cmds/report/rocprofv3_csv.h"
#include "cmds/report/row_formats.h"
#include "cmds/report/samples_query.h"
#include "cmds/report/terminal_text.h"
#include "cmds/report/verb_table.h"
#include "common/err.h"

static void print_few(const struct report *report, sqlite3_stmt *stmt)
{
	(void)report;
	fputs(sqlite3_column_int(stmt, 2) == 1 ? "too few samples, below 100, to compare: " : ", ",
	      stdout);
	report_put(report_cell(stmt, 0));
	printf(" (%s)", report_cell(stmt, 1));
}

/* Below this number, percentages of a kernel's lines are not significant. */
static struct probe_err *print_too_few(const struct report *report, const struct report_db *db,
				       enum report_source source)
{
	const char *sql = report_few_sql(source);
	bool any = false;
	struct probe_err *err = report_any(db, sql, &any);

	if (err || !any)
		return err;
	err = report_each(db, sql, print_few, report);
	putchar('\n');
	return err;
}

static void print_approximate(const struct report *report, sqlite3_stmt *stmt)
{
	int64_t count = sqlite3_column_int64(stmt, 0);

	(void)report;
	if (count)
		printf("%lld %s of code that the compiler made for no particular line: attributed to "
		       "the line before it, or the call that it was inlined by\n",
		       (long long)count, report_plural(count, "sample is", "samples are"));
}

static struct probe_err *rows_or_why(const struct report *report, const struct report_db *db,
				     const struct report_query *query, enum report_source source)
{
	bool none = false;
	struct probe_err *err = report_none(report, db, query, &none);

	if (err)
		return err;
	if (none) {
		err = report_no_choice(report, db, stdout);
		putchar('\n');
		return err;
	}
	err = report_rows(report, db, query, true, true);
	if (err)
		return err;
	if (!report->kernel && !report_filtered(report)) {
		err = report_unsampled(db);
		if (err)
			return err;
	}
	if (report->by == REPORT_BY_LINE || report->by == REPORT_BY_INSTRUCTION) {
		err = report_each(db, report_approximate_sql(source), print_approximate, report);
		if (err)
			return err;
	}
	return print_too_few(report, db, source);
}

static struct probe_err *show(const struct report *report, struct report_db *db, bool first,
			      bool last)
{
	const struct report_query *query;
	enum report_source source;
	struct probe_err *err = report_source(report, db, &source);
	bool any = false;

	if (err)
		return err;
	if (report->format == REPORT_ROCPROFV3)
		return report_rocprofv3(report, db, first);
	query = report_samples_query(report->by, source);
	if (report->format != REPORT_TABLE)
		return report_rows(report, db, query, first, last);
	err = report_samples_head(report, db, source, &any);
	if (err)
		return err;
	if (any) {
		err = rows_or_why(report, db, query, source);
		if (err)
			return err;
	}
	putchar('\n');
	return report_account(report, db);
}

static const struct report_query *query(const struct report *report, unsigned number)
{
	return number ? NULL : report_samples_query(report->by, REPORT_FROM_SUMS);
}

static struct probe_err *check(const struct report *report)
{
	if (report->by == REPORT_BY_LAUNCH_SHAPE)
		return probe_err_create(
			"--by: samples are shown by line, kernel, instruction or dispatch");
	return NULL;
}

const struct report_verb report_verb_samples = {
	.name = "samples",
	.help = "source lines with PC samples, and why waves stalled there",
	.options =
		REPORT_O_ROWS | REPORT_O_KERNEL | REPORT_O_RUNS | REPORT_O_DISPATCHES | REPORT_O_BY,
	.formats = 1 << REPORT_TABLE | 1 << REPORT_CSV | 1 << REPORT_JSON | 1 << REPORT_ROCPROFV3,
	.query = query,
	.check = check,
	.show = show,
};
