/* SPDX-License-Identifier: MIT */
#include "cmds/report/query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmds/report/output_file.h"
#include "cmds/report/report_db.h"
#include "cmds/report/report_options.h"
#include "cmds/report/text_sql.h"
#include "common/err.h"

const char *report_type_name(enum report_type type)
{
	static const char *const names[] = {
		[REPORT_INT] = "integer",
		[REPORT_REAL] = "real",
		[REPORT_TEXT] = "text",
		[REPORT_JSON_TEXT] = "json",
		[REPORT_ANY] = "any",
	};

	return names[type];
}

static int find_column(const struct report_query *query, const char *name, size_t len)
{
	for (size_t i = 0; i < query->count; i++)
		if (strlen(query->columns[i].name) == len &&
		    !memcmp(query->columns[i].name, name, len))
			return (int)i;
	/* as in the head of the table, such as % */
	for (size_t i = 0; i < query->count; i++)
		if (strlen(query->columns[i].title) == len &&
		    !memcmp(query->columns[i].title, name, len))
			return (int)i;
	return -1;
}

static struct probe_err *unknown(const struct report_query *query, const char *option,
				 const char *name, size_t len)
{
	return probe_err_create("%s: %s has no column '%.*s'; probe-report list shows the columns",
				option, query->verb, (int)len, name);
}

/* Of several processes in one table, also whose row it is. */
static bool is_default(const struct report *report, const struct report_column *column)
{
	return column->standard ||
	       (report->merge && report->file_count > 1 && !strcmp(column->name, "process"));
}

struct probe_err *report_choose(const struct report *report, const struct report_query *query,
				bool all, unsigned char *chosen, size_t *count)
{
	*count = 0;
	if (!report->fields) {
		for (size_t i = 0; i < query->count; i++)
			if (all || is_default(report, &query->columns[i]))
				chosen[(*count)++] = (unsigned char)i;
		return NULL;
	}
	for (const char *name = report->fields; *name;) {
		size_t len = strcspn(name, ",");
		int column = find_column(query, name, len);

		if (column < 0)
			return unknown(query, "--fields", name, len);
		if (*count == REPORT_COLUMNS_MAX)
			return probe_err_create("--fields: more than %d columns",
						REPORT_COLUMNS_MAX);
		chosen[(*count)++] = (unsigned char)column;
		name += len + (name[len] == ',');
	}
	return *count ? NULL : probe_err_create("--fields: expected a column");
}

/*
 * Numbers descending and text ascending; a leading '-' or '+' overrides it. `sql` NULL: only checks
 * the columns.
 */
static struct probe_err *append_order(FILE *sql, const char *separator,
				      const struct report_query *query, const char *sort)
{
	for (const char *name = sort; *name; separator = ", ") {
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
			return unknown(query, "--sort", start, rest);
		down = query->columns[column].type <= REPORT_REAL;
		if (start > name)
			down = *name == '-';
		if (sql)
			fprintf(sql, "%s\"%s\"%s", separator, query->columns[column].name,
				down ? " DESC" : "");
		name += len + (name[len] == ',');
	}
	return NULL;
}

struct probe_err *report_check(const struct report *report, const struct report_query *query)
{
	unsigned char chosen[REPORT_COLUMNS_MAX];
	size_t count;
	struct probe_err *err = report_choose(report, query, true, chosen, &count);

	if (err || !report->sort)
		return err;
	return append_order(NULL, "", query, report->sort);
}

/* Long texts are cut on request; of frames (REPORT_JSON_TEXT), the names of functions are left out.
 */
static void append_column(const struct report *report, const struct report_column *column,
			  FILE *sql)
{
	const char *name = column->name;

	if (report->cut && column->type == REPORT_TEXT)
		fprintf(sql, "probe_text_cut(\"%s\") AS \"%s\"", name, name);
	else if (report->cut && column->type == REPORT_JSON_TEXT)
		fprintf(sql,
			"CASE WHEN length(\"%s\") > %d THEN (SELECT json_group_array(json_remove("
			"value, '$.function')) FROM json_each(\"%s\")) ELSE \"%s\" END AS \"%s\"",
			name, TEXT_CUT_MAX, name, name, name);
	else
		fprintf(sql, "\"%s\"", name);
}

static struct probe_err *append_query(const struct report *report, const struct report_query *query,
				      const unsigned char *chosen, size_t count, FILE *sql)
{
	const char *separator = " ORDER BY ";
	struct probe_err *err;

	fputs("SELECT ", sql);
	for (size_t i = 0; i < count; i++) {
		if (i)
			fputs(", ", sql);
		append_column(report, &query->columns[chosen[i]], sql);
	}
	fputs(" FROM (SELECT ", sql);
	for (size_t i = 0; i < query->count; i++)
		fprintf(sql, "%s%s AS \"%s\"", i ? ", " : "", query->columns[i].sql,
			query->columns[i].name);
	fprintf(sql, " FROM %s) WHERE 1", query->from);
	if (query->where && !report->all)
		fprintf(sql, " AND %s", query->where);
	if (report->findings)
		fputs(" AND finding = 1", sql);
	if (query->kernel_column && report->kernel)
		fprintf(sql, " AND probe_match(\"%s\")", query->kernel_column);
	if (report->sort) {
		err = append_order(sql, separator, query, report->sort);
		if (err)
			return err;
		separator = ", ";
	}
	/* Ties are sorted in the default order, so that output is the same in every run. */
	err = append_order(sql, separator, query, query->sort);
	fprintf(sql, " LIMIT %lld", (long long)report->limit);
	return err;
}

struct probe_err *report_prepare(const struct report *report, const struct report_db *db,
				 const struct report_query *query, const unsigned char *chosen,
				 size_t count, sqlite3_stmt **ret)
{
	PROBE_AUTO_FREE char *text = NULL;
	struct probe_err *err;
	size_t size;
	FILE *sql = open_memstream(&text, &size);

	if (!sql)
		return probe_err_oom();
	err = output_close_memory(sql, append_query(report, query, chosen, count, sql));
	return err ? err : report_prepare_sql(db, text, ret);
}

struct probe_err *report_prepare_chosen(const struct report *report, const struct report_db *db,
					const struct report_query *query, sqlite3_stmt **ret)
{
	unsigned char chosen[REPORT_COLUMNS_MAX];
	size_t count;
	struct probe_err *err = report_choose(report, query, false, chosen, &count);

	return err ? err : report_prepare(report, db, query, chosen, count, ret);
}

bool report_fits(const struct report *report, const struct report_query *query)
{
	struct probe_err *err = report_check(report, query);

	probe_err_destroy(err);
	return !err;
}

struct probe_err *report_any_row(const struct report *report, const struct report_db *db,
				 const struct report_query *query, bool *ret)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct report view = *report;
	struct probe_err *err;

	view.limit = -1;
	err = report_prepare_chosen(&view, db, query, &stmt);
	return err ? err : report_step(db, stmt, ret);
}
