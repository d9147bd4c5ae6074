/* SPDX-License-Identifier: MIT */
#include "cmds/report/sample_source.h"

#include <stdio.h>
#include <string.h>

#include "cmds/report/accounting_text.h"
#include "cmds/report/dispatch_filter.h"
#include "cmds/report/missing_samples.h"
#include "cmds/report/report_db.h"
#include "cmds/report/report_options.h"
#include "cmds/report/terminal_text.h"
#include "common/err.h"

const char report_chosen_sql[] = SAMPLES_CHOSEN;

struct probe_err *report_source(const struct report *report, const struct report_db *db,
				enum report_source *ret)
{
	struct probe_err *err;
	bool raw = false;

	*ret = REPORT_FROM_SUMS;
	if (!report_db_has(db, "probe_sample"))
		return probe_err_create("%s: recorded by a Probe without PC sampling", db->path);
	err = report_any(db,
			 "SELECT 1 FROM probe_sample WHERE samples < 0 OR lanes < 0 OR waves < 0 "
			 "UNION ALL SELECT 1 FROM probe_state WHERE samples < 0 LIMIT 1",
			 &raw);
	if (err)
		return err;
	if (raw)
		return probe_err_create("%s is damaged: negative numbers of samples", db->path);
	if (!report_filtered(report) && report->by != REPORT_BY_DISPATCH)
		return NULL;
	if (!report_db_has(db, "probe_profile"))
		return probe_err_create("%s: recorded by an older Probe, which did not keep the "
					"samples of each dispatch",
					db->path);
	if (report_timed(report))
		err = report_any(db, "SELECT 1 FROM probe_rawsample LIMIT 1", &raw);
	*ret = raw ? REPORT_FROM_SAMPLES : REPORT_FROM_DISPATCHES;
	return err;
}

static void print_sampler(const struct report *report, sqlite3_stmt *stmt)
{
	const char *provider = report_cell(stmt, 3);

	(void)report;
	printf("sampled: agent %s, %s, every %s %s, by ", report_cell(stmt, 4),
	       report_cell(stmt, 0), report_cell(stmt, 1), report_cell(stmt, 2));
	report_put(strcmp(provider, "simulated") ? provider : "the simulated GPU");
	putchar('\n');
}

struct probe_err *report_samplers(const struct report_db *db)
{
	return report_each(
		db,
		"SELECT " SQL_WORD(PROBE_SAMPLING_METHOD_TABLE, "method") ", interval, " SQL_WORD(
			PROBE_SAMPLING_UNIT_TABLE,
			"unit") ", provider, "
				"a.absolute_index FROM probe_sampler JOIN rocpd_info_agent a ON "
				"a.id = agent ORDER BY agent",
		print_sampler, NULL);
}

struct probe_err *report_sampled_head(const struct report *report, const struct report_db *db)
{
	struct probe_err *err = report_head(report, db);

	return err ? err : report_samplers(db);
}

/* The head, and the note on how samples were selected. */
static struct probe_err *print_head(const struct report *report, const struct report_db *db,
				    enum report_source source, bool *any)
{
	struct probe_err *err = report_sampled_head(report, db);

	if (err)
		return err;
	err = report_any(db, "SELECT 1 FROM probe_sample LIMIT 1", any);
	if (err)
		return err;
	if (*any && report_timed(report) && source == REPORT_FROM_DISPATCHES)
		puts("note: --start and --end select whole dispatches that overlap the window, since "
		     "samples were not kept one by one (probe-run --pc-sampling-raw)");
	return NULL;
}

struct probe_err *report_samples_head(const struct report *report, const struct report_db *db,
				      enum report_source source, bool *any)
{
	struct probe_err *err = print_head(report, db, source, any);
	const char *why;

	putchar('\n');
	if (err || *any)
		return err;
	err = report_no_samples(db, &why);
	if (err)
		return err;
	printf("no samples: %s\n", why);
	return NULL;
}
