/* SPDX-License-Identifier: MIT */
#include "cmds/report/html_data.h"

#include <string.h>

#include "cmds/report/annotate_query.h"
#include "cmds/report/compare_runs.h"
#include "cmds/report/escape.h"
#include "cmds/report/flame_stacks.h"
#include "cmds/report/kernels_query.h"
#include "cmds/report/lines_query.h"
#include "cmds/report/report_db.h"
#include "cmds/report/report_options.h"
#include "cmds/report/samples_query.h"
#include "cmds/report/trace_events.h"
#include "cmds/report/verb_table.h"
#include "cmds/report/viewer_events.h"
#include "common/crc32.h"
#include "common/err.h"
#include "common/progress.h"
#include "probe_version.h"

enum {
	INSTRUCTIONS_MAX = 200000,
	EVENTS_MAX = 50000,
	TEXT_MAX = 2000,
	HEAD_BYTES = 1000,
	TAIL_BYTES = 200,
};

static void write_columns(struct report_json *json, const struct report_query *query,
			  const unsigned char *chosen, size_t count)
{
	report_json_key(json, "columns");
	report_json_open(json, '[');
	for (size_t i = 0; i < count; i++) {
		const struct report_column *column = &query->columns[chosen[i]];

		report_json_open(json, '{');
		report_json_member(json, "name", column->name);
		report_json_member(json, "title", column->title);
		report_json_member(json, "type", report_type_name(column->type));
		report_json_member(json, "help", column->help);
		report_json_key(json, "standard");
		report_json_bool(json, column->standard);
		report_json_close(json, '}');
	}
	report_json_close(json, ']');
}

/*
 * Texts over TEXT_MAX bytes are cut, so that a browser can show 100,000 names of 10,000 bytes. The
 * same text is cut to the same one in each table, and two texts to two.
 */
static void write_text(struct report_json *json, const char *text, size_t length)
{
	char cut[HEAD_BYTES + TAIL_BYTES + 64];
	const char *tail;
	int head = HEAD_BYTES;

	if (length <= TEXT_MAX) {
		report_json_text(json, text);
		return;
	}
	tail = text + length - TAIL_BYTES;
	/* No character is divided. */
	while (head && ((unsigned char)text[head] & 0xc0) == 0x80)
		head--;
	while (((unsigned char)*tail & 0xc0) == 0x80)
		tail++;
	snprintf(cut, sizeof(cut), "%.*s [...%zu bytes, %08x...] %s", head, text, length,
		 (unsigned)probe_crc32(0, text, length), tail);
	report_json_text(json, cut);
}

static void write_cell(struct report_json *json, sqlite3_stmt *stmt, int i, bool raw)
{
	switch (sqlite3_column_type(stmt, i)) {
	case SQLITE_NULL:
		report_json_text(json, NULL);
		break;
	case SQLITE_INTEGER:
		report_json_int(json, sqlite3_column_int64(stmt, i));
		break;
	case SQLITE_FLOAT:
		report_json_real(json, sqlite3_column_double(stmt, i));
		break;
	default:
		if (raw)
			report_json_raw(json, report_cell(stmt, i));
		else
			write_text(json, report_cell(stmt, i),
				   (size_t)sqlite3_column_bytes(stmt, i));
	}
}

/* Columns computed from the kernel's code, which the page contains anyway. */
static bool is_looked_up(const char *column)
{
	static const char *const names[] = {"machine", "candidates", "swap_loop"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i], column))
			return true;
	return false;
}

static size_t choose(const struct report_query *query, unsigned char *chosen)
{
	size_t count = 0;

	for (size_t i = 0; i < query->count; i++)
		if (!is_looked_up(query->columns[i].name))
			chosen[count++] = (unsigned char)i;
	return count;
}

/* Code that was not inlined has no chain of calls, only its own position, which is there already. */
static bool is_known(const struct report_column *column, sqlite3_stmt *stmt, int i)
{
	return !strcmp(column->name, "stack") && !strstr(report_cell(stmt, i), " -> ");
}

/*
 * Writes all rows as an array of arrays. `query` describes the columns; NULL: none of them is JSON.
 */
static struct probe_err *write_rows(struct report_json *json, const struct report_db *db,
				    const char *key, sqlite3_stmt *stmt,
				    const struct report_query *query, const unsigned char *chosen)
{
	struct probe_err *err;

	report_json_key(json, key);
	report_json_open(json, '[');
	while (report_next(db, stmt, &err)) {
		report_json_open(json, '[');
		for (int i = 0; i < sqlite3_column_count(stmt); i++) {
			const struct report_column *column = query ? &query->columns[chosen[i]] : NULL;

			if (column && is_known(column, stmt, i))
				report_json_text(json, NULL);
			else
				write_cell(json, stmt, i, column && column->type == REPORT_JSON_TEXT);
		}
		report_json_close(json, ']');
	}
	report_json_close(json, ']');
	return err;
}

static struct probe_err *write_table(struct report_json *json, const struct report *report,
				     const struct report_db *db, const char *name,
				     const struct report_query *query, int64_t limit, bool all)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	unsigned char chosen[REPORT_COLUMNS_MAX];
	size_t count = choose(query, chosen);
	struct report view = *report;
	char command[64];
	struct probe_err *err;

	view.fields = NULL;
	view.sort = NULL;
	view.limit = limit;
	view.all = all;
	err = report_prepare(&view, db, query, chosen, count, &stmt);
	if (err)
		return err;
	probe_progress_step("writing the page of %s: %s", db->path, name);
	snprintf(command, sizeof(command), "probe-report %s", query->verb);
	report_json_key(json, name);
	report_json_open(json, '{');
	report_json_member(json, "command", command);
	report_json_member(json, "sql", sqlite3_sql(stmt));
	write_columns(json, query, chosen, count);
	err = write_rows(json, db, "rows", stmt, query, chosen);
	report_json_close(json, '}');
	return err;
}

static struct probe_err *write_sql(struct report_json *json, const struct report_db *db,
				   const char *name, const char *sql)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct probe_err *err = report_prepare_sql(db, sql, &stmt);

	return err ? err : write_rows(json, db, name, stmt, NULL, NULL);
}

static struct probe_err *write_tables(struct report_json *json, const struct report *report,
				      const struct report_db *db)
{
	bool probed = report_db_has(db, "probe_memory_site"), sampled = false;
	bool timed = report_db_has(db, "probe_time_span");
	const struct report_query *kernels, *lines;
	struct probe_err *err;

	if (report_db_has(db, "probe_sample")) {
		err = report_any(db, "SELECT 1 FROM probe_sample LIMIT 1", &sampled);
		if (err)
			return err;
	}
	err = report_kernels_query(db, &kernels);
	if (err)
		return err;
	err = write_table(json, report, db, "kernels", kernels, -1, true);
	if (err)
		return err;
	err = write_table(json, report, db, "occupancy", report_verb_occupancy.rows, -1, true);
	if (err)
		return err;
	err = report_lines_query(report, db, &lines);
	if (err)
		return err;
	if (probed) {
		err = write_table(json, report, db, "lines", lines, -1, true);
		if (err)
			return err;
	}
	if (sampled) {
		err = write_table(json, report, db, "samples",
				  report_samples_query(REPORT_BY_LINE, REPORT_FROM_SUMS), -1, true);
		if (err)
			return err;
	}
	return write_table(json, report, db, "instructions",
			   report_annotate_query(REPORT_FROM_SUMS, probed, timed),
			   INSTRUCTIONS_MAX, true);
}

/* What changed since the run of --baseline. */
static struct probe_err *write_compared(struct report_json *json, const struct report *report,
					const struct report_db *db)
{
	REPORT_AUTO_DB struct report_db both = {0};
	struct probe_err *err = report_compare_open(report, report->baseline, db->path, &both);

	return err ? err
		   : write_table(json, report, &both, "changes", &report_compare_query, -1, false);
}

/* Queries of the page, each an array of its first rows. %s: see viewer_each(). */
static const struct {
	const char *name, *sql;
	int most;
} arrays[] = {
	{"run", "SELECT key, value FROM probe_run ORDER BY key", -1},
	{"device",
	 "SELECT name, product_name, (SELECT value FROM probe_run WHERE key = 'device') FROM "
	 "rocpd_info_agent WHERE type = 'GPU' ORDER BY id",
	 1},
	{"environment", "SELECT environment FROM rocpd_info_process ORDER BY id", 1},
	{"account", "SELECT stream, name, value FROM probe_account ORDER BY stream, name", -1},
	{"counts",
	 "SELECT (SELECT count(*) FROM rocpd_kernel_dispatch), (SELECT count(*) FROM rocpd_memory_copy) "
	 "+ (SELECT count(*) FROM rocpd_region), " TRACE_FIRST,
	 1},
	{"tracks", viewer_tracks_sql, 1000},
	{"dispatches", viewer_dispatches_sql, EVENTS_MAX},
	{"events", viewer_events_sql, EVENTS_MAX},
	{"arrows", viewer_arrows_sql, EVENTS_MAX},
	{"waits",
	 "SELECT k.code_object_id, w.wait, w.producer FROM rocpd_info_kernel_symbol k, "
	 "probe_waits(k.code_object_id, k.kernel_name) w "
	 "WHERE k.id IN (SELECT kernel_id FROM probe_dispatch)",
	 INSTRUCTIONS_MAX},
	{"source", "SELECT file, line, text FROM probe_source ORDER BY file, line", -1},
};

static struct probe_err *write_arrays(struct report_json *json, const struct report_db *db)
{
	for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++) {
		REPORT_AUTO_SQL char *query = sqlite3_mprintf(arrays[i].sql, "");
		REPORT_AUTO_SQL char *sql =
			query ? sqlite3_mprintf("%s LIMIT %d", query, arrays[i].most) : NULL;
		struct probe_err *err =
			sql ? write_sql(json, db, arrays[i].name, sql) : probe_err_oom();

		if (err)
			return err;
	}
	return NULL;
}

static struct probe_err *write_stacks(struct report_json *json, const struct report *report,
				      const struct report_db *db)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct probe_err *err = flame_stacks_prepare(report, db, &stmt);

	return err ? err : write_rows(json, db, "stacks", stmt, NULL, NULL);
}

struct probe_err *html_put_data(const struct report *report, const struct report_db *db, FILE *out)
{
	struct report_json json = {.out = out, .compact = true};
	struct probe_err *err;

	report_json_open(&json, '{');
	report_json_member(&json, "schema", "probe-page/1");
	report_json_member(&json, "version", PROBE_VERSION);
	report_json_member(&json, "file", db->path);
	report_json_key(&json, "partial");
	report_json_bool(&json, db->reader.partial);
	report_json_member(&json, "baseline", report->baseline);
	err = write_arrays(&json, db);
	if (err)
		return err;
	err = write_stacks(&json, report, db);
	if (err)
		return err;
	report_json_key(&json, "tables");
	report_json_open(&json, '{');
	err = write_tables(&json, report, db);
	if (!err && report->baseline)
		err = write_compared(&json, report, db);
	if (err)
		return err;
	report_json_close(&json, '}');
	report_json_close(&json, '}');
	return NULL;
}
