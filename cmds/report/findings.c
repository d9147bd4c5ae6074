/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* for asprintf */
#include "cmds/report/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmds/report/accounting_text.h"
#include "cmds/report/dispatch_filter.h"
#include "cmds/report/finding_text.h"
#include "cmds/report/query.h"
#include "cmds/report/report_db.h"
#include "cmds/report/report_options.h"
#include "cmds/report/site_cost.h"
#include "cmds/report/terminal_text.h"
#include "common/err.h"

/*
 * Without --all, a finding whose cost is below this fraction of the first one's is counted but not
 * shown.
 */
#define SMALL 0.01

struct walk {
	const struct report *report;
	struct finding finding;
	bool brief;
	int64_t limit;
	double worst; /* cycles of the most expensive finding */
	int64_t shown, more, small, library, good, hidden_good;
	double library_cycles;
	int64_t uncovered; /* accesses without probes */
	int64_t may_wait;  /* updates of accesses without extra cost, if there are only such */
};

static double cycles(const struct walk *walk)
{
	return (double)finding_count(&walk->finding, F_CYCLES);
}

/*
 * Code of the device library (printf, malloc, assertions), which users cannot change: a function
 * with one of these names that is not inlined into the user's code.
 */
static bool in_library(const struct walk *walk)
{
	static const char *const names[] = {"__ockl_",	"__ocml_",   "__hip_",	  "__amd_",
					    "__assert", "__printf_", "__hipCdna", "hostcall"};
	const char *function = report_cell(walk->finding.stmt, F_FUNCTION);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(function, names[i], strlen(names[i])))
			return !sqlite3_column_int64(walk->finding.stmt, F_LINE);
	return false;
}

/* True if its cost is negligible compared with that of the first finding. */
static bool is_small(const struct walk *walk)
{
	/* The first one has the highest cost, unless the user sorts. */
	return !walk->report->sort &&
	       sqlite3_column_type(walk->finding.stmt, F_CYCLES) != SQLITE_NULL &&
	       cycles(walk) < SMALL * walk->worst;
}

static void print_bad(struct walk *walk)
{
	if (walk->finding.folded && (sqlite3_column_int64(walk->finding.stmt, F_RANK) > 1 ||
				     sqlite3_column_int64(walk->finding.stmt, F_GROUP_RANK) > 1))
		return; /* the first finding counts for this kernel, and for this access */
	if (in_library(walk) && !walk->report->all) {
		walk->library++;
		walk->library_cycles += cycles(walk);
	} else if (is_small(walk) && !walk->report->all) {
		walk->small++;
	} else if (walk->shown == walk->limit) {
		walk->more++;
	} else {
		walk->shown++;
		if (cycles(walk) > walk->worst)
			walk->worst = cycles(walk);
		if (walk->brief)
			finding_put_brief(&walk->finding);
		else
			finding_put(&walk->finding);
	}
}

static void print_none(const struct walk *walk)
{
	if (walk->shown || walk->small || walk->more || walk->library)
		return;
	printf("%sno extra cache-line requests and no bank conflicts%s in the accesses that were "
	       "counted",
	       report_green(walk->report), report_plain(walk->report));
	if (walk->may_wait)
		printf("; up to %lld %s may wait for another lane of %s wave (--kind trace counts "
		       "them)",
		       (long long)walk->may_wait,
		       report_plural(walk->may_wait, "update", "updates"),
		       report_plural(walk->may_wait, "its", "their"));
	if (walk->uncovered)
		printf("; %lld %s no probes (listed below)", (long long)walk->uncovered,
		       report_plural(walk->uncovered, "access has", "accesses have"));
	putchar('\n');
}

static void print_good(struct walk *walk)
{
	if (!walk->good++)
		print_none(walk);
	if (walk->report->all && walk->shown < walk->limit) {
		walk->shown++;
		finding_put_brief(&walk->finding);
	} else {
		walk->hidden_good++;
	}
}

static void print_row(struct walk *walk)
{
	sqlite3_stmt *stmt = walk->finding.stmt;

	/* A line with samples, but without an access. */
	if (sqlite3_column_type(stmt, F_EXECUTIONS) == SQLITE_NULL)
		return;
	if (sqlite3_column_int64(stmt, F_FINDING))
		print_bad(walk);
	else
		print_good(walk);
}

static void print_rest(const struct walk *walk)
{
	if (walk->library)
		printf("%lld %s in the device library (printf, malloc), %.0f cycles (--all shows them)\n",
		       (long long)walk->library,
		       report_plural(walk->library, "finding", "findings"), walk->library_cycles);
	if (walk->more)
		printf("%lld more %s (--limit 0 shows them)\n", (long long)walk->more,
		       report_plural(walk->more, "finding", "findings"));
	if (walk->small)
		printf("%lld %s below 1 %% of the first one's cost (--all shows them)\n",
		       (long long)walk->small, report_plural(walk->small, "finding", "findings"));
	if (walk->hidden_good)
		printf("%lld %s without extra cost%s\n", (long long)walk->hidden_good,
		       report_plural(walk->hidden_good, "access", "accesses"),
		       walk->report->all ? " not shown (--limit)" : " (--all shows them)");
}

/* Explains why there is no row. */
static struct probe_err *print_empty(const struct report_db *db)
{
	bool filtered = false, outside = false;
	struct probe_err *err =
		report_any(db, "SELECT 1 FROM probe_run WHERE key = 'filters'", &filtered);

	if (!err)
		err = report_any(db,
				 "SELECT 1 FROM probe_dispatch p WHERE " SQL_INSTRUMENTED(
					 "p") " AND " COST_WINDOWED,
				 &outside);
	if (err)
		return err;
	if (outside)
		puts("no records: no workgroup that ran is one of those of --filter-x, -y, -z");
	else
		puts(filtered ? "no records: no dispatch that ran passes the filters"
			      : "no records");
	return NULL;
}

static struct probe_err *count_uncovered(const struct report_db *db, int64_t *ret)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct probe_err *err;
	bool row = false;

	*ret = 0;
	if (!report_db_has(db, "probe_uncovered"))
		return NULL;
	err = report_first_row(db, report_uncovered_count_sql, &stmt, &row);
	if (err)
		return err;
	if (row)
		*ret = sqlite3_column_int64(stmt, 0);
	return NULL;
}

static struct probe_err *prepare_findings(const struct report *report, const struct report_db *db,
					  const struct report_query *query, sqlite3_stmt **ret)
{
	struct report view = *report;
	struct probe_err *err;
	char *sort;

	view.fields = finding_fields;
	view.all = true;
	view.findings = false; /* other rows are counted */
	view.limit = -1;
	/* Whatever the user sorts by, findings come first: the verdict and the sums need it. */
	if (asprintf(&sort, "-finding,%s",
		     report->sort    ? report->sort
		     : report->unfold ? "cycles"
				      : "finding_order,+finding_rank") < 0)
		return probe_err_oom();
	view.sort = sort;
	err = report_prepare_chosen(&view, db, query, ret);
	free(sort);
	return err;
}

/* If there is no finding, which comes first, the sum is part of the verdict above all rows. */
static struct probe_err *count_may_wait(const struct report *report, const struct report_db *db,
					const struct report_query *query, int64_t *ret)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct probe_err *err = prepare_findings(report, db, query, &stmt);
	const struct finding row = {.report = report, .stmt = stmt};

	*ret = 0;
	while (!err && report_next(db, stmt, &err)) {
		if (sqlite3_column_int64(stmt, F_FINDING))
			break;
		if (finding_may_wait(&row))
			*ret += finding_count(&row, F_UPDATES);
	}
	return err;
}

struct probe_err *report_findings(const struct report *report, const struct report_db *db,
				  const struct report_query *query, int64_t limit, bool brief)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL, *frames = NULL;
	struct walk walk = {
		.report = report,
		.brief = brief,
		.limit = limit >= 0    ? limit
			 : report->all ? INT64_MAX
				       : FINDINGS_MAX,
		.finding = {.report = report,
			    .shapes = report->by == REPORT_BY_LAUNCH_SHAPE,
			    .part = report->by == REPORT_BY_LAUNCH_SHAPE || report_filtered(report),
			    .chosen = report_filtered(report),
			    .folded = !report->unfold},
	};
	struct probe_err *err = prepare_findings(report, db, query, &stmt);
	bool any = false;

	if (err)
		return err;
	err = report_prepare_sql(db, finding_frames_sql, &frames);
	if (err)
		return err;
	err = report_any(db, "SELECT 1 FROM probe_site WHERE line > 0", &walk.finding.lines);
	if (err)
		return err;
	err = report_any(db, "SELECT 1 WHERE " COST_WINDOWED, &walk.finding.windowed);
	if (err)
		return err;
	err = count_uncovered(db, &walk.uncovered);
	if (err)
		return err;
	walk.finding.stmt = stmt;
	walk.finding.frames = frames;
	while (report_next(db, stmt, &err)) {
		if (!any && !sqlite3_column_int64(stmt, F_FINDING))
			err = count_may_wait(report, db, query, &walk.may_wait);
		if (err)
			return err;
		any = true;
		print_row(&walk);
	}
	if (err)
		return err;
	if (!any)
		return print_empty(db);
	if (!walk.good)
		print_none(&walk);
	print_rest(&walk);
	return NULL;
}
