/* SPDX-License-Identifier: MIT */
/* probe-report summary: prints the most important rows of the other verbs. */
#include <stdio.h>

#include "cmds/report/accounting_text.h"
#include "cmds/report/findings.h"
#include "cmds/report/kernels_query.h"
#include "cmds/report/lines_query.h"
#include "cmds/report/missing_clones.h"
#include "cmds/report/report_db.h"
#include "cmds/report/row_formats.h"
#include "cmds/report/samples_query.h"
#include "cmds/report/verb_table.h"
#include "common/err.h"

/* The lines with the most samples, if there are any. */
static struct probe_err *print_samples(const struct report *report, const struct report_db *db)
{
	struct report view = *report;
	struct probe_err *err;
	bool any;

	if (!report_db_has(db, "probe_sample"))
		return NULL;
	err = report_any(db, "SELECT 1 FROM probe_sample LIMIT 1", &any);
	if (err || !any)
		return err;
	view.fields =
		"position,kernel,samples,share,issued,waitcnt,barrier,alu,arbiter,fetch,lanes";
	err = report_rows(&view, db, report_samples_query(REPORT_BY_LINE, REPORT_FROM_SUMS), true,
			  true);
	putchar('\n');
	return err;
}

/* The lines of highest cost; with kind `count`, the blocks that ran most often. */
static struct probe_err *print_lines(const struct report *view, const struct report_db *db,
				     bool memory)
{
	struct report lines = *view;
	const struct report_query *query;
	struct probe_err *err;

	lines.fields = NULL;
	lines.fields_given = false;
	err = report_lines_query(&lines, db, &query);
	if (err)
		return err;
	if (memory)
		return report_findings(&lines, db, query, lines.limit, true);
	lines.fields = "file,line,column,kernel,executions,lanes,mean_lanes,source";
	return report_rows(&lines, db, query, true, true);
}

/* The kernels of highest cost, the lines with the most samples, the findings of highest cost. */
static struct probe_err *show(const struct report *report, struct report_db *db, bool first,
			      bool last)
{
	bool limited = report->limit >= 0, missing = false;
	bool memory = report_db_has(db, "probe_memory_site");
	bool counts = report_db_has(db, "probe_count_site");
	bool sampled = report_db_has(db, "probe_sampler");
	const struct report_query *kernels;
	struct report view = *report;
	struct probe_err *err = report_kernels_query(db, &kernels);

	if (err)
		return err;
	if (report->format != REPORT_TABLE)
		return report_rows(report, db, kernels, first, last);
	err = sampled ? report_sampled_head(report, db) : report_head(report, db);
	if (err)
		return err;
	view.limit = limited ? report->limit : 10;
	putchar('\n');
	err = report_rows(&view, db, kernels, first, last);
	putchar('\n');
	if (err)
		return err;
	/* --sort and --fields apply only to the table above. */
	view.sort = NULL;
	view.limit = limited ? report->limit : 5;
	err = print_samples(&view, db);
	if (err)
		return err;
	err = report_no_clones(report, db, &missing);
	if (err)
		return err;
	if (!missing && (memory || counts)) {
		err = print_lines(&view, db, memory);
		if (err)
			return err;
	}
	if (missing || memory || counts || sampled)
		putchar('\n');
	return report_account(report, db);
}

static const struct report_query *query(const struct report *report, unsigned number)
{
	const struct report_query *ret = NULL;

	(void)report;
	return number || report_kernels_query(NULL, &ret) ? NULL : ret;
}

const struct report_verb report_verb_summary = {
	.name = "summary",
	.help = "kernels, and the source lines of highest cost (default)",
	.options = REPORT_O_ROWS | REPORT_O_KERNEL | REPORT_O_RUNS | REPORT_O_ALL,
	.formats = 1 << REPORT_TABLE | 1 << REPORT_CSV | 1 << REPORT_JSON,
	.query = query,
	.show = show,
};
