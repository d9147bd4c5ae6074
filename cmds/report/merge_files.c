/* SPDX-License-Identifier: MIT */
#include "cmds/report/merge_files.h"

#include <stdio.h>

#include "cmds/report/attach_runs.h"
#include "cmds/report/report_db.h"
#include "cmds/report/report_options.h"
#include "common/err.h"
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
};

/* Without keys, so that each file has its rows; what is found by id gets an index. */
static const char after_sql[] =
	"CREATE TABLE sums AS SELECT stream, name, sum(value) AS value FROM probe_account "
	"GROUP BY stream, name; DROP TABLE probe_account; "
	"ALTER TABLE sums RENAME TO probe_account; "
	"CREATE INDEX i_event ON rocpd_event (id, guid); "
	"CREATE INDEX i_string ON rocpd_string (id, guid); "
	"CREATE INDEX i_dispatch ON probe_dispatch (dispatch_id); ";

static struct probe_err *failed(const struct report_db *to)
{
	return probe_reader_error(&to->reader, "merge the files");
}

/* Number the dispatches of the file that was copied last. */
static struct probe_err *renumber(const struct report_db *to, size_t file, int64_t before[2])
{
	static const char *const names[] = {"probe_dispatch", "rocpd_kernel_dispatch"};
	struct probe_err *err = NULL;

	for (int i = 0; i < 2 && !err; i++) {
		char *sql = sqlite3_mprintf("UPDATE %s SET dispatch_id = dispatch_id + %lld "
					    "WHERE rowid > %lld",
					    names[i], MERGE_DISPATCHES * (long long)file,
					    (long long)before[i]);
		REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
		char *count = sqlite3_mprintf("SELECT coalesce(max(rowid), 0) FROM %s", names[i]);
		bool row = false;

		if (!sql || !count)
			err = probe_err_oom();
		else if (sqlite3_exec(to->reader.db, sql, NULL, NULL, NULL))
			err = failed(to);
		if (!err)
			err = report_prepare_sql(to, count, &stmt);
		if (!err)
			err = report_step(to, stmt, &row);
		if (!err && row)
			before[i] = sqlite3_column_int64(stmt, 0);
		sqlite3_free(sql);
		sqlite3_free(count);
	}
	return err;
}

static struct probe_err *add_file(const struct report *report, size_t file, struct report_db *to,
				  int64_t before[2])
{
	struct report_db from = {0};
	struct probe_err *err = report_db_open(report, report->files[file], &from);

	if (!err && from.reader.version < PROBE_STORE_VERSION_LIKE)
		err = probe_err_create(
			"--merge: %s has schema %d, not %d or later: record it again", from.path,
			from.reader.version, PROBE_STORE_VERSION_LIKE);
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables) && !err; i++)
		err = report_copy_table(&from, tables[i], to, "main", file == 0);
	if (!err)
		err = renumber(to, file, before);
	to->reader.partial = to->reader.partial || from.reader.partial;
	if (from.reader.db)
		report_db_close(&from);
	return err;
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

struct probe_err *report_files_open(const struct report *report, struct report_db *db)
{
	struct probe_err *err;
	int64_t before[2] = {0};
	size_t size;
	FILE *out;

	*db = (struct report_db){0};
	out = open_memstream(&db->name, &size);
	if (!out)
		return probe_err_oom();
	fprintf(out, "%s and %zu more", report->files[0], report->file_count - 1);
	fclose(out);
	db->path = db->name;
	probe_reader_allow_copies();
	err = probe_reader_memory(db->path, &db->reader);
	for (size_t i = 0; i < report->file_count && !err; i++)
		err = add_file(report, i, db, before);
	if (!err && sqlite3_exec(db->reader.db, after_sql, NULL, NULL, NULL))
		err = failed(db);
	if (!err)
		err = check_distinct(db);
	probe_reader_harden(&db->reader);
	if (!err)
		err = report_functions(report, db->reader.db);
	if (err)
		report_db_close(db);
	return err;
}
