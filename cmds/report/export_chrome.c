/* SPDX-License-Identifier: MIT */
/* Trace Event Format; see export_trace.h. */
#include <string.h>

#include "cmds/report/escape.h"
#include "cmds/report/export_trace.h"
#include "cmds/report/report_db.h"
#include "cmds/report/viewer_events.h"
#include "common/err.h"

struct chrome {
	struct report_json json;
	int64_t first; /* ns; times are relative to it */
	int64_t counted; /* process of the last counter */
};

/* Times are in us. */
static void write_start(struct chrome *chrome, sqlite3_stmt *stmt, int column)
{
	report_json_key(&chrome->json, "ts");
	report_json_real(&chrome->json,
			 (double)(sqlite3_column_int64(stmt, column) - chrome->first) / 1000.0);
}

static void write_duration(struct report_json *json, sqlite3_stmt *stmt, int column)
{
	report_json_key(json, "dur");
	report_json_real(json, (double)sqlite3_column_int64(stmt, column) / 1000.0);
}

/* Metadata: the name that the viewer shows for a process or thread. */
static void write_name(struct report_json *json, const char *event, int64_t pid, int64_t tid,
		       const char *name)
{
	report_json_open(json, '{');
	report_json_member(json, "ph", "M");
	report_json_member(json, "name", event);
	report_json_int_member(json, "pid", pid);
	report_json_int_member(json, "tid", tid);
	report_json_key(json, "args");
	report_json_open(json, '{');
	report_json_member(json, "name", name);
	report_json_close(json, '}');
	report_json_close(json, '}');
}

static void write_track(void *user, sqlite3_stmt *stmt)
{
	struct chrome *chrome = user;

	int64_t pid = sqlite3_column_int64(stmt, T_PID), tid = sqlite3_column_int64(stmt, T_TID);

	write_name(&chrome->json, "process_name", pid, tid, report_cell(stmt, T_PROCESS));
	write_name(&chrome->json, "thread_name", pid, tid, report_cell(stmt, T_THREAD));
}

static void write_dispatch(void *user, sqlite3_stmt *stmt)
{
	struct chrome *chrome = user;
	struct report_json *json = &chrome->json;
	bool clone = sqlite3_column_int(stmt, D_CLONE);

	report_json_open(json, '{');
	report_json_member(json, "ph", "X");
	report_json_member(json, "cat", clone ? "instrumented" : "kernel");
	report_json_member(json, "name", report_cell(stmt, D_KERNEL));
	report_json_int_member(json, "pid", sqlite3_column_int64(stmt, D_AGENT));
	report_json_int_member(json, "tid", sqlite3_column_int64(stmt, D_QUEUE));
	write_start(chrome, stmt, D_START);
	write_duration(json, stmt, D_DURATION);
	report_json_key(json, "args");
	report_json_open(json, '{');
	report_json_int_member(json, "dispatch", sqlite3_column_int64(stmt, D_DISPATCH));
	report_json_member(json, "variant", clone ? "instrumented clone" : "original");
	report_json_member(json, "grid", report_cell(stmt, D_GRID));
	report_json_member(json, "workgroup", report_cell(stmt, D_GROUP));
	report_json_int_member(json, "lds bytes", sqlite3_column_int64(stmt, D_LDS));
	report_json_close(json, '}');
	report_json_close(json, '}');
}

static void write_event(void *user, sqlite3_stmt *stmt)
{
	struct chrome *chrome = user;
	struct report_json *json = &chrome->json;
	const char *category = report_cell(stmt, E_CATEGORY);
	bool instant = !strcmp(category, "mark");

	report_json_open(json, '{');
	report_json_member(json, "ph", instant ? "i" : "X");
	report_json_member(json, "cat", category);
	report_json_member(json, "name", report_cell(stmt, E_NAME));
	report_json_int_member(json, "pid", sqlite3_column_int64(stmt, E_PID));
	report_json_int_member(json, "tid", sqlite3_column_int64(stmt, E_TID));
	write_start(chrome, stmt, E_START);
	if (instant)
		report_json_member(json, "s", "t");
	else
		write_duration(json, stmt, E_DURATION);
	report_json_key(json, "args");
	report_json_open(json, '{');
	if (sqlite3_column_int64(stmt, E_CORRELATION))
		report_json_int_member(json, "correlation",
				       sqlite3_column_int64(stmt, E_CORRELATION));
	if (sqlite3_column_type(stmt, E_BYTES) != SQLITE_NULL)
		report_json_int_member(json, "bytes", sqlite3_column_int64(stmt, E_BYTES));
	report_json_close(json, '}');
	report_json_close(json, '}');
}

/* One end of an arrow; `at`: its first column. It binds to the slice that contains the time. */
static void write_end(struct chrome *chrome, sqlite3_stmt *stmt, bool start, int at)
{
	struct report_json *json = &chrome->json;

	report_json_open(json, '{');
	report_json_member(json, "ph", start ? "s" : "f");
	report_json_member(json, "cat", "launch");
	report_json_member(json, "name", "launch");
	report_json_int_member(json, "id", sqlite3_column_int64(stmt, 0));
	report_json_int_member(json, "pid", sqlite3_column_int64(stmt, at));
	report_json_int_member(json, "tid", sqlite3_column_int64(stmt, at + 1));
	write_start(chrome, stmt, at + 2);
	if (!start)
		report_json_member(json, "bp", "e");
	report_json_close(json, '}');
}

static void write_arrow(void *user, sqlite3_stmt *stmt)
{
	write_end(user, stmt, true, 1);
	write_end(user, stmt, false, 4);
}

/* A value; viewers draw those of one process and name as a graph. */
static void write_counter(void *user, sqlite3_stmt *stmt)
{
	struct chrome *chrome = user;
	struct report_json *json = &chrome->json;
	int64_t pid = sqlite3_column_int64(stmt, C_PID);

	if (pid != chrome->counted && sqlite3_column_type(stmt, C_PROCESS) != SQLITE_NULL)
		write_name(json, "process_name", pid, 0, report_cell(stmt, C_PROCESS));
	chrome->counted = pid;
	report_json_open(json, '{');
	report_json_member(json, "ph", "C");
	report_json_member(json, "name", report_cell(stmt, C_NAME));
	report_json_int_member(json, "pid", pid);
	write_start(chrome, stmt, C_TIME);
	report_json_key(json, "args");
	report_json_open(json, '{');
	report_json_int_member(json, report_cell(stmt, C_UNIT),
			       sqlite3_column_int64(stmt, C_VALUE));
	report_json_close(json, '}');
	report_json_close(json, '}');
}

struct probe_err *export_chrome(const struct report *report, const struct report_db *db, FILE *out)
{
	static const struct {
		const char *sql;
		void (*write)(void *user, sqlite3_stmt *stmt);
	} parts[] = {
		{viewer_tracks_sql, write_track}, {viewer_dispatches_sql, write_dispatch},
		{viewer_events_sql, write_event}, {viewer_waves_sql, write_event},
		{viewer_arrows_sql, write_arrow}, {viewer_counters_sql, write_counter},
	};
	struct chrome chrome = {.json = {.out = out, .compact = true}};
	struct report_json *json = &chrome.json;
	struct probe_err *err = viewer_first(db, &chrome.first);

	if (!err)
		err = viewer_open(db);
	report_json_open(json, '{');
	report_json_member(json, "displayTimeUnit", "ns");
	report_json_key(json, "traceEvents");
	report_json_open(json, '[');
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts) && !err; i++)
		err = viewer_each(report, db, parts[i].sql, parts[i].write, &chrome);
	report_json_close(json, ']');
	report_json_close(json, '}');
	return err;
}
