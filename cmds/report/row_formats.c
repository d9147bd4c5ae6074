/* SPDX-License-Identifier: MIT */
#include "cmds/report/row_formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmds/report/escape.h"
#include "cmds/report/query.h"
#include "cmds/report/report_db.h"
#include "cmds/report/report_options.h"
#include "cmds/report/terminal_text.h"
#include "common/cleanup.h"
#include "common/err.h"

#define CELL_WIDTH_MAX 60

struct rows {
	const struct report *report;
	const struct report_query *query;
	unsigned char chosen[REPORT_COLUMNS_MAX];
	size_t widths[REPORT_COLUMNS_MAX];
	size_t count;
	const char *run; /* the file's name as a first column, or NULL */
	bool whole;	 /* all columns, including the version of their schema */
	struct report_json json;
	char *hex;    /* the digits of the last blob */
	char **cells; /* cells of a table, kept because its widths are known only after the last row
		       */
	size_t cell_count, cell_room;
	bool failed; /* out of memory */
};

static const struct report_column *column_of(const struct rows *rows, size_t i)
{
	return &rows->query->columns[rows->chosen[i]];
}

static bool is_number(const struct rows *rows, size_t i)
{
	return column_of(rows, i)->type <= REPORT_REAL;
}

/* Bytes that a statement of the user yields are no text. */
static const char *blob_text(struct rows *rows, sqlite3_stmt *stmt, int i)
{
	const unsigned char *bytes = sqlite3_column_blob(stmt, i);
	size_t size = (size_t)sqlite3_column_bytes(stmt, i);
	char *hex = realloc(rows->hex, 2 * size + 1);

	if (!hex) {
		rows->failed = true;
		return "";
	}
	rows->hex = hex;
	for (size_t at = 0; at < size; at++)
		sprintf(hex + 2 * at, "%02x", bytes[at]);
	hex[2 * size] = 0;
	return hex;
}

/* Valid until the next cell. */
static const char *cell_text(struct rows *rows, sqlite3_stmt *stmt, size_t i)
{
	if (column_of(rows, i)->type == REPORT_ANY &&
	    sqlite3_column_type(stmt, (int)i) == SQLITE_BLOB)
		return blob_text(rows, stmt, (int)i);
	return report_cell(stmt, (int)i);
}

static void keep_cell(struct rows *rows, const char *text)
{
	char **cells = rows->cells;
	size_t room = rows->cell_room;

	if (rows->cell_count == room) {
		room = room ? 2 * room : 256;
		cells = realloc(cells, room * sizeof(*cells));
		if (cells)
			rows->cells = cells;
		else
			rows->failed = true;
	}
	if (rows->failed)
		return;
	rows->cell_room = room;
	cells[rows->cell_count] = strdup(text);
	if (cells[rows->cell_count])
		rows->cell_count++;
	else
		rows->failed = true;
}

static void keep_table_row(struct rows *rows, sqlite3_stmt *stmt)
{
	for (size_t i = 0; i < rows->count && !rows->failed; i++) {
		const char *text = cell_text(rows, stmt, i);
		size_t width = report_text(NULL, text, SIZE_MAX, 0);

		if (width > CELL_WIDTH_MAX && i + 1 < rows->count)
			width = CELL_WIDTH_MAX;
		if (width > rows->widths[i])
			rows->widths[i] = width;
		keep_cell(rows, text);
	}
}

static void pad(size_t from, size_t to)
{
	for (; from < to; from++)
		putchar(' ');
}

/* Long text keeps its end, which distinguishes paths and names. */
static const char *shorten(const char *text, size_t width, size_t *len)
{
	size_t all = strlen(text), most = 4 * width;

	if (all > most) {
		text += all - most;
		all = most;
	}
	*len = all;
	while (report_text(NULL, text, *len, 0) > width && *len) {
		do {
			text++;
			--*len;
		} while (*len && ((unsigned char)*text & 0xc0) == 0x80);
	}
	return text;
}

/* Bytes that take up at most `width` columns. */
static size_t first_columns(const char *text, size_t width)
{
	size_t len = 0;

	for (size_t next = 1; text[len]; next = len + 1) {
		while (((unsigned char)text[next] & 0xc0) == 0x80)
			next++;
		if (report_text(NULL, text, next, 0) > width)
			break;
		len = next;
	}
	return len;
}

/*
 * Width of the printed text, of which ".." replaces a part: the end of a function's parameters, if
 * its name is short, or the beginning of what leads to a name.
 */
static size_t print_part(const char *text, size_t width)
{
	const char *parameters = strchr(text, '(');
	size_t len = parameters ? first_columns(text, width - 2) : 0;

	if (parameters && parameters < text + len) {
		width = report_text(stdout, text, len, 0);
		fputs("..", stdout);
		return width + 2;
	}
	text = shorten(text, width - 2, &len);
	fputs("..", stdout);
	return report_text(stdout, text, len, 0) + 2;
}

static void print_cell(const struct rows *rows, size_t i, const char *text)
{
	bool last = i + 1 == rows->count;
	size_t width = report_text(NULL, text, SIZE_MAX, 0);

	if (i)
		fputs("  ", stdout);
	if (is_number(rows, i))
		pad(width, rows->widths[i]);
	if (width > rows->widths[i] && !last)
		width = print_part(text, rows->widths[i]);
	else
		report_text(stdout, text, SIZE_MAX, 0);
	if (!is_number(rows, i) && !last)
		pad(width, rows->widths[i]);
}

static void begin_table(struct rows *rows, bool first)
{
	for (size_t i = 0; i < rows->count; i++)
		rows->widths[i] = strlen(column_of(rows, i)->title);
	(void)first;
}

static void end_table(struct rows *rows, bool last)
{
	(void)last;
	if (rows->report->header) {
		fputs(report_bold(rows->report), stdout);
		for (size_t i = 0; i < rows->count; i++)
			print_cell(rows, i, column_of(rows, i)->title);
		printf("%s\n", report_plain(rows->report));
	}
	for (size_t at = 0; at < rows->cell_count; at++) {
		print_cell(rows, at % rows->count, rows->cells[at]);
		if (at % rows->count + 1 == rows->count)
			putchar('\n');
	}
}

static void rows_deinit(struct rows *rows)
{
	for (size_t i = 0; i < rows->cell_count; i++)
		free(rows->cells[i]);
	free(rows->cells);
	free(rows->hex);
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static void begin_csv(struct rows *rows, bool first)
{
	char separator = rows->report->separator;

	if (!first || !rows->report->header)
		return;
	if (rows->run)
		printf("run%c", separator);
	if (rows->whole)
		printf("schema%c", separator);
	for (size_t i = 0; i < rows->count; i++)
		printf("%s%c", column_of(rows, i)->name, i + 1 < rows->count ? separator : '\n');
}

static void print_csv_row(struct rows *rows, sqlite3_stmt *stmt)
{
	char separator = rows->report->separator;

	if (rows->run) {
		report_csv(stdout, rows->run, separator);
		putchar(separator);
	}
	if (rows->whole)
		printf("%d%c", REPORT_SCHEMA, separator);
	for (size_t i = 0; i < rows->count; i++) {
		report_csv(stdout, cell_text(rows, stmt, i), separator);
		putchar(i + 1 < rows->count ? separator : '\n');
	}
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* One array over all files: after the first file, its bracket is open and a comma is due. */
static struct report_json json_of_files;

static void begin_json(struct rows *rows, bool first)
{
	if (first) {
		json_of_files = (struct report_json){.out = stdout, .compact = true};
		report_json_open(&json_of_files, '[');
	}
	rows->json = json_of_files;
}

static void print_json_cell(struct rows *rows, sqlite3_stmt *stmt, size_t i)
{
	const struct report_column *column = column_of(rows, i);
	struct report_json *json = &rows->json;
	int type = sqlite3_column_type(stmt, (int)i);
	bool any = column->type == REPORT_ANY;

	report_json_key(json, column->name);
	if (type == SQLITE_NULL)
		report_json_text(json, NULL);
	else if (column->type == REPORT_INT || (any && type == SQLITE_INTEGER))
		report_json_int(json, sqlite3_column_int64(stmt, (int)i));
	else if (column->type == REPORT_REAL || (any && type == SQLITE_FLOAT))
		report_json_real(json, sqlite3_column_double(stmt, (int)i));
	else if (column->type == REPORT_JSON_TEXT)
		report_json_raw(json, report_cell(stmt, (int)i));
	else
		report_json_text(json, cell_text(rows, stmt, i));
}

static void print_json_row(struct rows *rows, sqlite3_stmt *stmt)
{
	report_json_open(&rows->json, '{');
	if (rows->run) {
		report_json_member(&rows->json, "run", rows->run);
	}
	if (rows->whole) {
		report_json_int_member(&rows->json, "schema", REPORT_SCHEMA);
	}
	for (size_t i = 0; i < rows->count; i++)
		print_json_cell(rows, stmt, i);
	report_json_close(&rows->json, '}');
}

static void end_json(struct rows *rows, bool last)
{
	json_of_files = rows->json;
	if (last)
		report_json_close(&json_of_files, ']');
}

/* ---- Formats --------------------------------------------------------------------------------- */

struct row_format {
	void (*begin)(struct rows *rows, bool first);
	void (*row)(struct rows *rows, sqlite3_stmt *stmt);
	void (*end)(struct rows *rows, bool last);
};

static const struct row_format formats[REPORT_FORMATS] = {
	[REPORT_TABLE] = {.begin = begin_table, .row = keep_table_row, .end = end_table},
	[REPORT_CSV] = {.begin = begin_csv, .row = print_csv_row},
	[REPORT_JSON] = {.begin = begin_json, .row = print_json_row, .end = end_json},
};

static struct probe_err *each_row(struct rows *rows, const struct report_db *db, sqlite3_stmt *stmt,
				  void (*fn)(struct rows *rows, sqlite3_stmt *stmt))
{
	struct probe_err *err;

	while (report_next(db, stmt, &err))
		fn(rows, stmt);
	if (err)
		return err;
	return rows->failed ? probe_err_oom() : NULL;
}

static struct rows make_rows(const struct report *report, const struct report_db *db,
			     const struct report_query *query)
{
	return (struct rows){
		.report = report,
		.query = query,
		.run = report->file_count > 1 && !report->runs ? db->path : NULL,
		.whole = !report->fields_given,
	};
}

struct probe_err *report_no_rows(const struct report *report, const struct report_db *db,
				 const struct report_query *query, bool first, bool last)
{
	const struct row_format *format = &formats[report->format];
	struct rows rows = make_rows(report, db, query);
	struct probe_err *err = report_choose(report, query, true, rows.chosen, &rows.count);

	if (err || report->format == REPORT_TABLE)
		return err;
	format->begin(&rows, first);
	if (format->end)
		format->end(&rows, last);
	return NULL;
}

static struct probe_err *write_rows(struct rows *rows, const struct report_db *db,
				    sqlite3_stmt *stmt, bool first, bool last)
{
	const struct row_format *format = &formats[rows->report->format];
	struct probe_err *err;

	format->begin(rows, first);
	err = each_row(rows, db, stmt, format->row);
	if (!err && format->end)
		format->end(rows, last);
	return err;
}

struct probe_err *report_rows(const struct report *report, const struct report_db *db,
			      const struct report_query *query, bool first, bool last)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	PROBE_AUTO(rows_deinit) struct rows rows = make_rows(report, db, query);
	struct probe_err *err;

	err = report_choose(report, query, report->format != REPORT_TABLE, rows.chosen,
			    &rows.count);
	if (err)
		return err;
	err = report_prepare(report, db, query, rows.chosen, rows.count, &stmt);
	if (err)
		return err;
	return write_rows(&rows, db, stmt, first, last);
}

struct probe_err *report_statement_rows(const struct report *report, const struct report_db *db,
					const struct report_query *query, sqlite3_stmt *stmt,
					bool first, bool last)
{
	PROBE_AUTO(rows_deinit) struct rows rows = make_rows(report, db, query);

	rows.whole = false;
	for (rows.count = 0; rows.count < query->count; rows.count++)
		rows.chosen[rows.count] = (unsigned char)rows.count;
	return write_rows(&rows, db, stmt, first, last);
}
