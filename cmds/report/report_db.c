/* SPDX-License-Identifier: MIT */
#include "cmds/report/report_db.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmds/record/spool.h"
#include "cmds/report/code_functions.h"
#include "cmds/report/dispatch_filter.h"
#include "cmds/report/equal_dispatches.h"
#include "cmds/report/occupancy_sql.h"
#include "cmds/report/report_options.h"
#include "cmds/report/source_state.h"
#include "cmds/report/source_text.h"
#include "cmds/report/text_sql.h"
#include "cmds/report/unpack_samples.h"
#include "common/err.h"
#include "common/log.h"
#include "common/progress.h"

/* SQL function probe_match(text): true if -k selects it. */
static void match(sqlite3_context *context, int count, sqlite3_value **values)
{
	const struct report *report = sqlite3_user_data(context);
	const char *text = (const char *)sqlite3_value_text(values[0]);

	(void)count;
	sqlite3_result_int(
		context, !report->kernel ||
				 (text &&
				  ((report->kernel_literal && !strcmp(report->kernel, text)) ||
				   !regexec(&report->kernel_regex, text, 0, NULL, 0))));
}

struct probe_err *report_functions(const struct report *report, sqlite3 *db)
{
	if (report_code_functions_register(db) || report_filter_register(report, db) ||
	    report_source_state_register(report, db) ||
	    report_unpack_register(db) || occupancy_sql_register(db) || text_sql_register(db) ||
	    sqlite3_create_function(db, "probe_match", 1, SQLITE_UTF8, (void *)report, match, NULL,
				    NULL))
		return probe_err_oom();
	return NULL;
}

/* The database may be anything then: empty, without its schema, or lacking its last records. */
static void warn_interrupted(const char *path)
{
	PROBE_AUTO_FREE char *spool = spool_path(path);

	if (spool && spool_is_stale(spool))
		probe_log(PROBE_LOG_WARNING,
			  "%s: its recorder was killed; %s has all records: complete the database "
			  "with: probe-run --recover %s",
			  path, spool, spool);
}

struct probe_err *report_db_open(const struct report *report, const char *path,
				 struct report_db *db)
{
	struct probe_err *err;

	*db = (struct report_db){.path = path};
	warn_interrupted(path);
	err = probe_reader_open(path, &db->reader);
	if (err)
		return err;
	err = report_functions(report, db->reader.db);
	if (!err)
		err = report_equal_dispatches(db);
	if (err)
		probe_reader_close(&db->reader);
	return err;
}

struct probe_err *report_db_memory(char *name, struct report_db *db)
{
	struct probe_err *err;

	*db = (struct report_db){.path = name, .name = name};
	err = name ? probe_reader_memory(name, &db->reader) : probe_err_oom();
	if (err)
		report_db_close(db);
	return err;
}

void report_db_close(struct report_db *db)
{
	report_source_forget();
	probe_reader_close(&db->reader);
	free(db->name);
	*db = (struct report_db){0};
}

struct probe_err *report_prepare_sql(const struct report_db *db, const char *sql,
				     sqlite3_stmt **ret)
{
	if (sqlite3_prepare_v2(db->reader.db, sql, -1, ret, NULL))
		return probe_reader_error(&db->reader, "read it");
	return NULL;
}

void report_hide_progress(void)
{
	static int terminal = -1;

	if (terminal < 0)
		terminal = isatty(STDOUT_FILENO);
	if (terminal)
		probe_progress_hide();
}

struct probe_err *report_step(const struct report_db *db, sqlite3_stmt *stmt, bool *row)
{
	int rc = sqlite3_step(stmt);

	report_hide_progress();
	*row = rc == SQLITE_ROW;
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return probe_reader_error(&db->reader, "read it");
	return NULL;
}

bool report_next(const struct report_db *db, sqlite3_stmt *stmt, struct probe_err **err)
{
	bool row;

	*err = report_step(db, stmt, &row);
	return row;
}

struct probe_err *report_first_row(const struct report_db *db, const char *sql, sqlite3_stmt **ret,
				   bool *row)
{
	struct probe_err *err = report_prepare_sql(db, sql, ret);

	return err ? err : report_step(db, *ret, row);
}

struct probe_err *report_run_sql(const struct report_db *db, const char *sql, const char *doing)
{
	int rc = sqlite3_exec(db->reader.db, sql, NULL, NULL, NULL);

	report_hide_progress();
	return rc ? probe_reader_error(&db->reader, doing) : NULL;
}

bool report_db_has(const struct report_db *db, const char *table)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;

	if (sqlite3_prepare_v2(db->reader.db, "SELECT 1 FROM sqlite_schema WHERE name = ?", -1,
			       &stmt, NULL))
		return false;
	sqlite3_bind_text(stmt, 1, table, -1, SQLITE_STATIC);
	return sqlite3_step(stmt) == SQLITE_ROW;
}

const char *report_cell(sqlite3_stmt *stmt, int column)
{
	const char *text = (const char *)sqlite3_column_text(stmt, column);

	return text ? text : "";
}

struct probe_err *report_any(const struct report_db *db, const char *sql, bool *ret)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;

	return report_first_row(db, sql, &stmt, ret);
}

struct probe_err *report_each(const struct report_db *db, const char *sql, report_row_fn fn,
			      const struct report *report)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct probe_err *err = report_prepare_sql(db, sql, &stmt);

	if (err)
		return err;
	while (report_next(db, stmt, &err))
		fn(report, stmt);
	return err;
}

#define EQUAL_VIEW "CREATE TEMP VIEW probe_equal AS "

struct probe_err *report_equal_dispatches(const struct report_db *db)
{
	static const char from_sums[] = EQUAL_VIEW
		"SELECT kernel_id, launched_kernel_id, kind, verdict, agent, grid_x, grid_y, "
		"grid_z, group_x, group_y, group_z, first_dispatch AS dispatch_id, "
		"dispatches AS n, ns, timed FROM main.probe_dispatchsum";
	static const char from_dispatches[] = EQUAL_VIEW EQUAL_DISPATCHES("1");
	bool any = false;
	struct probe_err *err = NULL;

	if (report_db_has(db, "probe_dispatchsum"))
		err = report_any(db, "SELECT 1 FROM main.probe_dispatchsum LIMIT 1", &any);
	if (!err)
		err = report_run_sql(db, "PRAGMA query_only = OFF", "read it");
	if (!err)
		err = report_run_sql(db, any ? from_sums : from_dispatches, "read it");
	return err ? err : report_run_sql(db, "PRAGMA query_only = ON", "read it");
}
