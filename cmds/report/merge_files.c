/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* for asprintf */
#include "cmds/report/merge_files.h"

#include <stdio.h>

#include "cmds/report/attach_runs.h"
#include "cmds/report/report_db.h"
#include "cmds/report/report_options.h"
#include "common/err.h"
#include "common/progress.h"
#include "store/store.h"

static const char *const tables[] = {
	"rocpd_info_node",
	"rocpd_info_process",
	"rocpd_info_thread",
	"rocpd_info_agent",
	"rocpd_info_kernel_symbol",
	"rocpd_string",
	"rocpd_event",
	"rocpd_region",
	"rocpd_memory_copy",
	"rocpd_kernel_dispatch",
	"probe_dispatch",
	"probe_run",
	"probe_account",
	"probe_site", /* for the notes below the tables, like the next */
	"probe_log",
};

/* Without keys, so that each file has its rows; what is found by id gets an index. */
static const char after_sql[] =
	"CREATE TABLE sums AS SELECT stream, name, sum(value) AS value FROM probe_account "
	"GROUP BY stream, name; DROP TABLE probe_account; "
	"ALTER TABLE sums RENAME TO probe_account; "
	"CREATE INDEX i_event ON rocpd_event (id, guid); "
	"CREATE INDEX i_string ON rocpd_string (id, guid); "
	"CREATE INDEX i_dispatch ON probe_dispatch (dispatch_id); ";

/* For errors: "cannot ...". */
static const char doing[] = "merge the files";

/* Tables whose rows have dispatch ids. */
static const char *const numbered[] = {"probe_dispatch", "rocpd_kernel_dispatch"};
enum { NUMBERED = sizeof(numbered) / sizeof(*numbered) };

/* Numbers the dispatches that follow row *last of the table; *last: the table's last row then. */
static struct probe_err *renumber(const struct report_db *to, const char *table, size_t file,
				  int64_t *last)
{
	REPORT_AUTO_SQL char *update =
		sqlite3_mprintf("UPDATE %s SET dispatch_id = dispatch_id + %lld WHERE rowid > %lld",
				table, MERGE_DISPATCHES * (long long)file, (long long)*last);
	REPORT_AUTO_SQL char *count =
		sqlite3_mprintf("SELECT coalesce(max(rowid), 0) FROM %s", table);
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct probe_err *err;
	bool row = false;

	if (!update || !count)
		return probe_err_oom();
	err = report_run_sql(to, update, doing);
	if (err)
		return err;
	err = report_first_row(to, count, &stmt, &row);
	if (err)
		return err;
	if (row)
		*last = sqlite3_column_int64(stmt, 0);
	return NULL;
}

static struct probe_err *add_file(const struct report *report, size_t file, struct report_db *to,
				  int64_t last[NUMBERED])
{
	REPORT_AUTO_DB struct report_db from = {0};
	struct probe_err *err = report_db_open(report, report->files[file], &from);

	if (err)
		return err;
	probe_progress_step("merging %s", from.path);
	probe_progress_amount(file, report->file_count);
	if (from.reader.version < PROBE_STORE_VERSION_MERGE_MIN)
		return probe_err_create(
			"--merge: %s has schema %d, not %d or later: record it again", from.path,
			from.reader.version, PROBE_STORE_VERSION_MERGE_MIN);
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		err = report_copy_table(&from, tables[i], to, "main", file == 0);
		if (err)
			return err;
	}
	for (size_t i = 0; i < NUMBERED; i++) {
		err = renumber(to, numbered[i], file, &last[i]);
		if (err)
			return err;
	}
	to->reader.partial |= from.reader.partial;
	return NULL;
}

/* A process that is listed twice would be counted twice. */
static struct probe_err *check_distinct(const struct report_db *to)
{
	bool twice = false;
	struct probe_err *err = report_any(to,
					   "SELECT 1 FROM rocpd_info_process GROUP BY guid "
					   "HAVING count(*) > 1",
					   &twice);

	return err || !twice ? err : probe_err_create("--merge: a file was given twice");
}

static struct probe_err *fill(const struct report *report, struct report_db *to)
{
	int64_t last[NUMBERED] = {0};
	struct probe_err *err;

	for (size_t i = 0; i < report->file_count; i++) {
		err = add_file(report, i, to, last);
		if (err)
			return err;
	}
	err = report_run_sql(to, after_sql, doing);
	if (err)
		return err;
	err = check_distinct(to);
	if (err)
		return err;
	probe_reader_harden(&to->reader);
	err = report_functions(report, to->reader.db);
	return err ? err : report_equal_dispatches(to);
}

struct probe_err *report_files_open(const struct report *report, struct report_db *db)
{
	struct probe_err *err;
	char *name;

	if (asprintf(&name, "%s and %zu more", report->files[0], report->file_count - 1) < 0)
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
