/* SPDX-License-Identifier: MIT */
/*
 * probe-report tables: prints what handlers wrote. Their tables are found in the database, so names
 * of tables and columns are foreign: only names of letters, digits and underscores are accepted.
 */
#define _GNU_SOURCE /* for asprintf, open_memstream */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmds/report/accounting_text.h"
#include "cmds/report/output_file.h"
#include "cmds/report/query.h"
#include "cmds/report/report_db.h"
#include "cmds/report/row_formats.h"
#include "cmds/report/site_sql.h"
#include "cmds/report/verb_table.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "store/sql_words.h"
#include "store/store.h"

#define NAME_MAX_BYTES 64

static bool identifier(const char *name)
{
	size_t len = strlen(name);

	if (!len || len >= NAME_MAX_BYTES || !isalpha((unsigned char)*name))
		return false;
	while (isalnum((unsigned char)*name) || *name == '_')
		name++;
	return !*name;
}

static bool handler_table(const char *name)
{
	return !strncmp(name, "probe_", 6) && identifier(name) && !probe_store_owns(name);
}

/* ---- The list -------------------------------------------------------------------------------- */

static const struct report_column list_columns[] = {
	{"table", "table", REPORT_TEXT, true, "name", "as in SQL; --table takes it without probe_, too"},
	{"rows", "rows", REPORT_INT, true, "number", ""},
};

static const struct report_query list_query = {
	.verb = "tables",
	.columns = list_columns,
	.count = REPORT_COLUMN_COUNT(list_columns),
	.sort = "+table",
};

/* A subquery with one row per handler table. */
static struct probe_err *append_list(const struct report_db *db, FILE *sql)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct probe_err *err = report_prepare_sql(
		db, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name", &stmt);

	if (err)
		return err;
	fputs("(SELECT NULL AS name, NULL AS number WHERE 0", sql);
	while (report_next(db, stmt, &err))
		if (handler_table(report_cell(stmt, 0)))
			fprintf(sql, " UNION ALL SELECT '%s', (SELECT count(*) FROM \"%s\")",
				report_cell(stmt, 0), report_cell(stmt, 0));
	fputc(')', sql);
	return err;
}

static struct probe_err *show_list(const struct report *report, const struct report_db *db,
				   bool first, bool last)
{
	struct report_query query = list_query;
	PROBE_AUTO_FREE char *text = NULL;
	size_t size;
	FILE *sql = open_memstream(&text, &size);
	struct probe_err *err;

	if (!sql)
		return probe_err_oom();
	err = output_close_memory(sql, append_list(db, sql));
	if (err)
		return err;
	query.from = text;
	return report_rows(report, db, &query, first, last);
}

/* ---- One table ------------------------------------------------------------------------------- */

struct table {
	char name[NAME_MAX_BYTES];
	struct report_column columns[REPORT_COLUMNS_MAX];
	char names[REPORT_COLUMNS_MAX][NAME_MAX_BYTES];
	char sql[REPORT_COLUMNS_MAX][NAME_MAX_BYTES + 24];
	size_t count;
};

static bool has(const struct table *table, const char *name)
{
	for (size_t i = 0; i < table->count; i++)
		if (!strcmp(table->columns[i].name, name))
			return true;
	return false;
}

/* Names that replace ids in the output. */
static const struct report_column site_columns[] = {
	{"file", "file", REPORT_TEXT, true, REPORT_USERS("s", "file"), ""},
	{"line", "line", REPORT_INT, true, REPORT_USERS("s", "line"), ""},
	{"column", "column", REPORT_INT, true, REPORT_USERS("s", "column"), ""},
	{"access", "access", REPORT_TEXT, true, SQL_WORD(PROBE_ACCESS_TABLE, "s.access"), ""},
	{"space", "space", REPORT_TEXT, true,
	 /* Only accesses have a space; blocks, functions, regions and messages do not. */
	 "CASE WHEN " SQL_WORD(PROBE_ACCESS_TABLE, "s.access") " IN ('load', 'store', 'atomic') "
							       "THEN " SQL_WORD(PROBE_SPACE_TABLE,
										"s.space") " END",
	 ""},
};
static const struct report_column kernel_column = {
	"kernel_name", "kernel", REPORT_TEXT, true, "k.display_name", "",
};

static void add_column(struct table *table, const struct report_column *column)
{
	if (table->count < REPORT_COLUMNS_MAX && !has(table, column->name))
		table->columns[table->count++] = *column;
}

static enum report_type type_of(const char *text)
{
	if (!strcmp(text, "INTEGER"))
		return REPORT_INT;
	return strcmp(text, "REAL") ? REPORT_TEXT : REPORT_REAL;
}

static void add_own_column(struct table *table, const char *name, const char *type, bool hex)
{
	size_t i = table->count;
	bool id = !strcmp(name, "id") || !strcmp(name, "code_object") || !strcmp(name, "kernel") ||
		  !strcmp(name, "site");

	if (i == REPORT_COLUMNS_MAX || !identifier(name) || has(table, name))
		return;
	strcpy(table->names[i], name);
	hex = hex && !strcmp(name, "address");
	snprintf(table->sql[i], sizeof(table->sql[i]),
		 hex ? "printf('0x%%x', t.\"%s\")" : "t.\"%s\"", name);
	table->columns[i] = (struct report_column){
		.name = table->names[i],
		.title = table->names[i],
		.type = hex ? REPORT_TEXT : type_of(type),
		.standard = !id,
		.sql = table->sql[i],
		.help = "",
	};
	table->count++;
}

/* hex: print addresses in hexadecimal, for users. */
static struct probe_err *read_columns(const struct report_db *db, bool hex, struct table *table)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct probe_err *err =
		report_prepare_sql(db, "SELECT name, type FROM pragma_table_info(?)", &stmt);

	if (err)
		return err;
	sqlite3_bind_text(stmt, 1, table->name, -1, SQLITE_STATIC);
	while (report_next(db, stmt, &err))
		add_own_column(table, report_cell(stmt, 0), report_cell(stmt, 1), hex);
	return err;
}

static bool table_named(const struct report_db *db, const char *name, struct table *table)
{
	int size = snprintf(table->name, sizeof(table->name), "%s%s",
			    strncmp(name, "probe_", 6) ? "probe_" : "", name);

	return size < (int)sizeof(table->name) && handler_table(table->name) &&
	       report_db_has(db, table->name);
}

/* The joined columns first, then the table's own. */
static void arrange(const struct table *own, bool sites, bool kernels, struct table *ret)
{
	if (kernels)
		add_column(ret, &kernel_column);
	for (size_t i = 0; sites && i < sizeof(site_columns) / sizeof(*site_columns); i++)
		if (!has(own, site_columns[i].name))
			add_column(ret, &site_columns[i]);
	for (size_t i = 0; i < own->count; i++)
		add_column(ret, &own->columns[i]);
}

static struct probe_err *show_table(const struct report *report, const struct report_db *db,
				    bool first, bool last)
{
	static struct table own, shown;
	struct report_query query = {.verb = "tables", .columns = shown.columns, .sort = "+id"};
	PROBE_AUTO_FREE char *from = NULL;
	bool sites, kernels;
	struct probe_err *err;

	own = shown = (struct table){0};
	if (!table_named(db, report->table, &own))
		return probe_err_create("%s: no handler wrote a table '%s'; probe-report tables %s "
					"shows which there are",
					db->path, report->table, db->path);
	err = read_columns(db, report->format == REPORT_TABLE, &own);
	if (err)
		return err;
	if (!has(&own, "id"))
		return probe_err_create("%s: table '%s' was not written by a handler: it has no id",
					db->path, report->table);
	sites = has(&own, "code_object") && has(&own, "site");
	kernels = has(&own, "kernel");
	if (report->kernel && !kernels)
		return probe_err_create(
			"%s: -k cannot be used with table '%s', which has no column kernel",
			db->path, report->table);
	arrange(&own, sites, kernels, &shown);
	if (asprintf(&from, "\"%s\" t%s%s", own.name,
		     sites ? " LEFT JOIN probe_site s ON s.code_object_id = t.code_object AND "
			     "s.site = t.site"
			   : "",
		     kernels ? " LEFT JOIN rocpd_info_kernel_symbol k ON k.id = t.kernel" : "") < 0)
		return probe_err_oom();
	query.count = shown.count;
	query.from = from;
	query.kernel_column = kernels ? "kernel_name" : NULL;
	return report_rows(report, db, &query, first, last);
}

static struct probe_err *show_rows(const struct report *report, const struct report_db *db,
				   bool first, bool last)
{
	return report->table ? show_table(report, db, first, last)
			     : show_list(report, db, first, last);
}

static struct probe_err *show(const struct report *report, struct report_db *db, bool first,
			      bool last)
{
	struct probe_err *err;

	if (report->format != REPORT_TABLE)
		return show_rows(report, db, first, last);
	err = report_head(report, db);
	putchar('\n');
	if (err)
		return err;
	err = show_rows(report, db, first, last);
	if (err)
		return err;
	putchar('\n');
	return report_account(report, db);
}

static struct probe_err *check(const struct report *report)
{
	if (report->kernel && !report->table)
		return probe_err_create(
			"--kernel: with tables only for a --table that names kernels");
	return NULL;
}

/* Its columns are known only after the file is open. */
const struct report_verb report_verb_tables = {
	.name = "tables",
	.help = "the tables that handlers wrote",
	.options = REPORT_O_ROWS | REPORT_O_KERNEL | REPORT_O_RUNS | REPORT_O_TABLE,
	.formats = 1 << REPORT_TABLE | 1 << REPORT_CSV | 1 << REPORT_JSON,
	.counts = true,
	.check = check,
	.show = show,
};
