/* SPDX-License-Identifier: MIT */
#include "cmds/report/html_data.h"

#include <string.h>

#include "cmds/report/annotate_query.h"
#include "cmds/report/compare_runs.h"
#include "cmds/report/escape.h"
#include "cmds/report/flame_stacks.h"
#include "cmds/report/kernels_query.h"
#include "cmds/report/lines_query.h"
#include "cmds/report/output_file.h"
#include "cmds/report/report_db.h"
#include "cmds/report/report_options.h"
#include "cmds/report/samples_query.h"
#include "cmds/report/text_sql.h"
#include "cmds/report/trace_events.h"
#include "cmds/report/verb_table.h"
#include "cmds/report/viewer_events.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "common/log.h"
#include "common/progress.h"
#include "probe_version.h"

enum {
	INSTRUCTIONS_MAX = 200000,
	EVENTS_MAX = 50000,
	/* Of a table's cells: browsers parse a few hundred MB. */
	TABLE_BYTES = 64 << 20,
	NUMBER_BYTES = 8,
};

/* The page that is being written. */
struct page {
	struct report_json json;
	const struct report *report;
	const struct report_db *db;
	struct report_json cut; /* an array of sentences: what did not fit */
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

static void write_cell(struct report_json *json, sqlite3_stmt *stmt, int i, bool raw)
{
	char room[TEXT_CUT_MAX];

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
			report_json_text(json,
					 text_cut(report_cell(stmt, i),
						  (size_t)sqlite3_column_bytes(stmt, i), room));
	}
}

/* Columns computed from the kernel's code, which the page contains anyway. */
static bool is_looked_up(const char *column)
{
	static const char *const names[] = {"machine", "machine_kernel", "candidates", "swap_loop"};

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

/* Code that was not inlined has no chain of calls, only its own position, which is there already.
 */
static bool is_known(const struct report_column *column, sqlite3_stmt *stmt, int i)
{
	return !strcmp(column->name, "stack") && !strstr(report_cell(stmt, i), " -> ");
}

static size_t write_row(struct page *page, sqlite3_stmt *stmt, const struct report_query *query,
			const unsigned char *chosen)
{
	size_t bytes = 0;

	report_json_open(&page->json, '[');
	for (int i = 0; i < sqlite3_column_count(stmt); i++) {
		const struct report_column *column = query ? &query->columns[chosen[i]] : NULL;
		int type = sqlite3_column_type(stmt, i);

		if (column && is_known(column, stmt, i))
			report_json_text(&page->json, NULL);
		else
			write_cell(&page->json, stmt, i,
				   column && column->type == REPORT_JSON_TEXT);
		bytes += type == SQLITE_TEXT ? (size_t)sqlite3_column_bytes(stmt, i) : NUMBER_BYTES;
	}
	report_json_close(&page->json, ']');
	return bytes;
}

static void note_cut(struct page *page, const char *what, size_t rows)
{
	char text[128];

	snprintf(text, sizeof(text), "%s: only the first %zu rows, as all are over %d MiB", what,
		 rows, TABLE_BYTES >> 20);
	report_json_text(&page->cut, text);
	probe_log(PROBE_LOG_WARNING, "%s: the page is incomplete: %s", page->db->path, text);
}

/*
 * Writes the rows as an array of arrays, up to TABLE_BYTES. `query` describes the columns; NULL:
 * none of them is JSON.
 */
static struct probe_err *write_rows(struct page *page, const char *key, const char *what,
				    sqlite3_stmt *stmt, const struct report_query *query,
				    const unsigned char *chosen)
{
	size_t bytes = 0, rows = 0;
	struct probe_err *err;

	report_json_key(&page->json, key);
	report_json_open(&page->json, '[');
	for (; report_next(page->db, stmt, &err); rows++) {
		if (bytes >= TABLE_BYTES) {
			note_cut(page, what, rows);
			break;
		}
		bytes += write_row(page, stmt, query, chosen);
	}
	report_json_close(&page->json, ']');
	return err;
}

static struct probe_err *write_table(struct page *page, const struct report_db *db,
				     const char *name, const struct report_query *query,
				     int64_t limit, bool all)
{
	struct report_json *json = &page->json;
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	unsigned char chosen[REPORT_COLUMNS_MAX];
	size_t count = choose(query, chosen);
	struct report view = *page->report;
	char command[64];
	struct probe_err *err;

	view.fields = NULL;
	view.sort = NULL;
	view.limit = limit;
	view.all = all;
	view.cut = true;
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
	err = write_rows(page, "rows", name, stmt, query, chosen);
	report_json_close(json, '}');
	return err;
}

static struct probe_err *write_sql(struct page *page, const char *name, const char *sql)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct probe_err *err = report_prepare_sql(page->db, sql, &stmt);

	return err ? err : write_rows(page, name, name, stmt, NULL, NULL);
}

static struct probe_err *write_tables(struct page *page)
{
	const struct report *report = page->report;
	const struct report_db *db = page->db;
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
	err = write_table(page, db, "kernels", kernels, -1, true);
	if (err)
		return err;
	err = write_table(page, db, "occupancy", report_verb_occupancy.rows, -1, true);
	if (err)
		return err;
	err = write_table(page, db, "spills", report_verb_spills.rows, -1, true);
	if (err)
		return err;
	if (report_db_has(db, "probe_count_site")) {
		err = write_table(page, db, "mix", report_verb_mix.query(report, 0), -1, true);
		if (err)
			return err;
	}
	err = report_lines_query(report, db, &lines);
	if (err)
		return err;
	if (probed) {
		err = write_table(page, db, "lines", lines, -1, true);
		if (err)
			return err;
	}
	if (sampled) {
		err = write_table(page, db, "samples",
				  report_samples_query(REPORT_BY_LINE, REPORT_FROM_SUMS), -1, true);
		if (err)
			return err;
	}
	return write_table(page, db, "instructions",
			   report_annotate_query(REPORT_FROM_SUMS, probed, timed), INSTRUCTIONS_MAX,
			   true);
}

/* What changed since the run of --baseline. */
static struct probe_err *write_compared(struct page *page)
{
	const struct report *report = page->report;
	REPORT_AUTO_DB struct report_db both = {0};
	struct probe_err *err =
		report_compare_open(report, report->baseline, page->db->path, &both);

	return err ? err : write_table(page, &both, "changes", &report_compare_query, -1, false);
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
	 "+ (SELECT count(*) FROM rocpd_region), " TRACE_FIRST
	 ", (SELECT count(*) FROM probe_wave_span)",
	 1},
	{"tracks", viewer_tracks_sql, 1000},
	{"dispatches", viewer_dispatches_cut_sql, EVENTS_MAX},
	{"events", viewer_events_sql, EVENTS_MAX},
	{"arrows", viewer_arrows_sql, EVENTS_MAX},
	{"waves", viewer_waves_sql, EVENTS_MAX},
	{"waits",
	 "SELECT k.code_object_id, w.wait, w.producer FROM rocpd_info_kernel_symbol k, "
	 "probe_waits(k.code_object_id, k.kernel_name) w "
	 "WHERE k.id IN (SELECT kernel_id FROM probe_dispatch)",
	 INSTRUCTIONS_MAX},
	{"source", "SELECT file, line, text FROM probe_source ORDER BY file, line", -1},
};

static struct probe_err *write_arrays(struct page *page)
{
	for (size_t i = 0; i < sizeof(arrays) / sizeof(*arrays); i++) {
		REPORT_AUTO_SQL char *query = sqlite3_mprintf(arrays[i].sql, "");
		REPORT_AUTO_SQL char *sql =
			query ? sqlite3_mprintf("%s LIMIT %d", query, arrays[i].most) : NULL;
		struct probe_err *err =
			sql ? write_sql(page, arrays[i].name, sql) : probe_err_oom();

		if (err)
			return err;
	}
	return NULL;
}

static struct probe_err *write_stacks(struct page *page)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct probe_err *err = flame_stacks_prepare(page->report, page->db, &stmt);

	return err ? err : write_rows(page, "stacks", "stacks", stmt, NULL, NULL);
}

/* Parts of code objects that could not be read for the page; to be called when all have been. */
static struct probe_err *write_gaps(struct page *page)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	bool row;
	struct probe_err *err = report_first_row(page->db, "SELECT probe_code_gaps()", &stmt, &row);

	if (err)
		return err;
	report_json_key(&page->json, "gaps");
	report_json_raw(&page->json, report_cell(stmt, 0));
	return NULL;
}

static struct probe_err *write_page(struct page *page)
{
	struct report_json *json = &page->json;
	struct probe_err *err;

	report_json_open(json, '{');
	report_json_member(json, "schema", "probe-page/1");
	report_json_member(json, "version", PROBE_VERSION);
	report_json_member(json, "file", page->db->path);
	report_json_key(json, "partial");
	report_json_bool(json, page->db->reader.partial);
	report_json_member(json, "baseline", page->report->baseline);
	err = viewer_open(page->db);
	if (err)
		return err;
	err = write_arrays(page);
	if (err)
		return err;
	err = write_stacks(page);
	if (err)
		return err;
	report_json_key(json, "tables");
	report_json_open(json, '{');
	err = write_tables(page);
	if (!err && page->report->baseline)
		err = write_compared(page);
	if (err)
		return err;
	report_json_close(json, '}');
	return write_gaps(page);
}

struct probe_err *html_put_data(const struct report *report, const struct report_db *db, FILE *out)
{
	PROBE_AUTO_FREE char *cut = NULL;
	struct page page = {
		.json = {.out = out, .compact = true},
		.report = report,
		.db = db,
	};
	struct probe_err *err;
	size_t size;
	FILE *sentences = open_memstream(&cut, &size);

	if (!sentences)
		return probe_err_oom();
	page.cut = (struct report_json){.out = sentences, .compact = true};
	report_json_open(&page.cut, '[');
	err = write_page(&page);
	report_json_close(&page.cut, ']');
	err = output_close_memory(sentences, err);
	if (err)
		return err;
	report_json_key(&page.json, "cut");
	report_json_raw(&page.json, cut);
	report_json_close(&page.json, '}');
	return NULL;
}
