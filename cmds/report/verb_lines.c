/* SPDX-License-Identifier: MIT */
/* probe-report lines. */
#include <stdio.h>

#include "cmds/options/replay_command.h"
#include "cmds/report/accounting_text.h"
#include "cmds/report/dispatch_filter.h"
#include "cmds/report/findings.h"
#include "cmds/report/lines_query.h"
#include "cmds/report/missing_choice.h"
#include "cmds/report/missing_clones.h"
#include "cmds/report/query.h"
#include "cmds/report/report_db.h"
#include "cmds/report/row_formats.h"
#include "cmds/report/sample_join.h"
#include "cmds/report/verb_table.h"
#include "common/cleanup.h"
#include "common/err.h"

/* Printed above the findings: the cost of waiting for each. */
static struct probe_err *print_waits(const struct report *report, const struct report_db *db,
				     const struct report_query *query)
{
	struct report view = *report;
	bool any = false;
	struct probe_err *err;

	view.fields = "position,at,kernel,memory,share,stalled_share,waiting_share,conflicts,"
		      "lines128_excess,avoidable,cycles,cycles_basis,time_share,kernel_samples";
	if (view.limit < 0)
		view.limit = FINDINGS_MAX;
	err = report_any_row(&view, db, query, &any);
	if (err)
		return err;
	if (any) {
		puts("where waves waited, and what the requests to memory there cost (an estimate, not a bound)");
		err = report_rows(&view, db, query, true, true);
	} else {
		puts("waves hardly waited at any line (--all shows them)");
	}
	putchar('\n');
	return err;
}

static struct probe_err *print_accesses(const struct report *report, const struct report_db *db,
					const struct report_query *query)
{
	bool joined = false;
	struct probe_err *err = report_joined(db, &joined);

	if (err)
		return err;
	err = report_lines_not_joined(report, db);
	if (err)
		return err;
	if (report->fields_given)
		return report_rows(report, db, query, true, true);
	if (joined && !report->findings && !report_filtered(report)) {
		err = print_waits(report, db, query);
		if (err)
			return err;
	}
	return report_findings(report, db, query, report->limit, false);
}

static struct probe_err *print_blocks(const struct report *report, const struct report_db *db,
				      const struct report_query *query)
{
	struct report view = *report;
	bool any = false;
	struct probe_err *err;

	if (!report->fields_given)
		view.fields = "file,line,column,kernel,sites,executions,lanes,mean_lanes,source";
	err = report_any_row(&view, db, query, &any);
	if (err)
		return err;
	if (!any) {
		puts("no block of an instrumented kernel was executed");
		return NULL;
	}
	err = report_rows(&view, db, query, true, true);
	if (err)
		return err;
	puts("a row counts basic blocks, which it names by one of their lines. Optimised code may have several "
	     "blocks for a line\n(copies of an unrolled loop, also in rows of other lines), or none of its own");
	return NULL;
}

/* The recorder has not run these handlers yet, or was killed; their records are stored. */
#define PENDING                                                                                    \
	"SELECT value FROM probe_run WHERE key = 'handlers' AND value <> '' AND "                  \
	"(SELECT value FROM probe_run WHERE key = 'handlers_ended') = 0"

static struct probe_err *print_no_lines(const struct report_db *db)
{
	PROBE_AUTO_FREE char *command = NULL;
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	bool pending = false;
	struct probe_err *err = report_first_row(db, PENDING, &stmt, &pending);

	if (err)
		return err;
	if (!pending) {
		puts("no lines: the handler `memory` did not run; record with probe-run -a memory");
		return NULL;
	}
	command = replay_command(report_cell(stmt, 0), db->path);
	if (!command)
		return probe_err_oom();
	printf("no lines: handlers have not processed the records. probe-run runs them when the "
	       "application has ended; after a kill, run them with:\n%s\n",
	       command);
	return NULL;
}

/* The lines, or why there are none. */
static struct probe_err *print_lines(const struct report *report, const struct report_db *db,
				     const struct report_query *query)
{
	bool missing = false, none = false;
	struct probe_err *err = report_no_clones(report, db, &missing);

	if (err || missing)
		return err;
	err = report_none_chosen(report, db, &none);
	if (err || none)
		return err;
	if (report_db_has(db, "probe_memory_site"))
		return print_accesses(report, db, query);
	if (report_db_has(db, "probe_count_site"))
		return print_blocks(report, db, query);
	return print_no_lines(db);
}

static struct probe_err *print_text(const struct report *report, const struct report_db *db,
				    const struct report_query *query)
{
	struct probe_err *err = report_head(report, db);

	if (err)
		return err;
	putchar('\n');
	err = print_lines(report, db, query);
	if (err)
		return err;
	putchar('\n');
	return report_account(report, db);
}

static struct probe_err *show(const struct report *report, struct report_db *db, bool first,
			      bool last)
{
	const struct report_query *query;
	struct probe_err *err = report_lines_query(report, db, &query);
	bool none;

	if (err)
		return err;
	if (report->format == REPORT_TABLE)
		return print_text(report, db, query);
	if (!report_db_has(db, "probe_memory_site") && !report_db_has(db, "probe_count_site"))
		return report_no_rows(report, db, query, first, last);
	err = report_none_chosen(report, db, &none);
	if (err)
		return err;
	err = report_lines_not_joined(report, db);
	return err ? err : report_rows(report, db, query, first, last);
}

static const struct report_query *query(const struct report *report, unsigned number)
{
	const struct report_query *ret = NULL;

	return number || report_lines_query(report, NULL, &ret) ? NULL : ret;
}

static struct probe_err *check(const struct report *report)
{
	if (report->given & REPORT_O_BY && report->by != REPORT_BY_LINE &&
	    report->by != REPORT_BY_LAUNCH_SHAPE)
		return probe_err_create("--by: lines are shown by line or by launch-shape");
	return NULL;
}

const struct report_verb report_verb_lines = {
	.name = "lines",
	.help = "source lines with extra cache-line requests or LDS bank conflicts, and fixes",
	.options = REPORT_O_ROWS | REPORT_O_KERNEL | REPORT_O_ALL | REPORT_O_RUNS |
		   REPORT_O_DISPATCHES | REPORT_O_BY | REPORT_O_UNFOLD,
	.formats = 1 << REPORT_TABLE | 1 << REPORT_CSV | 1 << REPORT_JSON,
	.counts = true,
	.query = query,
	.check = check,
	.show = show,
};
