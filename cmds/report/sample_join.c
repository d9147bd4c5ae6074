/* SPDX-License-Identifier: MIT */
#include "cmds/report/sample_join.h"

#include <stdio.h>

#include <probe/user_source.h>

#include "cmds/report/dispatch_filter.h"
#include "cmds/report/report_db.h"
#include "cmds/report/report_options.h"
#include "cmds/report/terminal_text.h"
#include "common/err.h"
#include "store/sql_words.h"

struct probe_err *report_joined(const struct report_db *db, bool *ret)
{
	*ret = false;
	if (!report_db_has(db, "probe_memory_site") || !report_db_has(db, "probe_sampled"))
		return NULL;
	return report_any(
		db,
		"SELECT 1 FROM probe_sampled s JOIN probe_dispatch p ON "
		"p.dispatch_id = s.dispatch_id WHERE NOT " SQL_INSTRUMENTED(
			"p") " AND EXISTS "
			     "(SELECT 1 FROM probe_memory_site m WHERE m.kernel = p.kernel_id)",
		ret);
}

/* ---- Why there is none ----------------------------------------------------------------------- */

/* Code with both samples and counters; if there is none, code with one of each. */
#define RAN(not, sampled)                                                                          \
	"SELECT k.code_object_id AS co, coalesce(s.samples, 1) AS weight FROM probe_dispatch p "   \
	"JOIN rocpd_info_kernel_symbol k ON k.id = p.kernel_id " sampled                           \
	"JOIN probe_sampled s ON s.dispatch_id = p.dispatch_id WHERE " not SQL_INSTRUMENTED("p")
/* Excludes the runtime's own kernels. */
#define SAMPLED RAN("NOT ", "") " AND k.kernel_name NOT GLOB '" PROBE_RUNTIME_KERNELS "*'"
#define PROBED	RAN("", "LEFT ")
/* Of the code object with the most work. */
#define HASH(set)                                                                                  \
	"(SELECT coalesce(nullif(substr(c.hash, 1, 12), ''), '?') FROM (" set                      \
	") x JOIN probe_code c ON c.code_object_id = x.co GROUP BY x.co "                          \
	"ORDER BY sum(x.weight) DESC, x.co LIMIT 1)"

static const char why_sql[] =
	"SELECT (SELECT count(*) FROM probe_sampler), "
	"EXISTS (SELECT 1 FROM probe_sampled s JOIN probe_dispatch p ON "
	"p.dispatch_id = s.dispatch_id WHERE " SQL_INSTRUMENTED(
		"p") "), EXISTS (" SAMPLED "), EXISTS (" PROBED
		     "), (SELECT count(*) FROM (SELECT co FROM (" SAMPLED ") INTERSECT "
		     "SELECT co FROM (" PROBED "))), "
		     "EXISTS (SELECT 1 FROM probe_site WHERE file GLOB '*/comgr-*/input/*'), " HASH(
			     SAMPLED) ", " HASH(PROBED);

enum why { W_SAMPLERS, W_CLONES, W_SAMPLED, W_PROBED, W_COMMON, W_HIPRTC, W_HASHES };

static const char *why_not(sqlite3_stmt *stmt)
{
	if (!sqlite3_column_int64(stmt, W_SAMPLERS) || !sqlite3_column_int64(stmt, W_PROBED))
		return NULL;
	if (!sqlite3_column_int64(stmt, W_COMMON) && sqlite3_column_int64(stmt, W_CLONES))
		return "instrumented kernels were sampled: sample original kernels, without "
		       "--pc-sampling-clones";
	if (!sqlite3_column_int64(stmt, W_SAMPLED))
		return "no sample is in a kernel: sample more often "
		       "(probe-run --pc-sampling-interval)";
	if (sqlite3_column_int64(stmt, W_COMMON))
		return "no kernel that was probed was also sampled: sample more often, or probe "
		       "those that were (probe-report samples --by kernel)";
	return "no code object was both sampled and probed";
}

static void say(const struct report *report, const char *text)
{
	if (report->format != REPORT_TABLE) {
		probe_log(PROBE_LOG_WARNING, "%s", text);
		return;
	}
	report_put(text);
	puts("\n");
}

static void print_why(const struct report *report, const char *why, sqlite3_stmt *stmt)
{
	char text[512];

	if (sqlite3_column_int64(stmt, W_COMMON) || sqlite3_column_int64(stmt, W_CLONES) ||
	    !sqlite3_column_int64(stmt, W_SAMPLED))
		snprintf(text, sizeof(text), "samples and probes are not joined: %s", why);
	else
		snprintf(
			text, sizeof(text),
			"samples and probes are not joined: %s (hash %s, %s): %s", why,
			report_cell(stmt, W_HASHES), report_cell(stmt, W_HASHES + 1),
			sqlite3_column_int64(stmt, W_HIPRTC)
				? "hipRTC compiles with -g in a directory whose name is in the "
				  "debug information and differs in each run: read `samples` "
				  "and `lines` one by one"
				: "sample the program you probed, the same build");
	say(report, text);
}

struct probe_err *report_not_joined(const struct report *report, const struct report_db *db)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	const char *why;
	struct probe_err *err;
	bool row = false, joined = false;

	if (!report_db_has(db, "probe_memory_site") || !report_db_has(db, "probe_sampled"))
		return NULL;
	err = report_joined(db, &joined);
	if (err || joined)
		return err;
	err = report_first_row(db, why_sql, &stmt, &row);
	if (err)
		return err;
	why = row ? why_not(stmt) : NULL;
	if (why)
		print_why(report, why, stmt);
	return NULL;
}

/* Sampled dispatches are other ones than those that were counted, with ids of their own. */
#define UNUSED                                                                                     \
	"samples are not used: with --dispatches, --start, --end and --by launch-shape costs are " \
	"modelled, from the counters of the selected dispatches"

struct probe_err *report_lines_not_joined(const struct report *report, const struct report_db *db)
{
	bool joined = false;
	struct probe_err *err = report_joined(db, &joined);

	if (err || !joined)
		return err ? err : report_not_joined(report, db);
	if (report_filtered(report) || report->by == REPORT_BY_LAUNCH_SHAPE)
		say(report, UNUSED);
	return NULL;
}
