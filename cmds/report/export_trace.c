/* SPDX-License-Identifier: MIT */
#include "cmds/report/export_trace.h"

#include <stdlib.h>
#include <string.h>

#include "cmds/report/escape.h"
#include "cmds/report/flame_stacks.h"
#include "cmds/report/report_db.h"
#include "cmds/report/report_options.h"
#include "cmds/report/trace_events.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "probe_version.h"
#include "store/sql_words.h"

/* Prepares a query in which %s marks the place of a condition on kernels. */
static struct probe_err *prepare_matching(const struct report *report, const struct report_db *db,
					  const char *sql, sqlite3_stmt **ret)
{
	char *text =
		sqlite3_mprintf(sql, report->kernel ? " WHERE probe_match(k.display_name)" : "");
	struct probe_err *err = text ? report_prepare_sql(db, text, ret) : probe_err_oom();

	sqlite3_free(text);
	return err;
}

/* ---- Chrome ---------------------------------------------------------------------------------- */

enum dispatch_field {
	D_KERNEL,
	D_AGENT,
	D_QUEUE,
	D_START,
	D_DURATION,
	D_DISPATCH,
	D_CLONE,
	D_GRID,
	D_GROUP,
	D_LDS,
};

/*
 * Viewers order by process and thread: a device is a process with its queues and its copies, and
 * so is the program with its threads. Their numbers must differ; those of the n-th process
 * (--merge) begin at 1000 n and 10000000 n.
 */
#define DEVICES(guid) "1000 * " TRACE_ORDINAL(guid) " + "
#define HOST(guid)    "1000000 + 10000000 * " TRACE_ORDINAL(guid) " + "
#define COPIES	      "1000000"
#define TIME(at)      "(" at " - " TRACE_FIRST ") / 1000.0"
/* The GPU of a copy; the CPU's if it is between CPUs. */
#define COPY_AGENT                                                                                 \
	"coalesce((SELECT min(a.id) FROM rocpd_info_agent a WHERE a.type = 'GPU' AND "             \
	"a.guid = m.guid AND a.id IN (m.src_agent_id, m.dst_agent_id)), m.dst_agent_id, 0)"

/* clang-format off: it would break the lines inside of the queries. */
static const char dispatches_sql[] =
	"SELECT k.display_name, " DEVICES("r.guid") "r.agent_id, r.queue_id, " TIME(
		"r.start") ", "
			   "(r.\"end\" - r.start) / 1000.0, r.dispatch_id, coalesce(" SQL_INSTRUMENTED(
				   "p") ", 0), "
					"r.grid_size_x || ' x ' || r.grid_size_y || ' x ' || r.grid_size_z, r.workgroup_size_x || "
					"' x ' || r.workgroup_size_y || ' x ' || r.workgroup_size_z, r.group_segment_size "
					"FROM " TRACE_DISPATCHES "%s ORDER BY r.start";

/* pid, tid, name of the first, name of the second. */
static const char tracks_sql[] =
	"SELECT DISTINCT " DEVICES("r.guid") "r.agent_id, r.queue_id, " TRACE_PROCESS(
		"r.guid") " || a.name || ' ' || coalesce(a.product_name, ''), 'queue ' || r.queue_id "
			  "FROM rocpd_kernel_dispatch r "
			  "LEFT JOIN rocpd_info_agent a ON a.id = r.agent_id AND a.guid = r.guid "
			  "UNION SELECT " DEVICES("m.guid") COPY_AGENT
	", " COPIES ", " TRACE_PROCESS(
		"m.guid") " || a.name || ' ' || coalesce(a.product_name, ''), 'copies' FROM rocpd_memory_copy m "
			  "LEFT JOIN rocpd_info_agent a ON a.id = " COPY_AGENT
			  " AND a.guid = m.guid "
			  "UNION SELECT " HOST(
				  "p.guid") "p.pid, t.tid, 'process ' || p.pid, "
					    "coalesce(t.name, 'thread ' || t.tid) FROM (SELECT DISTINCT tid, guid FROM rocpd_region) r "
					    "JOIN rocpd_info_thread t ON t.id = r.tid AND t.guid = r.guid "
					    "JOIN rocpd_info_process p ON p.id = t.pid AND p.guid = t.guid ORDER BY 1, 2";

#define THREAD_AND_PROCESS                                                                         \
	"JOIN rocpd_info_thread t ON t.id = r.tid AND t.guid = r.guid "                            \
	"JOIN rocpd_info_process p ON p.id = r.pid AND p.guid = r.guid "

/* Copies, calls, ranges and marks: category, name, pid, tid, ts, dur, correlation, bytes. */
static const char events_sql[] =
	"SELECT 'copy', s.string, " DEVICES("m.guid") COPY_AGENT ", " COPIES ", " TIME(
		"m.start") " AS ts, (m.\"end\" - m.start) / 1000.0, e.stack_id, m.size "
			   "FROM " TRACE_COPIES
			   "LEFT JOIN rocpd_event e ON e.id = m.event_id AND e.guid = m.guid "
			   "UNION ALL SELECT CASE WHEN c.string <> '" TRACE_MARKERS
			   "' THEN c.string "
			   "WHEN r.\"end\" = r.start THEN 'mark' ELSE 'range' END, s.string, " HOST(
				   "p.guid") "p.pid, t.tid, " TIME("r.start") ", (r.\"end\" - r.start) / 1000.0, "
									      "e.stack_id, NULL FROM " TRACE_REGIONS
										      THREAD_AND_PROCESS
									      "ORDER BY ts";

/* From the call to the kernel or copy: id, then pid, tid, ts of both ends. */
static const char arrows_sql[] =
	"WITH calls AS MATERIALIZED (SELECT e.stack_id, e.guid, "
	"e.stack_id + (" TRACE_ORDINAL("e.guid") " << 40) AS id, " HOST(
		"p.guid") "p.pid AS pid, "
			  "t.tid, " TIME(
				  "r.start") " AS ts FROM " TRACE_REGIONS THREAD_AND_PROCESS
					     "WHERE e.stack_id > 0) "
					     "SELECT x.id, x.pid, x.tid, x.ts, " DEVICES("r.guid") "r.agent_id, r.queue_id, " TIME(
						     "r.start") " AS ts FROM " TRACE_DISPATCHES
								"JOIN rocpd_event e ON e.id = r.event_id AND e.guid = r.guid "
								"JOIN calls x ON x.stack_id = e.stack_id AND x.guid = r.guid%s "
								"UNION ALL SELECT x.id, x.pid, x.tid, x.ts, " DEVICES(
									"m.guid") COPY_AGENT
	", " COPIES ", " TIME(
		"m.start") " FROM rocpd_memory_copy m "
			   "JOIN rocpd_event e ON e.id = m.event_id AND e.guid = m.guid "
			   "JOIN calls x ON x.stack_id = e.stack_id AND x.guid = m.guid ORDER BY ts";
/* clang-format on */

static void put_member(struct report_json *json, const char *key, const char *text)
{
	report_json_key(json, key);
	report_json_text(json, text);
}

static void put_number(struct report_json *json, const char *key, int64_t value)
{
	report_json_key(json, key);
	report_json_int(json, value);
}

static void put_real(struct report_json *json, const char *key, double value)
{
	report_json_key(json, key);
	report_json_real(json, value);
}

/* Metadata: the name that the viewer shows for a process or thread. */
static void put_name(struct report_json *json, const char *event, sqlite3_stmt *stmt,
		     const char *name)
{
	report_json_open(json, '{');
	put_member(json, "ph", "M");
	put_member(json, "name", event);
	put_number(json, "pid", sqlite3_column_int64(stmt, 0));
	put_number(json, "tid", sqlite3_column_int64(stmt, 1));
	report_json_key(json, "args");
	report_json_open(json, '{');
	put_member(json, "name", name);
	report_json_close(json, '}');
	report_json_close(json, '}');
}

static struct probe_err *put_tracks(struct report_json *json, const struct report_db *db)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct probe_err *err = report_prepare_sql(db, tracks_sql, &stmt);

	while (!err) {
		bool row;

		err = report_step(db, stmt, &row);
		if (err || !row)
			break;
		put_name(json, "process_name", stmt, report_cell(stmt, 2));
		put_name(json, "thread_name", stmt, report_cell(stmt, 3));
	}
	return err;
}

static void put_dispatch(struct report_json *json, sqlite3_stmt *stmt)
{
	bool clone = sqlite3_column_int(stmt, D_CLONE);

	report_json_open(json, '{');
	put_member(json, "ph", "X");
	put_member(json, "cat", clone ? "instrumented" : "kernel");
	put_member(json, "name", report_cell(stmt, D_KERNEL));
	put_number(json, "pid", sqlite3_column_int64(stmt, D_AGENT));
	put_number(json, "tid", sqlite3_column_int64(stmt, D_QUEUE));
	put_real(json, "ts", sqlite3_column_double(stmt, D_START));
	put_real(json, "dur", sqlite3_column_double(stmt, D_DURATION));
	report_json_key(json, "args");
	report_json_open(json, '{');
	put_number(json, "dispatch", sqlite3_column_int64(stmt, D_DISPATCH));
	put_member(json, "variant", clone ? "instrumented clone" : "original");
	put_member(json, "grid", report_cell(stmt, D_GRID));
	put_member(json, "workgroup", report_cell(stmt, D_GROUP));
	put_number(json, "lds bytes", sqlite3_column_int64(stmt, D_LDS));
	report_json_close(json, '}');
	report_json_close(json, '}');
}

enum event_field { E_CATEGORY, E_NAME, E_PID, E_TID, E_TIME, E_DURATION, E_CORRELATION, E_BYTES };

static void put_event(struct report_json *json, sqlite3_stmt *stmt)
{
	const char *category = report_cell(stmt, E_CATEGORY);
	bool instant = !strcmp(category, "mark");

	report_json_open(json, '{');
	put_member(json, "ph", instant ? "i" : "X");
	put_member(json, "cat", category);
	put_member(json, "name", report_cell(stmt, E_NAME));
	put_number(json, "pid", sqlite3_column_int64(stmt, E_PID));
	put_number(json, "tid", sqlite3_column_int64(stmt, E_TID));
	put_real(json, "ts", sqlite3_column_double(stmt, E_TIME));
	if (instant)
		put_member(json, "s", "t");
	else
		put_real(json, "dur", sqlite3_column_double(stmt, E_DURATION));
	report_json_key(json, "args");
	report_json_open(json, '{');
	if (sqlite3_column_int64(stmt, E_CORRELATION))
		put_number(json, "correlation", sqlite3_column_int64(stmt, E_CORRELATION));
	if (sqlite3_column_type(stmt, E_BYTES) != SQLITE_NULL)
		put_number(json, "bytes", sqlite3_column_int64(stmt, E_BYTES));
	report_json_close(json, '}');
	report_json_close(json, '}');
}

/* One end of an arrow; `at`: its first column. It binds to the slice that contains the time. */
static void put_end(struct report_json *json, sqlite3_stmt *stmt, bool start, int at)
{
	report_json_open(json, '{');
	put_member(json, "ph", start ? "s" : "f");
	put_member(json, "cat", "launch");
	put_member(json, "name", "launch");
	put_number(json, "id", sqlite3_column_int64(stmt, 0));
	put_number(json, "pid", sqlite3_column_int64(stmt, at));
	put_number(json, "tid", sqlite3_column_int64(stmt, at + 1));
	put_real(json, "ts", sqlite3_column_double(stmt, at + 2));
	if (!start)
		put_member(json, "bp", "e");
	report_json_close(json, '}');
}

static void put_arrow(struct report_json *json, sqlite3_stmt *stmt)
{
	put_end(json, stmt, true, 1);
	put_end(json, stmt, false, 4);
}

static struct probe_err *put_all(const struct report *report, const struct report_db *db,
				 struct report_json *json, const char *sql,
				 void (*put)(struct report_json *json, sqlite3_stmt *stmt))
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct probe_err *err = prepare_matching(report, db, sql, &stmt);

	while (!err) {
		bool row;

		err = report_step(db, stmt, &row);
		if (err || !row)
			break;
		put(json, stmt);
	}
	return err;
}

struct probe_err *export_chrome(const struct report *report, const struct report_db *db, FILE *out)
{
	struct report_json json = {.out = out, .compact = true};
	struct probe_err *err;

	report_json_open(&json, '{');
	put_member(&json, "displayTimeUnit", "ns");
	report_json_key(&json, "traceEvents");
	report_json_open(&json, '[');
	err = put_tracks(&json, db);
	if (!err)
		err = put_all(report, db, &json, dispatches_sql, put_dispatch);
	if (!err)
		err = put_all(report, db, &json, events_sql, put_event);
	if (!err)
		err = put_all(report, db, &json, arrows_sql, put_arrow);
	report_json_close(&json, ']');
	report_json_close(&json, '}');
	return err;
}

/* ---- Speedscope ------------------------------------------------------------------------------ */

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
		put_member(json, "name", report_cell(stmt, 0));
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
	put_member(json, "type", "sampled");
	put_member(json, "name", db->path);
	put_member(json, "unit", "none");
	put_number(json, "startValue", 0);
	fputc('[', weights);
	err = put_stacks(json, numbers, db, stmt, weights, total);
	fputc(']', weights);
	if (fclose(weights) && !err)
		err = probe_err_oom();
	if (err)
		return err;
	report_json_key(json, "weights");
	report_json_raw(json, text);
	put_number(json, "endValue", *total);
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
	put_member(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	put_member(&json, "exporter", "probe-report " PROBE_VERSION);
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
