/* SPDX-License-Identifier: MIT */
#include "cmds/report/accounting_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <probe/rules/lds_model.h>
#include <probe/words.h>

#include "cmds/report/escape.h"
#include "cmds/report/missing_choice.h"
#include "cmds/report/query.h"
#include "cmds/report/report_db.h"
#include "cmds/report/report_options.h"
#include "cmds/report/row_formats.h"
#include "cmds/report/source_state.h"
#include "cmds/report/terminal_text.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "common/log.h"
#include "store/sql_words.h"
#include "store/store.h"

#define RAN_INSTRUMENTED "SELECT 1 FROM probe_dispatch p WHERE " SQL_INSTRUMENTED("p")

/* ---- Head ----------------------------------------------------------------------------------- */

static void print_command(const struct report *report, sqlite3_stmt *stmt)
{
	(void)report;
	fputs(": ", stdout);
	report_put(report_cell(stmt, 0));
}

static void print_kind(const struct report *report, sqlite3_stmt *stmt)
{
	(void)report;
	if (*report_cell(stmt, 0)) {
		fputs("; probes: ", stdout);
		report_put(report_cell(stmt, 0));
	}
}

/* DISTINCT, also in the queries below: with --merge, each process has the facts of its run. */
static const char filters_sql[] = "SELECT DISTINCT value FROM probe_run WHERE key = 'filters'";

static void print_filters(const struct report *report, sqlite3_stmt *stmt)
{
	(void)report;
	fputs("\nfilters: ", stdout);
	report_put(report_cell(stmt, 0));
}

static void print_device(const struct report *report, sqlite3_stmt *stmt)
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
		printf(": times are %s, not those of a GPU",
		       strcmp(report_cell(stmt, 3), "model") ? "the host's" : "modelled");
}

/* The reason is the first one, and handlers run last: if it is of them, no record is missing. */
static bool is_of_handlers(const char *reason)
{
	return !strncmp(reason, "handler ", 8) || !strncmp(reason, "its handlers ", 13);
}

static void print_partial(const struct report *report, sqlite3_stmt *stmt)
{
	const char *reason = report_cell(stmt, 0);

	printf("%s%spartial: ", report_bold(report), report_red(report));
	report_put(reason);
	printf(" (%s)%s\n",
	       is_of_handlers(reason) ? "no record is missing" : "all counts are lower bounds",
	       report_plain(report));
}

static const char partial_sql[] =
	"SELECT coalesce((SELECT nullif(value, '') FROM probe_run WHERE key = 'partial_reason'), "
	"'reason unknown')";
static const char command_sql[] = "SELECT DISTINCT value FROM probe_run WHERE key = 'command'";
static const char device_sql[] =
	"SELECT (SELECT value FROM probe_run WHERE key = 'device'), name, product_name, "
	"(SELECT value FROM probe_run WHERE key = 'simulated_time') FROM rocpd_info_agent "
	"WHERE type = 'GPU' ORDER BY id LIMIT 1";
/* If no instrumented kernel ran, this is the kind that was requested. */
static const char kind_sql[] =
	"SELECT DISTINCT CASE WHEN EXISTS (" RAN_INSTRUMENTED ") THEN value ELSE 'none ran' END "
	"FROM probe_run WHERE key = 'kind'";

static const char sources_sql[] =
	"SELECT * FROM (SELECT file, probe_source_state(file) AS state FROM probe_sourcefile) "
	"WHERE state IS NOT NULL ORDER BY file LIMIT 10";

/* A source file that differs from the one that was compiled. */
static void print_source(const struct report *report, sqlite3_stmt *stmt)
{
	printf("%ssource: ", report_red(report));
	report_put(report_cell(stmt, 0));
	if (!strcmp(report_cell(stmt, 1), report_source_newer))
		printf(" was modified after the program was built: its lines may not be those that "
		       "ran");
	else
		printf(" has changed since the run: lines are shown as they were then");
	printf("%s\n", report_plain(report));
}

static void warn_source(const struct report *report, sqlite3_stmt *stmt)
{
	PROBE_AUTO_FREE char *file = NULL;
	size_t size;
	FILE *out = open_memstream(&file, &size);

	(void)report;
	if (!out)
		return;
	report_text(out, report_cell(stmt, 0), SIZE_MAX, 0);
	if (!fclose(out))
		probe_log(PROBE_LOG_WARNING, "source: %s %s: its lines may be other ones now", file,
			  strcmp(report_cell(stmt, 1), report_source_newer)
				  ? "has changed since the run"
				  : "was modified after the program was built");
}

struct probe_err *report_warn_sources(const struct report *report, const char *path)
{
	REPORT_AUTO_DB struct report_db db = {0};
	struct probe_err *err = report_db_open(report, path, &db);

	if (err || !report_db_has(&db, "probe_sourcefile"))
		return err;
	return report_each(&db, sources_sql, warn_source, report);
}

/* The device and what was recorded on it; the caller ends the line. */
static struct probe_err *print_recorded(const struct report *report, const struct report_db *db)
{
	struct probe_err *err;

	fputs("\ndevice: ", stdout);
	err = report_each(db, device_sql, print_device, report);
	if (err)
		return err;
	err = report_each(db, kind_sql, print_kind, report);
	return err ? err : report_each(db, filters_sql, print_filters, report);
}

struct probe_err *report_head(const struct report *report, const struct report_db *db)
{
	struct probe_err *err;

	if (db->reader.partial) {
		err = report_each(db, partial_sql, print_partial, report);
		if (err)
			return err;
	}
	fputs(report_bold(report), stdout);
	report_put(db->path);
	fputs(report_plain(report), stdout);
	err = report_each(db, command_sql, print_command, report);
	if (err)
		return err;
	err = print_recorded(report, db);
	putchar('\n');
	if (err || !report_db_has(db, "probe_sourcefile"))
		return err;
	return report_each(db, sources_sql, print_source, report);
}

/* ---- Accounting ----------------------------------------------------------------------------- */

static void print_dispatches(const struct report *report, sqlite3_stmt *stmt)
{
	(void)report;
	printf("dispatches: %s seen, %s completed, %s instrumented", report_cell(stmt, 0),
	       report_cell(stmt, 1), report_cell(stmt, 2));
}

/* The reason after "refused." in probe_account, as a sentence. */
static const char *refusal_text(const char *word)
{
	for (uint32_t verdict = 0; verdict < PROBE_VERDICTS; verdict++)
		if (!strcmp(probe_verdict_word(verdict), word))
			return probe_verdict_text(verdict);
	return word;
}

static void print_refusal(const struct report *report, sqlite3_stmt *stmt)
{
	const char *text = report_cell(stmt, 2);

	printf("; %s%s uninstrumented: ", report_red(report), report_cell(stmt, 1));
	report_put(*text ? text : refusal_text(report_cell(stmt, 0)));
	fputs(report_plain(report), stdout);
}

enum stream_column {
	S_STREAM,
	S_STORED,
	S_DROPPED,
	S_REASONS,
	S_UNREAD,
	S_INVALID,
	S_FOREIGN,
	S_UNKNOWN,
	S_UNKNOWN_MOST,
	S_WAITED,
};

#define DROPPED_TEXT(name, number, word, text) " WHEN 'dropped." word "' THEN '" text "'"
#define STREAM_TEXT(name, number, word, text)  " WHEN '" word "' THEN '" text "'"
static const char streams_sql[] = "SELECT CASE stream" PROBE_STREAM_TABLE(
	STREAM_TEXT) " ELSE stream END, "
		     "sum(value) FILTER (WHERE name = 'stored'), "
		     "coalesce(sum(value) FILTER (WHERE name LIKE 'dropped.%'), 0), "
		     "group_concat(CASE WHEN name LIKE 'dropped.%' AND value > 0 THEN value || ' ' || "
		     "CASE name" PROBE_DROP_TABLE(
			     DROPPED_TEXT) " ELSE substr(name, 9) END END, '; '), "
					   "sum(value) FILTER (WHERE name = 'unread'), "
					   "sum(value) FILTER (WHERE name = 'invalid'), "
					   "sum(value) FILTER (WHERE name = 'foreign'), "
					   "sum(value) FILTER (WHERE name = 'unknown'), "
					   "sum(value) FILTER (WHERE name = 'unknown_most'), "
					   "sum(value) FILTER (WHERE name = 'waited_us') "
					   "FROM probe_account WHERE stream <> 'dispatches' GROUP BY stream "
					   "HAVING sum(value) FILTER (WHERE name IN ('emitted', 'unknown')) > 0 "
					   "ORDER BY CASE stream WHEN 'host' THEN 0 ELSE 1 END, stream";

/* Losses that could not be counted: waves that never ended, damaged bytes. */
static void print_unknown(sqlite3_stmt *stmt)
{
	if (sqlite3_column_type(stmt, S_UNKNOWN) == SQLITE_NULL)
		return;
	fputs("; an unknown number more was not handed over", stdout);
	if (sqlite3_column_type(stmt, S_UNKNOWN_MOST) != SQLITE_NULL)
		printf(", at most %s", report_cell(stmt, S_UNKNOWN_MOST));
}

/* A stream of records: how much of it is in the database, and how much is not. */
static void print_stream(const struct report *report, sqlite3_stmt *stmt)
{
	bool lost = sqlite3_column_int64(stmt, S_DROPPED) > 0;

	report_put(report_cell(stmt, S_STREAM));
	printf(": %s recorded, %s%s dropped%s", report_cell(stmt, S_STORED),
	       lost ? report_red(report) : "", report_cell(stmt, S_DROPPED),
	       lost ? report_plain(report) : "");
	if (*report_cell(stmt, S_REASONS)) {
		fputs(" (", stdout);
		report_put(report_cell(stmt, S_REASONS));
		fputs(")", stdout);
	}
	if (sqlite3_column_int64(stmt, S_UNREAD))
		printf(", %s not read", report_cell(stmt, S_UNREAD));
	if (sqlite3_column_int64(stmt, S_INVALID))
		printf("; %s malformed", report_cell(stmt, S_INVALID));
	if (sqlite3_column_int64(stmt, S_FOREIGN))
		printf("; %s outside of the program's kernels (copies by the runtime)",
		       report_cell(stmt, S_FOREIGN));
	print_unknown(stmt);
	if (sqlite3_column_int64(stmt, S_WAITED))
		printf("; waves waited %s us in all for space in a ring, which is part of all times "
		       "of clones",
		       report_cell(stmt, S_WAITED));
	putchar('\n');
}

static void print_note(const struct report *report, sqlite3_stmt *stmt)
{
	printf("%snote: %s%s\n", report_dim(report), probe_lds_model_note(report_cell(stmt, 0)),
	       report_plain(report));
}

/* "handler race died", of origin "race": the text names it. */
static bool names_origin(const char *text, const char *origin)
{
	static const char before[] = "handler ";
	size_t start = sizeof(before) - 1, length = strlen(origin);

	return !strncmp(text, before, start) && !strncmp(text + start, origin, length) &&
	       (text[start + length] == ' ' || text[start + length] == ':');
}

static void print_log(const struct report *report, sqlite3_stmt *stmt)
{
	const char *origin = report_cell(stmt, 1), *text = report_cell(stmt, 2);

	printf("%s%s: ", report_dim(report), sqlite3_column_int(stmt, 0) ? "warning" : "error");
	if (!names_origin(text, origin)) {
		report_put(origin);
		fputs(": ", stdout);
	}
	report_put(text);
	printf("%s\n", report_plain(report));
}

static void print_more_log(const struct report *report, sqlite3_stmt *stmt)
{
	if (sqlite3_column_int64(stmt, 0) > 0)
		printf("%s%s more messages: see table probe_log%s\n", report_dim(report),
		       report_cell(stmt, 0), report_plain(report));
}

static const char dispatches_sql[] = "SELECT coalesce(max(value) FILTER (WHERE name = 'seen'), 0), "
				     "coalesce(max(value) FILTER (WHERE name = 'completed'), 0), "
				     "coalesce(max(value) FILTER (WHERE name = 'swapped'), 0) "
				     "FROM probe_account WHERE stream = 'dispatches'";

/* Why there was no clone, if that is known, in place of the sum. */
static const char refusals_sql[] =
	"SELECT substr(name, 9), value, NULL FROM probe_account a WHERE stream = 'dispatches' "
	"AND name LIKE 'refused.%' AND value > 0 AND NOT (name = 'refused.no_clone' AND EXISTS "
	"(SELECT 1 FROM probe_account WHERE stream = a.stream AND name LIKE 'no_clone.%')) "
	"UNION ALL SELECT name, a.value, r.value FROM probe_account a LEFT JOIN probe_run r "
	"ON r.key = a.name WHERE stream = 'dispatches' AND name LIKE 'no_clone.%' AND a.value > 0 "
	"ORDER BY 2 DESC, 1";

static void print_uncovered(const struct report *report, sqlite3_stmt *stmt)
{
	(void)report;
	fputs("  ", stdout);
	report_put(report_cell(stmt, 0));
	printf(": ");
	report_put(report_cell(stmt, 1));
	printf(" in ");
	report_put(report_cell(stmt, 2));
	printf(": %s\n", report_cell(stmt, 3));
}

static void print_uncovered_count(const struct report *report, sqlite3_stmt *stmt)
{
	int64_t count = sqlite3_column_int64(stmt, 0);

	if (count)
		printf("%smemory accesses without probes: %lld%s\n", report_bold(report),
		       (long long)count, report_plain(report));
}

static void print_uncovered_rest(const struct report *report, sqlite3_stmt *stmt)
{
	if (sqlite3_column_int64(stmt, 0) > 10)
		printf("%s  and %lld more: see table probe_uncovered%s\n", report_dim(report),
		       (long long)sqlite3_column_int64(stmt, 0) - 10, report_plain(report));
}

const char report_uncovered_count_sql[] =
	"SELECT count(*) FROM (SELECT DISTINCT file, line, \"column\", function, what, "
	"text FROM probe_uncovered)";

/* Lists each position once, even if several code objects have it: a function may be in several. */
static struct probe_err *print_uncovered_list(const struct report *report,
					      const struct report_db *db)
{
	struct probe_err *err;

	if (!report_db_has(db, "probe_uncovered"))
		return NULL;
	err = report_each(db, report_uncovered_count_sql, print_uncovered_count, report);
	if (err)
		return err;
	err = report_each(db,
			  "SELECT DISTINCT CASE WHEN file = '' THEN '(no line)' ELSE file || ':' "
			  "|| line || ':' || \"column\" END, what, function, text "
			  "FROM probe_uncovered ORDER BY file, line, \"column\", what LIMIT 10",
			  print_uncovered, report);
	return err ? err
		   : report_each(db, report_uncovered_count_sql, print_uncovered_rest, report);
}

/* The notes that follow the dispatches, in this order. */
static const struct {
	const char *sql;
	report_row_fn fn;
} endings[] = {
	{streams_sql, print_stream},
	{"SELECT DISTINCT a.name FROM rocpd_info_agent a WHERE a.type = 'GPU' "
	 "AND EXISTS (SELECT 1 FROM probe_site WHERE " SQL_WORD(
		 PROBE_SPACE_TABLE, "space") " IN ('flat', 'lds')) ORDER BY a.name",
	 print_note},
	{"SELECT level, origin, text FROM probe_log WHERE level <= 1 ORDER BY id LIMIT 5",
	 print_log},
	{"SELECT count(*) - 5 FROM probe_log WHERE level <= 1", print_more_log},
};

struct probe_err *report_account(const struct report *report, const struct report_db *db)
{
	struct probe_err *err = report_each(db, dispatches_sql, print_dispatches, report);

	if (err)
		return err;
	err = report_each(db, refusals_sql, print_refusal, report);
	if (err)
		return err;
	putchar('\n');
	err = print_uncovered_list(report, db);
	if (err)
		return err;
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		err = report_each(db, endings[i].sql, endings[i].fn, report);
		if (err)
			return err;
	}
	return NULL;
}

static struct probe_err *rows_or_sentence(const struct report *report, const struct report_db *db,
					  const struct report_query *query, bool first, bool last)
{
	bool any = true;
	struct probe_err *err = query->none ? report_any_row(report, db, query, &any) : NULL;

	if (err)
		return err;
	if (any)
		return report_rows(report, db, query, first, last);
	puts(query->none);
	return NULL;
}

struct probe_err *report_framed_rows(const struct report *report, const struct report_db *db,
				     const struct report_query *query, bool first, bool last)
{
	bool table = report->format == REPORT_TABLE, none = false;
	struct probe_err *err;

	if (table) {
		err = report_head(report, db);
		putchar('\n');
		if (err)
			return err;
	}
	err = report_none_chosen(report, db, &none);
	if (err)
		return err;
	if (!table)
		return report_rows(report, db, query, first, last);
	if (!none) {
		err = rows_or_sentence(report, db, query, first, last);
		if (err)
			return err;
	}
	putchar('\n');
	return report_account(report, db);
}
