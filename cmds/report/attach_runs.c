/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* for asprintf */
#include "cmds/report/attach_runs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmds/record/merge_runs.h"
#include "cmds/report/report_db.h"
#include "cmds/report/report_options.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "common/log.h"
#include "store/store.h"

#define COLUMNS_MAX 200
#define TABLES_MAX  200

/*
 * The tables of ROCpd that merging and reports need, and all of Probe's except large ones that are
 * not needed.
 */
static const char tables_sql[] =
	"SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND (name IN "
	"('rocpd_info_agent', 'rocpd_info_code_object', 'rocpd_info_kernel_symbol', "
	"'rocpd_kernel_dispatch', 'rocpd_event', 'rocpd_info_process', 'rocpd_info_thread', "
	"'rocpd_string') OR "
	"(name LIKE 'probe\\_%' ESCAPE '\\' AND name NOT IN ('probe_record', 'probe_counter', "
	"'probe_dispatchsum', 'probe_loss', 'probe_words'))) ORDER BY name";

/* Indexes on what merging expects to be unique. */
static const char indexes_sql[] =
	"CREATE UNIQUE INDEX main.i_account ON probe_account (stream, name);"
	"CREATE UNIQUE INDEX main.i_source ON probe_source (file, line);"
	"CREATE UNIQUE INDEX main.i_source_file ON probe_sourcefile (file);"
	"CREATE UNIQUE INDEX main.i_run ON probe_run (key);"
	"CREATE UNIQUE INDEX main.i_code ON probe_code (code_object_id);"
	"CREATE INDEX main.i_site ON probe_site (code_object_id, site);";

/* For errors: "cannot ...". */
static const char doing[] = "put the two runs together";

/* "CREATE TABLE main.x (a, b)" or "INSERT INTO main.x VALUES (?, ?)". */
static char *table_text(const char *schema, const char *table, sqlite3_stmt *from, bool create)
{
	REPORT_AUTO_SQL char *name = sqlite3_mprintf("%s.\"%w\"", schema, table);
	char *text = NULL;
	size_t size;
	FILE *out = name ? open_memstream(&text, &size) : NULL;

	if (!out)
		return NULL;
	fprintf(out, create ? "CREATE TABLE %s (" : "INSERT INTO %s VALUES (", name);
	for (int i = 0; i < sqlite3_column_count(from); i++) {
		REPORT_AUTO_SQL char *column =
			sqlite3_mprintf("\"%w\"", sqlite3_column_name(from, i));

		fprintf(out, "%s%s", i ? ", " : "", create && column ? column : "?");
	}
	fputc(')', out);
	fclose(out);
	return text;
}

static struct probe_err *copy_rows(const struct report_db *from, sqlite3_stmt *rows,
				   const struct report_db *to, sqlite3_stmt *insert)
{
	struct probe_err *err;

	while (report_next(from, rows, &err)) {
		for (int i = 0; i < sqlite3_column_count(rows); i++)
			sqlite3_bind_value(insert, i + 1, sqlite3_column_value(rows, i));
		if (sqlite3_step(insert) != SQLITE_DONE)
			return probe_reader_error(&to->reader, doing);
		sqlite3_reset(insert);
	}
	return err;
}

struct probe_err *report_copy_table(const struct report_db *from, const char *table,
				    const struct report_db *to, const char *schema, bool make)
{
	REPORT_AUTO_SQL char *select = sqlite3_mprintf("SELECT * FROM \"%w\"", table);
	REPORT_AUTO_STMT sqlite3_stmt *rows = NULL, *insert = NULL;
	PROBE_AUTO_FREE char *create = NULL, *text = NULL;
	struct probe_err *err = select ? report_prepare_sql(from, select, &rows) : probe_err_oom();

	if (err)
		return err;
	if (sqlite3_column_count(rows) > COLUMNS_MAX)
		return probe_err_create("%s: table %s has over %d columns", from->path, table,
					COLUMNS_MAX);
	create = table_text(schema, table, rows, true);
	text = table_text(schema, table, rows, false);
	if (!create || !text)
		return probe_err_oom();
	if (make) {
		err = report_run_sql(to, create, doing);
		if (err)
			return err;
	}
	err = report_prepare_sql(to, text, &insert);
	return err ? err : copy_rows(from, rows, to, insert);
}

static struct probe_err *copy_all(const struct report_db *from, const struct report_db *to,
				  const char *schema)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct probe_err *err = report_prepare_sql(from, tables_sql, &stmt);

	if (err)
		return err;
	for (int i = 0; report_next(from, stmt, &err); i++) {
		if (i == TABLES_MAX)
			return probe_err_create("%s has over %d tables", from->path, TABLES_MAX);
		err = report_copy_table(from, report_cell(stmt, 0), to, schema, true);
		if (err)
			return err;
	}
	return err;
}

static bool sampled(const struct report_db *db)
{
	bool any = false;

	if (!report_db_has(db, "probe_sampler"))
		return false;
	probe_err_destroy(report_any(db, "SELECT 1 FROM probe_sampler", &any));
	return any;
}

/*
 * Decides which file is which; their schemas must be alike, because rows are copied unchanged.
 */
static struct probe_err *check(const struct report_db *const db[2], int *sampled_one)
{
	bool first = sampled(db[0]), second = sampled(db[1]);

	for (int i = 0; i < 2; i++)
		if (db[i]->reader.version < PROBE_STORE_VERSION_MERGE_MIN)
			return probe_err_create("--runs: %s has schema %d, not %d or later: record "
						"it again",
						db[i]->path, db[i]->reader.version,
						PROBE_STORE_VERSION_MERGE_MIN);
	if (first && second)
		return probe_err_create(
			"--runs: both %s and %s were sampled; expected one run with "
			"samples and one without: record one of them again without "
			"--pc-sampling-method",
			db[0]->path, db[1]->path);
	if (!first && !second)
		return probe_err_create("--runs: neither %s nor %s was sampled; expected one run "
					"with samples (probe-run --pc-sampling-method) and one "
					"without",
					db[0]->path, db[1]->path);
	*sampled_one = second;
	return NULL;
}

/* The text of a fact of the run, "" if it is missing; the caller frees it. */
static char *fact(const struct report_db *db, const char *key)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	bool row = false;

	probe_err_destroy(
		report_prepare_sql(db, "SELECT value FROM probe_run WHERE key = ?", &stmt));
	if (stmt) {
		sqlite3_bind_text(stmt, 1, key, -1, SQLITE_STATIC);
		probe_err_destroy(report_step(db, stmt, &row));
	}
	return strdup(row ? report_cell(stmt, 0) : "");
}

/*
 * Warns if the commands differ: samples of one problem size do not match the counters of another.
 */
static void warn_commands(const struct report_db *const db[2])
{
	PROBE_AUTO_FREE char *first = fact(db[0], "command");
	PROBE_AUTO_FREE char *second = fact(db[1], "command");

	if (first && second && strcmp(first, second))
		probe_log(PROBE_LOG_WARNING,
			  "--runs: the commands differ: %s ran '%s', %s ran '%s'; samples and "
			  "counters may not be of the same work",
			  db[0]->path, first, db[1]->path, second);
}

/* The run without samples becomes `to`; the other one is attached to it as `a`, and merged. */
static struct probe_err *merge_runs(const struct report_db *const from[2], struct report_db *to)
{
	int a = 0;
	struct probe_err *err = check(from, &a);

	if (err)
		return err;
	warn_commands(from);
	err = report_run_sql(to, "ATTACH ':memory:' AS a", doing);
	if (err)
		return err;
	err = copy_all(from[!a], to, "main");
	if (err)
		return err;
	err = copy_all(from[a], to, "a");
	if (err)
		return err;
	err = report_run_sql(to, indexes_sql, doing);
	if (err)
		return err;
	err = probe_merge(to->reader.db, to->path);
	return err ? err : report_run_sql(to, "DETACH a", doing);
}

static struct probe_err *fill(const struct report *report, struct report_db *to)
{
	REPORT_AUTO_DB struct report_db first = {0}, second = {0};
	const struct report_db *const from[2] = {&first, &second};
	struct probe_err *err = report_db_open(report, report->files[0], &first);

	if (err)
		return err;
	err = report_db_open(report, report->files[1], &second);
	if (err)
		return err;
	err = merge_runs(from, to);
	if (err)
		return err;
	probe_reader_harden(&to->reader);
	to->reader.partial = first.reader.partial || second.reader.partial;
	err = report_functions(report, to->reader.db);
	return err ? err : report_equal_dispatches(to);
}

struct probe_err *report_runs_open(const struct report *report, struct report_db *db)
{
	struct probe_err *err;
	char *name;

	if (asprintf(&name, "%s and %s", report->files[0], report->files[1]) < 0)
		return probe_err_oom();
	probe_reader_allow_copies();
	err = report_db_memory(name, db);
	if (err)
		return err;
	err = fill(report, db);
	if (err)
		report_db_close(db);
	return err;
}
