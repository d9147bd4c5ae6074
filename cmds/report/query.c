/* SPDX-License-Identifier: MIT */
/* Queries made of columns, and their rows as a table, CSV or JSON. */
#define _GNU_SOURCE /* open_memstream is POSIX, asprintf is not */
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "cmds/report/report.h"
#include "cmds/report/escape.h"

#define CELL_WIDTH_MAX 60

/* ---- Opening -------------------------------------------------------------------------------- */

/* SQL function probe_match(text): -k. */
static void match(sqlite3_context *context, int count, sqlite3_value **values)
{
	const struct report *report = sqlite3_user_data(context);
	const char *text = (const char *)sqlite3_value_text(values[0]);

	(void)count;
	sqlite3_result_int(context,
			   text && ((report->kernel_literal && !strcmp(report->kernel, text)) ||
				    !regexec(&report->kernel_regex, text, 0, NULL, 0)));
}

struct probe_err *report_functions(const struct report *report, sqlite3 *db)
{
	if (report_position_register(db) || report_filter_register(report, db) ||
	    report_unpack_register(db) ||
	    (report->kernel && sqlite3_create_function(db, "probe_match", 1, SQLITE_UTF8,
						       (void *)report, match, NULL, NULL)))
		return probe_err_oom();
	return NULL;
}

struct probe_err *report_db_open(const struct report *report, const char *path,
				 struct report_db *db)
{
	struct probe_err *err;

	*db = (struct report_db){.path = path};
	err = probe_reader_open(path, &db->reader);
	if (err)
		return err;
	err = report_functions(report, db->reader.db);
	if (err)
		probe_reader_close(&db->reader);
	return err;
}

void report_db_close(struct report_db *db)
{
	probe_reader_close(&db->reader);
	free(db->name);
}

struct probe_err *report_prepare_sql(const struct report_db *db, const char *sql,
				     sqlite3_stmt **ret)
{
	if (sqlite3_prepare_v2(db->reader.db, sql, -1, ret, NULL))
		return probe_reader_error(&db->reader, "read it");
	return NULL;
}

struct probe_err *report_step(const struct report_db *db, sqlite3_stmt *stmt, bool *row)
{
	int rc = sqlite3_step(stmt);

	*row = rc == SQLITE_ROW;
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return probe_reader_error(&db->reader, "read it");
	return NULL;
}

bool report_db_has(const struct report_db *db, const char *table)
{
	sqlite3_stmt *stmt;
	bool has = false;

	if (!sqlite3_prepare_v2(db->reader.db, "SELECT 1 FROM sqlite_schema WHERE name = ?", -1,
				&stmt, NULL)) {
		sqlite3_bind_text(stmt, 1, table, -1, SQLITE_STATIC);
		has = sqlite3_step(stmt) == SQLITE_ROW;
	}
	sqlite3_finalize(stmt);
	return has;
}

const char *report_cell(sqlite3_stmt *stmt, int column)
{
	const char *text = (const char *)sqlite3_column_text(stmt, column);

	return text ? text : "";
}

/* ---- Building ------------------------------------------------------------------------------- */

static int find_column(const struct report_query *query, const char *name, size_t len)
{
	for (size_t i = 0; i < query->count; i++)
		if (strlen(query->columns[i].name) == len &&
		    !memcmp(query->columns[i].name, name, len))
			return (int)i;
	/* As it is above the column, such as %. */
	for (size_t i = 0; i < query->count; i++)
		if (strlen(query->columns[i].title) == len &&
		    !memcmp(query->columns[i].title, name, len))
			return (int)i;
	return -1;
}

static struct probe_err *unknown(const struct report_query *query, const char *option,
				 const char *name, size_t len)
{
	return probe_err_create("%s: %s has no column '%.*s'; probe-report list shows them", option,
				query->verb, (int)len, name);
}

struct probe_err *report_choose(const struct report *report, const struct report_query *query,
				bool all, unsigned char *chosen, size_t *count)
{
	*count = 0;
	if (!report->fields) {
		for (size_t i = 0; i < query->count; i++)
			if (all || query->columns[i].standard)
				chosen[(*count)++] = (unsigned char)i;
		return NULL;
	}
	for (const char *name = report->fields; *name;) {
		size_t len = strcspn(name, ",");
		int column = find_column(query, name, len);

		if (column < 0)
			return unknown(query, "-f", name, len);
		if (*count == REPORT_COLUMNS_MAX)
			return probe_err_create("-f: over %d columns", REPORT_COLUMNS_MAX);
		chosen[(*count)++] = (unsigned char)column;
		name += len + (name[len] == ',');
	}
	return *count ? NULL : probe_err_create("-f: no column given");
}

/* Numbers from the largest down, text from A up; '-' or '+' in front says otherwise. */
static struct probe_err *put_order(FILE *sql, const struct report_query *query, const char *option,
				   const char *sort)
{
	const char *comma = " ORDER BY ";

	for (const char *name = sort; *name; comma = ", ") {
		size_t len = strcspn(name, ",");
		const char *start = name;
		size_t rest = len;
		bool down;
		int column;

		if (rest && (*start == '-' || *start == '+')) {
			start++;
			rest--;
		}
		column = find_column(query, start, rest);
		if (column < 0)
			return unknown(query, option, start, rest);
		down = query->columns[column].type <= REPORT_REAL;
		if (start > name)
			down = *name == '-';
		fprintf(sql, "%s\"%s\"%s", comma, query->columns[column].name, down ? " DESC" : "");
		name += len + (name[len] == ',');
	}
	return NULL;
}

struct probe_err *report_check(const struct report *report, const struct report_query *query)
{
	unsigned char chosen[REPORT_COLUMNS_MAX];
	size_t count, size;
	char *text = NULL;
	FILE *scratch = open_memstream(&text, &size);
	struct probe_err *err = report_choose(report, query, true, chosen, &count);

	if (!err && report->sort && scratch)
		err = put_order(scratch, query, "-s", report->sort);
	if (scratch)
		fclose(scratch);
	free(text);
	return err;
}

static struct probe_err *put_query(const struct report *report, const struct report_query *query,
				   const unsigned char *chosen, size_t count, FILE *sql)
{
	struct probe_err *err;

	fputs("SELECT ", sql);
	for (size_t i = 0; i < count; i++)
		fprintf(sql, "%s\"%s\"", i ? ", " : "", query->columns[chosen[i]].name);
	fputs(" FROM (SELECT ", sql);
	for (size_t i = 0; i < query->count; i++)
		fprintf(sql, "%s%s AS \"%s\"", i ? ", " : "", query->columns[i].sql,
			query->columns[i].name);
	fprintf(sql, " FROM %s) WHERE 1", query->from);
	if (query->where && !report->all)
		fprintf(sql, " AND %s", query->where);
	if (query->kernel_column && report->kernel)
		fprintf(sql, " AND probe_match(\"%s\")", query->kernel_column);
	err = put_order(sql, query, "-s", report->sort ? report->sort : query->sort);
	/* Ties in the order of the default, so that output never changes between runs. */
	if (!err && report->sort) {
		FILE *scratch = NULL;
		char *text = NULL;
		size_t size;

		scratch = open_memstream(&text, &size);
		if (!scratch)
			return probe_err_oom();
		err = put_order(scratch, query, "-s", query->sort);
		fclose(scratch);
		if (!err)
			fprintf(sql, ", %s", text + strlen(" ORDER BY "));
		free(text);
	}
	fprintf(sql, " LIMIT %lld", (long long)report->limit);
	return err;
}

struct probe_err *report_prepare(const struct report *report, const struct report_db *db,
				 const struct report_query *query, const unsigned char *chosen,
				 size_t count, sqlite3_stmt **ret)
{
	struct probe_err *err;
	char *text = NULL;
	size_t size;
	FILE *sql = open_memstream(&text, &size);

	if (!sql)
		return probe_err_oom();
	err = put_query(report, query, chosen, count, sql);
	if (fclose(sql) && !err)
		err = probe_err_oom();
	if (!err)
		err = report_prepare_sql(db, text, ret);
	free(text);
	return err;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

struct rows {
	const struct report *report;
	const struct report_query *query;
	unsigned char chosen[REPORT_COLUMNS_MAX];
	size_t widths[REPORT_COLUMNS_MAX];
	size_t count;
	bool run; /* a first column with the file's name */
};

static const struct report_column *column_of(const struct rows *rows, size_t i)
{
	return &rows->query->columns[rows->chosen[i]];
}

static bool is_number(const struct rows *rows, size_t i)
{
	return column_of(rows, i)->type <= REPORT_REAL;
}

static void measure(struct rows *rows, sqlite3_stmt *stmt)
{
	for (size_t i = 0; i < rows->count; i++) {
		size_t width = report_text(NULL, report_cell(stmt, (int)i), SIZE_MAX, 0);

		if (width > CELL_WIDTH_MAX && i + 1 < rows->count)
			width = CELL_WIDTH_MAX;
		if (width > rows->widths[i])
			rows->widths[i] = width;
	}
}

static void pad(size_t from, size_t to)
{
	for (; from < to; from++)
		putchar(' ');
}

/* Long text keeps its end: of a path or a name that is what tells them apart. */
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

static void put_cell(const struct rows *rows, size_t i, const char *text)
{
	bool last = i + 1 == rows->count;
	size_t width = report_text(NULL, text, SIZE_MAX, 0), len = SIZE_MAX;

	if (i)
		fputs("  ", stdout);
	if (is_number(rows, i))
		pad(width, rows->widths[i]);
	if (width > rows->widths[i] && !last) {
		text = shorten(text, rows->widths[i] - 2, &len);
		fputs("..", stdout);
		width = report_text(stdout, text, len, 0) + 2;
	} else {
		report_text(stdout, text, SIZE_MAX, 0);
	}
	if (!is_number(rows, i) && !last)
		pad(width, rows->widths[i]);
}

static struct probe_err *put_table(struct rows *rows, const struct report_db *db,
				   sqlite3_stmt *stmt)
{
	struct probe_err *err;
	bool row;

	for (size_t i = 0; i < rows->count; i++)
		rows->widths[i] = strlen(column_of(rows, i)->title);
	for (;;) {
		err = report_step(db, stmt, &row);
		if (err || !row)
			break;
		measure(rows, stmt);
	}
	if (err)
		return err;
	sqlite3_reset(stmt);
	if (rows->report->header) {
		fputs(report_bold(rows->report), stdout);
		for (size_t i = 0; i < rows->count; i++)
			put_cell(rows, i, column_of(rows, i)->title);
		printf("%s\n", report_plain(rows->report));
	}
	for (;;) {
		err = report_step(db, stmt, &row);
		if (err || !row)
			return err;
		for (size_t i = 0; i < rows->count; i++)
			put_cell(rows, i, report_cell(stmt, (int)i));
		putchar('\n');
	}
}

static void put_csv_header(const struct rows *rows, bool first)
{
	char separator = rows->report->separator;

	if (!first || !rows->report->header)
		return;
	if (rows->run)
		printf("run%c", separator);
	for (size_t i = 0; i < rows->count; i++)
		printf("%s%c", column_of(rows, i)->name, i + 1 < rows->count ? separator : '\n');
}

static struct probe_err *put_csv(const struct rows *rows, const struct report_db *db,
				 sqlite3_stmt *stmt, bool first)
{
	char separator = rows->report->separator;

	put_csv_header(rows, first);
	for (;;) {
		bool row;
		struct probe_err *err = report_step(db, stmt, &row);

		if (err || !row)
			return err;
		if (rows->run) {
			report_csv(stdout, db->path, separator);
			putchar(separator);
		}
		for (size_t i = 0; i < rows->count; i++) {
			report_csv(stdout, report_cell(stmt, (int)i), separator);
			putchar(i + 1 < rows->count ? separator : '\n');
		}
	}
}

static void put_json_cell(struct report_json *json, const struct report_column *column,
			  sqlite3_stmt *stmt, int i)
{
	report_json_key(json, column->name);
	if (sqlite3_column_type(stmt, i) == SQLITE_NULL)
		report_json_text(json, NULL);
	else if (column->type == REPORT_INT)
		report_json_int(json, sqlite3_column_int64(stmt, i));
	else if (column->type == REPORT_REAL)
		report_json_real(json, sqlite3_column_double(stmt, i));
	else if (column->type == REPORT_JSON_TEXT)
		report_json_raw(json, report_cell(stmt, i));
	else
		report_json_text(json, report_cell(stmt, i));
}

static struct probe_err *put_json(const struct rows *rows, const struct report_db *db,
				  sqlite3_stmt *stmt, bool first, bool last)
{
	static struct report_json json; /* one array over all files */
	struct probe_err *err = NULL;
	bool row = true;

	if (first) {
		json = (struct report_json){.out = stdout, .compact = true};
		report_json_open(&json, '[');
	}
	while (stmt) {
		err = report_step(db, stmt, &row);
		if (err || !row)
			break;
		report_json_open(&json, '{');
		if (rows->run) {
			report_json_key(&json, "run");
			report_json_text(&json, db->path);
		}
		for (size_t i = 0; i < rows->count; i++)
			put_json_cell(&json, column_of(rows, i), stmt, (int)i);
		report_json_close(&json, '}');
	}
	if (!err && last)
		report_json_close(&json, ']');
	return err;
}

struct probe_err *report_no_rows(const struct report *report, const struct report_db *db,
				 const struct report_query *query, bool first, bool last)
{
	struct rows rows = {
		.report = report, .query = query, .run = report->file_count > 1 && !report->runs};
	struct probe_err *err;

	/* What is wrong with -f is wrong without rows, too. */
	err = report_choose(report, query, true, rows.chosen, &rows.count);
	if (!err && report->format == REPORT_CSV)
		put_csv_header(&rows, first);
	else if (!err && report->format == REPORT_JSON)
		err = put_json(&rows, db, NULL, first, last);
	return err;
}

struct probe_err *report_rows(const struct report *report, const struct report_db *db,
			      const struct report_query *query, bool first, bool last)
{
	struct rows rows = {
		.report = report, .query = query, .run = report->file_count > 1 && !report->runs};
	sqlite3_stmt *stmt = NULL;
	struct probe_err *err;

	err = report_choose(report, query, report->format != REPORT_TABLE, rows.chosen,
			    &rows.count);
	if (!err)
		err = report_prepare(report, db, query, rows.chosen, rows.count, &stmt);
	if (!err && report->format == REPORT_TABLE)
		err = put_table(&rows, db, stmt);
	else if (!err && report->format == REPORT_CSV)
		err = put_csv(&rows, db, stmt, first);
	else if (!err)
		err = put_json(&rows, db, stmt, first, last);
	sqlite3_finalize(stmt);
	return err;
}
