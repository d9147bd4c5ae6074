/* SPDX-License-Identifier: MIT */
/* The file format of speedscope; see export_trace.h. */
#include <string.h>

#include "cmds/report/escape.h"
#include "cmds/report/export_trace.h"
#include "cmds/report/flame_stacks.h"
#include "cmds/report/report_db.h"
#include "cmds/report/report_options.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "probe_version.h"

/*
 * Frames are named once and then referred to by number. A table in memory maps them to numbers,
 * because there may be as many as there are lines of code.
 */
struct frame_numbers {
	struct report_db db;
	sqlite3_stmt *insert, *find;
};

static struct probe_err *open_numbers(const struct report_db *db, struct frame_numbers *numbers)
{
	struct probe_err *err = probe_reader_memory(db->path, &numbers->db.reader);

	if (!err && sqlite3_exec(numbers->db.reader.db, "CREATE TABLE frame (name TEXT UNIQUE)",
				 NULL, NULL, NULL))
		err = probe_err_oom();
	if (!err)
		err = report_prepare_sql(&numbers->db, "INSERT OR IGNORE INTO frame VALUES (?)",
					 &numbers->insert);
	if (!err)
		err = report_prepare_sql(&numbers->db, "SELECT rowid - 1 FROM frame WHERE name = ?",
					 &numbers->find);
	return err;
}

static void close_numbers(struct frame_numbers *numbers)
{
	sqlite3_finalize(numbers->insert);
	sqlite3_finalize(numbers->find);
	probe_reader_close(&numbers->db.reader);
}

static int64_t number_of(struct frame_numbers *numbers, const char *name, size_t len)
{
	int64_t number;

	sqlite3_bind_text(numbers->insert, 1, name, (int)len, SQLITE_STATIC);
	sqlite3_step(numbers->insert);
	sqlite3_reset(numbers->insert);
	sqlite3_bind_text(numbers->find, 1, name, (int)len, SQLITE_STATIC);
	sqlite3_step(numbers->find);
	number = sqlite3_column_int64(numbers->find, 0);
	sqlite3_reset(numbers->find);
	return number;
}

static void put_stack(struct report_json *json, struct frame_numbers *numbers, const char *stack)
{
	report_json_open(json, '[');
	while (*stack) {
		size_t len = strcspn(stack, ";");

		report_json_int(json, number_of(numbers, stack, len));
		stack += len + (stack[len] == ';');
	}
	report_json_close(json, ']');
}

static struct probe_err *put_stacks(struct report_json *json, struct frame_numbers *numbers,
				    const struct report_db *db, sqlite3_stmt *stmt, FILE *weights,
				    int64_t *total)
{
	const char *comma = "";

	report_json_key(json, "samples");
	report_json_open(json, '[');
	for (;;) {
		bool row;
		struct probe_err *err = report_step(db, stmt, &row);

		if (err)
			return err;
		if (!row)
			break;
		put_stack(json, numbers, report_cell(stmt, 0));
		fprintf(weights, "%s%s", comma, report_cell(stmt, 1));
		*total += sqlite3_column_int64(stmt, 1);
		comma = ",";
	}
	report_json_close(json, ']');
	return NULL;
}

static struct probe_err *put_frames(struct report_json *json, struct frame_numbers *numbers)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct probe_err *err =
		report_prepare_sql(&numbers->db, "SELECT name FROM frame ORDER BY rowid", &stmt);

	report_json_key(json, "shared");
	report_json_open(json, '{');
	report_json_key(json, "frames");
	report_json_open(json, '[');
	while (!err) {
		bool row;

		err = report_step(&numbers->db, stmt, &row);
		if (err || !row)
			break;
		report_json_open(json, '{');
		report_json_member(json, "name", report_cell(stmt, 0));
		report_json_close(json, '}');
	}
	report_json_close(json, ']');
	report_json_close(json, '}');
	return err;
}

static struct probe_err *put_profile(struct report_json *json, const struct report_db *db,
				     sqlite3_stmt *stmt, struct frame_numbers *numbers,
				     int64_t *total)
{
	PROBE_AUTO_FREE char *text = NULL;
	struct probe_err *err;
	size_t size;
	FILE *weights = open_memstream(&text, &size);

	if (!weights)
		return probe_err_oom();
	report_json_key(json, "profiles");
	report_json_open(json, '[');
	report_json_open(json, '{');
	report_json_member(json, "type", "sampled");
	report_json_member(json, "name", db->path);
	report_json_member(json, "unit", "none");
	report_json_int_member(json, "startValue", 0);
	fputc('[', weights);
	err = put_stacks(json, numbers, db, stmt, weights, total);
	fputc(']', weights);
	if (fclose(weights) && !err)
		err = probe_err_oom();
	if (err)
		return err;
	report_json_key(json, "weights");
	report_json_raw(json, text);
	report_json_int_member(json, "endValue", *total);
	report_json_close(json, '}');
	report_json_close(json, ']');
	return NULL;
}

struct probe_err *export_speedscope(const struct report *report, const struct report_db *db,
				    FILE *out)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct report_json json = {.out = out, .compact = true};
	struct frame_numbers numbers = {0};
	enum report_source source;
	int64_t total = 0;
	struct probe_err *err = report_source(report, db, &source);
	char *sql = err ? NULL : flame_stacks_sql(report, source);

	if (!err && !sql)
		err = probe_err_oom();
	if (!err)
		err = report_prepare_sql(db, sql, &stmt);
	sqlite3_free(sql);
	if (!err)
		err = open_numbers(db, &numbers);
	report_json_open(&json, '{');
	report_json_member(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	report_json_member(&json, "exporter", "probe-report " PROBE_VERSION);
	if (!err)
		err = put_profile(&json, db, stmt, &numbers, &total);
	if (!err)
		err = put_frames(&json, &numbers);
	report_json_close(&json, '}');
	if (!err && !total)
		err = flame_stacks_missing(report, db);
	close_numbers(&numbers);
	return err;
}
