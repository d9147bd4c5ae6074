/* SPDX-License-Identifier: MIT */
/* probe-report lines. */
#include <stdio.h>

#include "cmds/report/accounting_text.h"
#include "cmds/report/block_executions.h"
#include "cmds/report/findings.h"
#include "cmds/report/lines_query.h"
#include "cmds/report/missing_clones.h"
#include "cmds/report/query.h"
#include "cmds/report/report_db.h"
#include "cmds/report/row_formats.h"
#include "cmds/report/sample_join.h"
#include "cmds/report/verb_table.h"
#include "common/err.h"

/* What to say where the handler left no table. */
static struct probe_err *without_table(const struct report *report, const struct report_db *db,
				       bool first, bool last)
{
	struct probe_err *err;
	bool missing;

	if (report->format != REPORT_TABLE)
		return report_no_rows(report, db, &report_lines_query, first, last);
	err = report_no_clones(report, db, &missing);
	if (!err && !missing)
		puts("no lines: the handler `memory` did not run; record with probe-run -a memory");
	return err;
}

/* Above the findings: what waiting for each costs. */
static struct probe_err *put_joined(const struct report *report, const struct report_db *db)
{
	struct report view = *report;
	struct probe_err *err;
	bool any = false;

	/* -s may be of the findings. */
	if (!report_fits(report, &report_join_query))
		view.sort = NULL;
	err = report_any_row(&view, db, &report_join_query, &any);
	if (err)
		return err;
	if (!any) {
		puts(report->kernel
			     ? "no kernel that --kernel matches was both sampled and probed, or "
			       "waves hardly waited at its lines (--all shows them)"
			     : "waves hardly waited at any line (--all shows them)");
		return NULL;
	}
	puts("where waves waited, and the requests to memory there (modelled: at most; for global memory\n"
	     "perhaps none, since cache hits are not known)");
	return report_rows(&view, db, &report_join_query, true, true);
}

static struct probe_err *put_text(const struct report *report, struct report_db *db, bool has,
				  bool joined, bool first, bool last)
{
	struct probe_err *err = report_head(report, db);
	bool missing = false;

	if (err)
		return err;
	putchar('\n');
	if (!has)
		err = without_table(report, db, first, last);
	else
		err = report_no_clones(report, db, &missing);
	if (!err && has && !missing)
		err = joined ? put_joined(report, db) : report_not_joined(report, db);
	if (!err && has && !missing && joined && !report->fields_given)
		putchar('\n');
	if (!err && has && !missing && !(joined && report->fields_given))
		err = report->fields_given
			      ? report_rows(report, db, &report_lines_query, first, last)
			      : report_findings(report, db, report->limit, false);
	if (err)
		return err;
	putchar('\n');
	return report_account(report, db);
}

static struct probe_err *show(const struct report *report, struct report_db *db, bool first,
			      bool last)
{
	bool has = report_db_has(db, "probe_memory_site"), joined = false;
	struct probe_err *err = report_joined(db, &joined);

	if (!err && !has && report_db_has(db, "probe_count_site"))
		return report_framed_rows(report, db, &report_counts_query, first, last);
	/* Columns may be those of either table. */
	joined = joined && (report_fits(report, &report_join_query) || !report->fields_given);
	if (!err && !joined)
		err = report_check(report, &report_lines_query);
	if (err)
		return err;
	if (report->format == REPORT_TABLE)
		return put_text(report, db, has, joined, first, last);
	if (!has)
		return without_table(report, db, first, last);
	if (!joined)
		err = report_not_joined(report, db);
	return err ? err
		   : report_rows(report, db, joined ? &report_join_query : &report_lines_query,
				 first, last);
}

static const struct report_query *query(const struct report *report, unsigned number)
{
	static const struct report_query *const queries[] = {
		&report_lines_query, &report_join_query, &report_counts_query, NULL};

	(void)report;
	return queries[number];
}

const struct report_verb report_verb_lines = {
	.name = "lines",
	.help = "source lines with extra cache-line requests or LDS bank conflicts, and fixes",
	.options = REPORT_O_ROWS | REPORT_O_KERNEL | REPORT_O_ALL | REPORT_O_RUNS,
	.formats = 1 << REPORT_TABLE | 1 << REPORT_CSV | 1 << REPORT_JSON,
	.counts = true,
	.query = query,
	.show = show,
};
