/* SPDX-License-Identifier: MIT */
/* What every text report begins and ends with: how far its numbers can be trusted. */
#include <stdlib.h>
#include <string.h>

#include <probe/rules/lds_model.h>
#include <probe/words.h>

#include "common/err.h"
#include "store/sql_words.h"
#include "cmds/report/report.h"
#include "cmds/report/escape.h"

#define RAN_INSTRUMENTED "SELECT 1 FROM probe_dispatch p WHERE " SQL_INSTRUMENTED("p")
/* With one of these verdicts. */
#define RAN_ORIGINAL(words)                                                                        \
	"SELECT 1 FROM probe_dispatch p WHERE " SQL_VERDICT("p") " IN (" words ")"

const char *report_bold(const struct report *report)
{
	return report->color ? "\033[1m" : "";
}

const char *report_red(const struct report *report)
{
	return report->color ? "\033[31m" : "";
}

const char *report_green(const struct report *report)
{
	return report->color ? "\033[32m" : "";
}

const char *report_dim(const struct report *report)
{
	return report->color ? "\033[2m" : "";
}

const char *report_plain(const struct report *report)
{
	return report->color ? "\033[0m" : "";
}

const char *report_plural(int64_t count, const char *one, const char *many)
{
	return count == 1 ? one : many;
}

void report_put(const char *text)
{
	report_text(stdout, text, SIZE_MAX, 0);
}

/* Call `fn` for each row. */
static struct probe_err *each(const struct report_db *db, const char *sql,
			      void (*fn)(const struct report *report, sqlite3_stmt *stmt),
			      const struct report *report)
{
	sqlite3_stmt *stmt = NULL;
	struct probe_err *err = report_prepare_sql(db, sql, &stmt);
	bool row = true;

	while (!err && row) {
		err = report_step(db, stmt, &row);
		if (!err && row)
			fn(report, stmt);
	}
	sqlite3_finalize(stmt);
	return err;
}

/* ---- Head ----------------------------------------------------------------------------------- */

static void put_command(const struct report *report, sqlite3_stmt *stmt)
{
	(void)report;
	fputs(": ", stdout);
	report_put(report_cell(stmt, 0));
}

static void put_kind(const struct report *report, sqlite3_stmt *stmt)
{
	(void)report;
	if (*report_cell(stmt, 0)) {
		fputs("; probes: ", stdout);
		report_put(report_cell(stmt, 0));
	}
}

static const char filters_sql[] = "SELECT value FROM probe_run WHERE key = 'filters'";

static void put_filters(const struct report *report, sqlite3_stmt *stmt)
{
	(void)report;
	fputs("\nfilters in force: ", stdout);
	report_put(report_cell(stmt, 0));
}

static void put_device(const struct report *report, sqlite3_stmt *stmt)
{
	bool simulated = !strcmp(report_cell(stmt, 0), "simulated");

	(void)report;
	fputs(simulated ? "simulated " : "", stdout);
	report_put(report_cell(stmt, 1));
	if (*report_cell(stmt, 2)) {
		fputs(" (", stdout);
		report_put(report_cell(stmt, 2));
		fputs(")", stdout);
	}
	if (simulated)
		printf(": counts are exact, times are %s, not a GPU's",
		       strcmp(report_cell(stmt, 3), "model") ? "the host's" : "a model's");
}

static void put_partial(const struct report *report, sqlite3_stmt *stmt)
{
	printf("%s%spartial: ", report_bold(report), report_red(report));
	report_put(report_cell(stmt, 0));
	printf(" (all counts are lower bounds)%s\n", report_plain(report));
}

struct probe_err *report_head(const struct report *report, const struct report_db *db)
{
	struct probe_err *err = NULL;

	if (db->reader.partial)
		err = each(db,
			   "SELECT coalesce((SELECT nullif(value, '') FROM probe_run "
			   "WHERE key = 'partial_reason'), 'reason unknown')",
			   put_partial, report);
	if (err)
		return err;
	fputs(report_bold(report), stdout);
	report_put(db->path);
	fputs(report_plain(report), stdout);
	err = each(db, "SELECT value FROM probe_run WHERE key = 'command'", put_command, report);
	if (err)
		return err;
	fputs("\ndevice: ", stdout);
	err = each(
		db,
		"SELECT (SELECT value FROM probe_run WHERE key = 'device'), name, product_name, "
		"(SELECT value FROM probe_run WHERE key = 'simulated_time') FROM rocpd_info_agent WHERE type = 'GPU' ORDER BY id LIMIT 1",
		put_device, report);
	/* Of a run that was only sampled, the kind is what would have been. */
	if (!err)
		err = each(db,
			   report_db_has(db, "probe_sampler")
				   ? "SELECT CASE WHEN EXISTS (SELECT 1 FROM probe_sampler) AND "
				     "NOT EXISTS (" RAN_INSTRUMENTED ") "
				     "THEN 'none' ELSE value END FROM probe_run WHERE key = 'kind'"
				   : "SELECT value FROM probe_run WHERE key = 'kind'",
			   put_kind, report);
	if (!err)
		err = each(db, filters_sql, put_filters, report);
	putchar('\n');
	return err;
}

/* ---- Account -------------------------------------------------------------------------------- */

static void put_dispatches(const struct report *report, sqlite3_stmt *stmt)
{
	(void)report;
	printf("dispatches: %s seen, %s completed, %s ran instrumented", report_cell(stmt, 0),
	       report_cell(stmt, 1), report_cell(stmt, 2));
}

/* What follows "refused." in the account, as a sentence. */
static const char *refusal_text(const char *word)
{
	for (uint32_t verdict = 0; verdict < PROBE_VERDICTS; verdict++)
		if (!strcmp(probe_verdict_word(verdict), word))
			return probe_verdict_text(verdict);
	return word;
}

static void put_refusal(const struct report *report, sqlite3_stmt *stmt)
{
	const char *text = report_cell(stmt, 2);

	printf("; %s%s not: ", report_red(report), report_cell(stmt, 1));
	report_put(*text ? text : refusal_text(report_cell(stmt, 0)));
	fputs(report_plain(report), stdout);
}

static void put_stream(const struct report *report, sqlite3_stmt *stmt)
{
	bool lost = sqlite3_column_int64(stmt, 3) > 0;

	report_put(report_cell(stmt, 0));
	printf(" records: %s emitted = %s stored + %s%s dropped%s", report_cell(stmt, 1),
	       report_cell(stmt, 2), lost ? report_red(report) : "", report_cell(stmt, 3),
	       lost ? report_plain(report) : "");
	if (sqlite3_column_int64(stmt, 4))
		printf(" + %s not read", report_cell(stmt, 4));
	if (*report_cell(stmt, 5)) {
		fputs(" (", stdout);
		report_put(report_cell(stmt, 5));
		fputs(")", stdout);
	}
	if (sqlite3_column_int64(stmt, 6))
		printf("; %s made no sense", report_cell(stmt, 6));
	if (sqlite3_column_int64(stmt, 7))
		printf("; %s more of none of the program's dispatches and code objects "
		       "(the runtime's own copies)",
		       report_cell(stmt, 7));
	putchar('\n');
}

static void put_note(const struct report *report, sqlite3_stmt *stmt)
{
	printf("%snote: %s%s\n", report_dim(report), probe_lds_model_note(report_cell(stmt, 0)),
	       report_plain(report));
}

static void put_log(const struct report *report, sqlite3_stmt *stmt)
{
	printf("%s%s: ", report_dim(report), sqlite3_column_int(stmt, 0) ? "warning" : "error");
	report_put(report_cell(stmt, 1));
	fputs(": ", stdout);
	report_put(report_cell(stmt, 2));
	printf("%s\n", report_plain(report));
}

static void put_more_log(const struct report *report, sqlite3_stmt *stmt)
{
	if (sqlite3_column_int64(stmt, 0) > 0)
		printf("%s%s more messages: see table probe_log%s\n", report_dim(report),
		       report_cell(stmt, 0), report_plain(report));
}

static const char dispatches_sql[] = "SELECT coalesce(max(value) FILTER (WHERE name = 'seen'), 0), "
				     "coalesce(max(value) FILTER (WHERE name = 'completed'), 0), "
				     "coalesce(max(value) FILTER (WHERE name = 'swapped'), 0) "
				     "FROM probe_account WHERE stream = 'dispatches'";

/* Why there was no clone, where that is known, in place of their sum. */
static const char refusals_sql[] =
	"SELECT substr(name, 9), value, NULL FROM probe_account a WHERE stream = 'dispatches' "
	"AND name LIKE 'refused.%' AND value > 0 AND NOT (name = 'refused.no_clone' AND EXISTS "
	"(SELECT 1 FROM probe_account WHERE stream = a.stream AND name LIKE 'no_clone.%')) "
	"UNION ALL SELECT name, a.value, r.value FROM probe_account a LEFT JOIN probe_run r "
	"ON r.key = a.name WHERE stream = 'dispatches' AND name LIKE 'no_clone.%' AND a.value > 0 "
	"ORDER BY 2 DESC, 1";

/* Causes but the one that the plugin mends. */
static const char other_causes_sql[] =
	"SELECT r.value FROM probe_account a JOIN probe_run r ON r.key = a.name "
	"WHERE stream = 'dispatches' AND name IN ('no_clone.kind', 'no_clone.empty') "
	"AND a.value > 0 ORDER BY name DESC";

static const char streams_sql[] = "SELECT stream, sum(value) FILTER (WHERE name = 'emitted'), "
				  "sum(value) FILTER (WHERE name = 'stored'), "
				  "coalesce(sum(value) FILTER (WHERE name LIKE 'dropped.%'), 0), "
				  "sum(value) FILTER (WHERE name = 'unread'), "
				  "group_concat(CASE WHEN name LIKE 'dropped.%' AND value > 0 "
				  "THEN value || ' ' || substr(name, 9) END, ', '), "
				  "sum(value) FILTER (WHERE name = 'invalid'), "
				  "sum(value) FILTER (WHERE name = 'foreign') "
				  "FROM probe_account WHERE stream <> 'dispatches' GROUP BY stream "
				  "HAVING sum(value) FILTER (WHERE name = 'emitted') > 0 "
				  "ORDER BY CASE stream WHEN 'host' THEN 0 ELSE 1 END, stream";

static bool count_is_zero(const struct report_db *db, const char *sql, struct probe_err **err)
{
	sqlite3_stmt *stmt = NULL;
	bool row = false, zero = true;

	*err = report_prepare_sql(db, sql, &stmt);
	if (!*err)
		*err = report_step(db, stmt, &row);
	if (row)
		zero = sqlite3_column_int64(stmt, 0) == 0;
	sqlite3_finalize(stmt);
	return zero;
}

static void put_uncovered(const struct report *report, sqlite3_stmt *stmt)
{
	fputs("  ", stdout);
	report_put(report_cell(stmt, 0));
	printf(": ");
	report_put(report_cell(stmt, 1));
	printf(" in ");
	report_put(report_cell(stmt, 2));
	printf(": %s\n", report_cell(stmt, 3));
	(void)report;
}

static void put_uncovered_count(const struct report *report, sqlite3_stmt *stmt)
{
	int64_t count = sqlite3_column_int64(stmt, 0);

	if (count)
		printf("%snot covered by probes: %lld %s of the program's code%s\n",
		       report_bold(report), (long long)count,
		       report_plural(count, "access", "accesses"), report_plain(report));
}

static void put_uncovered_rest(const struct report *report, sqlite3_stmt *stmt)
{
	if (sqlite3_column_int64(stmt, 0) > 10)
		printf("%s  and %lld more: see table probe_uncovered%s\n", report_dim(report),
		       (long long)sqlite3_column_int64(stmt, 0) - 10, report_plain(report));
}

/* Places once, however many code objects have them: a function may be in several. */
static struct probe_err *put_uncovered_list(const struct report *report, const struct report_db *db)
{
	static const char count_sql[] =
		"SELECT count(*) FROM (SELECT DISTINCT file, line, \"column\", function, what, "
		"text FROM probe_uncovered)";
	struct probe_err *err;
	bool none = count_is_zero(
		db, "SELECT count(*) FROM sqlite_master WHERE name = 'probe_uncovered'", &err);

	if (err || none)
		return err;
	err = each(db, count_sql, put_uncovered_count, report);
	if (!err)
		err = each(db,
			   "SELECT DISTINCT CASE WHEN file = '' THEN '(no line)' ELSE file || ':' "
			   "|| line || ':' || \"column\" END, what, function, text "
			   "FROM probe_uncovered ORDER BY file, line, \"column\", what LIMIT 10",
			   put_uncovered, report);
	if (!err)
		err = each(db, count_sql, put_uncovered_rest, report);
	return err;
}

struct probe_err *report_account(const struct report *report, const struct report_db *db)
{
	struct probe_err *err = each(db, dispatches_sql, put_dispatches, report);

	if (!err)
		err = each(db, refusals_sql, put_refusal, report);
	if (err)
		return err;
	putchar('\n');
	err = put_uncovered_list(report, db);
	if (!err)
		err = each(db, streams_sql, put_stream, report);
	if (!err)
		err = each(db,
			   "SELECT DISTINCT a.name FROM rocpd_info_agent a WHERE a.type = 'GPU' "
			   "AND EXISTS (SELECT 1 FROM probe_site WHERE " SQL_WORD(
				   PROBE_SPACE_TABLE, "space") " IN ('flat', 'lds')) "
							       "ORDER BY a.name",
			   put_note, report);
	if (!err)
		err = each(db,
			   "SELECT level, origin, text FROM probe_log WHERE level <= 1 "
			   "ORDER BY id LIMIT 5",
			   put_log, report);
	if (!err)
		err = each(db, "SELECT count(*) - 5 FROM probe_log WHERE level <= 1", put_more_log,
			   report);
	return err;
}

/* ---- Programs without clones ----------------------------------------------------------------- */

static void put_cause(const struct report *report, sqlite3_stmt *stmt)
{
	(void)report;
	report_put(report_cell(stmt, 0));
	putchar('\n');
}

/* What to do about it: the filters first, then what the site tables say, then the plugin. */
static struct probe_err *put_remedy(const struct report *report, const struct report_db *db)
{
	bool refused = false, plain = false, known = false;
	struct probe_err *err = report_any(
		db, RAN_ORIGINAL("'filtered', 'dispatch', 'library'") " LIMIT 1", &refused);

	if (!err)
		err = report_any(db, RAN_ORIGINAL("'no_clone'") " LIMIT 1", &plain);
	if (!err)
		err = report_any(db,
				 "SELECT 1 FROM probe_account WHERE stream = 'dispatches' AND "
				 "name LIKE 'no_clone.%' LIMIT 1",
				 &known);
	if (!err && known)
		err = report_any(db,
				 "SELECT 1 FROM probe_account WHERE stream = 'dispatches' AND "
				 "name = 'no_clone.plain' AND value > 0",
				 &plain);
	if (!err && refused)
		puts("filters left kernels out: see the filters in force, above");
	if (!err)
		err = each(db, other_causes_sql, put_cause, report);
	if (!err && plain)
		puts("compile them with the plugin, then run again:\n"
		     "  hipcc -g -O2 -fpass-plugin=$(probe-config --pass-plugin) FILE.hip -o "
		     "PROGRAM");
	return err;
}

static void put_kernel(const struct report *report, sqlite3_stmt *stmt)
{
	const char *where = report_cell(stmt, 2);

	(void)report;
	fputs("  ", stdout);
	report_put(*where ? where : "(no line information)");
	fputs("  ", stdout);
	report_put(report_cell(stmt, 0));
	printf("  (%s %s)\n", report_cell(stmt, 1),
	       report_plural(sqlite3_column_int64(stmt, 1), "dispatch", "dispatches"));
}

struct probe_err *report_no_clones(const struct report *report, const struct report_db *db,
				   bool *told)
{
	struct probe_err *err;
	bool none, no_dispatch = false, off = false, sampled = false, any = false;
	const char *why = "";

	*told = false;
	none = count_is_zero(db, "SELECT EXISTS (" RAN_INSTRUMENTED ")", &err);
	if (err || !none)
		return err;
	*told = true;
	no_dispatch = count_is_zero(db, "SELECT count(*) FROM probe_dispatch", &err);
	if (!err)
		off = !count_is_zero(db, "SELECT EXISTS (" RAN_ORIGINAL("'off'") ")", &err);
	if (err)
		return err;
	if (no_dispatch) {
		puts("no records: the program launched no kernel");
		return NULL;
	}
	if (off)
		err = report_sampled(db, &sampled);
	if (!err && sampled)
		err = report_any(db, "SELECT 1 FROM probe_sample LIMIT 1", &any);
	if (!err && sampled && !any)
		err = report_no_samples(db, &why);
	if (err)
		return err;
	if (sampled && !any) {
		printf("sampled, without probes, and no samples: %s\n", why);
		return NULL;
	}
	if (sampled) {
		puts("sampled, without probes: probe-report samples and annotate show where waves "
		     "were;\nprobe-run --twice samples and probes");
		return NULL;
	}
	printf("%sno records: no instrumented kernel ran%s\n", report_bold(report),
	       report_plain(report));
	puts("kernels of the program:");
	err = each(db,
		   "SELECT k.display_name, count(*), probe_position(k.code_object_id, "
		   "k.kernel_name) FROM probe_dispatch d JOIN rocpd_info_kernel_symbol k "
		   "ON k.id = d.kernel_id GROUP BY k.id ORDER BY count(*) DESC, k.display_name "
		   "LIMIT 100",
		   put_kernel, report);
	if (err || !off)
		return err ? err : put_remedy(report, db);
	puts("instrumentation was off: run without --no-instrumented");
	return NULL;
}
