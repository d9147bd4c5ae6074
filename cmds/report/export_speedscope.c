/* SPDX-License-Identifier: MIT */
/* The file format of speedscope; see export_trace.h. */
#include <string.h>

#include "cmds/report/escape.h"
#include "cmds/report/export_trace.h"
#include "cmds/report/flame_stacks.h"
#include "cmds/report/output_file.h"
#include "cmds/report/report_db.h"
#include "cmds/report/report_options.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "probe_version.h"

/*
 * Frames are named once and then referred to by number. A table in memory maps them to numbers,
 * because there may be as many as there are lines of code.
 */
struct speedscope {
	struct report_json json;
	struct report_db frames;
	sqlite3_stmt *insert, *find; /* of `frames` */
	FILE *weights;		     /* of the stacks, which the file has after them */
	int64_t total;
};

static struct probe_err *open_frames(struct speedscope *speedscope, const struct report_db *db)
{
	struct report_db *frames = &speedscope->frames;
	struct probe_err *err = probe_reader_memory(db->path, &frames->reader);

	if (err)
		return err;
	if (sqlite3_exec(frames->reader.db, "CREATE TABLE frame (name TEXT UNIQUE)", NULL, NULL,
			 NULL))
		return probe_err_oom();
	err = report_prepare_sql(frames, "INSERT OR IGNORE INTO frame VALUES (?)",
				 &speedscope->insert);
	if (err)
		return err;
	return report_prepare_sql(frames, "SELECT rowid - 1 FROM frame WHERE name = ?",
				  &speedscope->find);
}

static void speedscope_deinit(struct speedscope *speedscope)
{
	sqlite3_finalize(speedscope->insert);
	sqlite3_finalize(speedscope->find);
	probe_reader_close(&speedscope->frames.reader);
}

static int64_t frame_number(const struct speedscope *speedscope, const char *name, size_t len)
{
	int64_t number;

	sqlite3_bind_text(speedscope->insert, 1, name, (int)len, SQLITE_STATIC);
	sqlite3_step(speedscope->insert);
	sqlite3_reset(speedscope->insert);
	sqlite3_bind_text(speedscope->find, 1, name, (int)len, SQLITE_STATIC);
	sqlite3_step(speedscope->find);
	number = sqlite3_column_int64(speedscope->find, 0);
	sqlite3_reset(speedscope->find);
	return number;
}

static void write_stack(struct speedscope *speedscope, const char *stack)
{
	struct report_json *json = &speedscope->json;

	report_json_open(json, '[');
	while (*stack) {
		size_t len = strcspn(stack, ";");

		report_json_int(json, frame_number(speedscope, stack, len));
		stack += len + (stack[len] == ';');
	}
	report_json_close(json, ']');
}

static struct probe_err *write_stacks(struct speedscope *speedscope, const struct report_db *db,
				      sqlite3_stmt *stmt)
{
	const char *comma = "";
	struct probe_err *err;

	report_json_key(&speedscope->json, "samples");
	report_json_open(&speedscope->json, '[');
	fputc('[', speedscope->weights);
	while (report_next(db, stmt, &err)) {
		write_stack(speedscope, report_cell(stmt, 0));
		fprintf(speedscope->weights, "%s%s", comma, report_cell(stmt, 1));
		speedscope->total += sqlite3_column_int64(stmt, 1);
		comma = ",";
	}
	fputc(']', speedscope->weights);
	if (err)
		return err;
	report_json_close(&speedscope->json, ']');
	return NULL;
}

static struct probe_err *write_frames(struct speedscope *speedscope)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct report_json *json = &speedscope->json;
	struct probe_err *err = report_prepare_sql(&speedscope->frames,
						   "SELECT name FROM frame ORDER BY rowid", &stmt);

	report_json_key(json, "shared");
	report_json_open(json, '{');
	report_json_key(json, "frames");
	report_json_open(json, '[');
	while (!err && report_next(&speedscope->frames, stmt, &err)) {
		report_json_open(json, '{');
		report_json_member(json, "name", report_cell(stmt, 0));
		report_json_close(json, '}');
	}
	report_json_close(json, ']');
	report_json_close(json, '}');
	return err;
}

static struct probe_err *write_profile(struct speedscope *speedscope, const struct report_db *db,
				       sqlite3_stmt *stmt)
{
	struct report_json *json = &speedscope->json;
	PROBE_AUTO_FREE char *text = NULL;
	struct probe_err *err;
	size_t size;

	speedscope->weights = open_memstream(&text, &size);
	if (!speedscope->weights)
		return probe_err_oom();
	report_json_key(json, "profiles");
	report_json_open(json, '[');
	report_json_open(json, '{');
	report_json_member(json, "type", "sampled");
	report_json_member(json, "name", db->path);
	report_json_member(json, "unit", "none");
	report_json_int_member(json, "startValue", 0);
	err = output_close_memory(speedscope->weights, write_stacks(speedscope, db, stmt));
	if (err)
		return err;
	report_json_key(json, "weights");
	report_json_raw(json, text);
	report_json_int_member(json, "endValue", speedscope->total);
	report_json_close(json, '}');
	report_json_close(json, ']');
	return NULL;
}

static struct probe_err *write_samples(struct speedscope *speedscope, const struct report *report,
				       const struct report_db *db)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct probe_err *err = flame_stacks_prepare(report, db, &stmt);

	if (err)
		return err;
	err = open_frames(speedscope, db);
	if (err)
		return err;
	err = write_profile(speedscope, db, stmt);
	if (err)
		return err;
	err = write_frames(speedscope);
	if (err)
		return err;
	return speedscope->total ? NULL : flame_stacks_missing(report, db);
}

struct probe_err *export_speedscope(const struct report *report, const struct report_db *db,
				    FILE *out)
{
	PROBE_AUTO(speedscope_deinit)
	struct speedscope speedscope = {.json = {.out = out, .compact = true}};
	struct report_json *json = &speedscope.json;
	struct probe_err *err;

	report_json_open(json, '{');
	report_json_member(json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	report_json_member(json, "exporter", "probe-report " PROBE_VERSION);
	err = write_samples(&speedscope, report, db);
	report_json_close(json, '}');
	return err;
}
