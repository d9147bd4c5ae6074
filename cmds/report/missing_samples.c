/* SPDX-License-Identifier: MIT */
#include "cmds/report/missing_samples.h"

#include "cmds/report/dispatch_filter.h"
#include "cmds/report/escape.h"
#include "cmds/report/query.h"
#include "cmds/report/report_db.h"
#include "cmds/report/report_options.h"
#include "cmds/report/sample_source.h"
#include "cmds/report/terminal_text.h"
#include "common/err.h"

struct probe_err *report_sampled(const struct report_db *db, bool *ret)
{
	*ret = false;
	return report_db_has(db, "probe_sampler")
		       ? report_any(db, "SELECT 1 FROM probe_sampler LIMIT 1", ret)
		       : NULL;
}

struct probe_err *report_no_samples(const struct report_db *db, const char **ret)
{
	bool sampled = false;
	struct probe_err *err = report_sampled(db, &sampled);

	if (err)
		return err;
	if (!sampled)
		*ret = "the program ran without PC sampling (probe-run --pc-sampling-method)";
	else if (db->reader.partial)
		*ret = "the run ended abnormally, and samples not delivered by then are lost";
	else
		*ret = "none is in the program's kernels; a smaller --pc-sampling-interval takes more";
	return NULL;
}

/* Prints one text of the first row; nothing if there is none. */
static struct probe_err *print_text(const struct report_db *db, FILE *out, const char *sql)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	bool row = false;
	struct probe_err *err = report_first_row(db, sql, &stmt, &row);

	if (err)
		return err;
	if (row)
		report_text(out, report_cell(stmt, 0), SIZE_MAX, 0);
	return NULL;
}

#define WITH_SAMPLES                                                                               \
	"SELECT DISTINCT coalesce(probe_kernel_at(s.code_object_id, s.offset + c.load_base - "     \
	"c.load_delta), '(unknown)') AS name FROM probe_sample s JOIN rocpd_info_code_object c "   \
	"ON c.id = s.code_object_id ORDER BY name LIMIT 20"

struct probe_err *report_no_choice(const struct report *report, const struct report_db *db,
				   FILE *out)
{
	struct probe_err *err;

	fputs("no samples match the selection", out);
	if (report->kernel) {
		fputs("; kernel '", out);
		report_text(out, report->kernel, SIZE_MAX, 0);
		fputs("' is not among those with samples: ", out);
		err = print_text(db, out,
				 "SELECT group_concat(name, '; ') FROM (" WITH_SAMPLES ")");
		if (err)
			return err;
	}
	if (report->dispatch_count && report_db_has(db, "probe_sampled")) {
		fputs("; dispatches with samples: ", out);
		err = print_text(db, out,
				 "SELECT coalesce(min(dispatch_id) || ' to ' || max(dispatch_id), "
				 "'none') FROM probe_sampled");
		if (err)
			return err;
	}
	if (!report_timed(report))
		return NULL;
	fputs("; the last dispatch ended after ", out);
	return print_text(db, out,
			  REPORT_LAST_END);
}

static void print_unsampled(const struct report *report, sqlite3_stmt *stmt)
{
	(void)report;
	fputs(sqlite3_column_int(stmt, 2) == 1 ? "kernels without samples: " : ", ", stdout);
	report_put(report_cell(stmt, 0));
	printf(" (%s %s)", report_cell(stmt, 1),
	       report_plural(sqlite3_column_int64(stmt, 1), "dispatch", "dispatches"));
	if (sqlite3_column_int(stmt, 3))
		putchar('\n');
}

struct probe_err *report_unsampled(const struct report_db *db)
{
	if (!report_db_has(db, "probe_sampled"))
		return NULL;
	return report_each(
		db,
		"SELECT name, n, number, number = min(10, count(*) OVER ()) FROM (SELECT *, "
		"row_number() OVER (ORDER BY n DESC, name) AS number FROM (SELECT "
		"k.display_name AS name, count(*) AS n FROM probe_dispatch d JOIN "
		"rocpd_info_kernel_symbol k ON k.id = d.kernel_id LEFT JOIN probe_sampled s ON "
		"s.dispatch_id = d.dispatch_id GROUP BY k.display_name "
		"HAVING coalesce(sum(s.samples), 0) = 0)) ORDER BY number LIMIT 10",
		print_unsampled, NULL);
}

struct probe_err *report_none(const struct report *report, const struct report_db *db,
			      const struct report_query *query, bool *ret)
{
	struct report view = *report;
	struct probe_err *err;
	bool any = true;

	*ret = false;
	if (!report->kernel && !report_filtered(report))
		return NULL;
	view.fields = view.sort = NULL;
	err = report_any_row(&view, db, query, &any);
	*ret = !any;
	return err;
}
