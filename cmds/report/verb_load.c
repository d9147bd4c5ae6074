/* SPDX-License-Identifier: MIT */
/*
 * probe-report load: copies databases into PostgreSQL. Schema `probe` has the tables of all runs,
 * partitioned by run; a run's own schema, named after it, has its partitions, under the names that
 * the tables have in a file, and the views over them.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmds/report/newest_runs.h"
#include "cmds/report/output_file.h"
#include "cmds/report/postgres.h"
#include "cmds/report/report_db.h"
#include "cmds/report/verb_table.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "common/log.h"
#include "common/progress.h"
#include "store/store.h"
#include "store/store_sql.h"

/* Any number that other programs are not likely to lock. */
#define LOCK "SELECT pg_advisory_xact_lock(1347571522)"

enum { COLUMNS_MAX = 200, TABLES_MAX = 400, NAME_BYTES = 60 };

struct load {
	const struct report *report;
	struct postgres *postgres;
	char *run;
	char *guid; /* of the current file */
	char *tables[TABLES_MAX];
	size_t table_count;
	char *made;    /* the columns of the tables made last; NULL: none were */
	char **newest; /* the file, if none is given */
	size_t newest_count;
};

struct column {
	char *name;
	const char *type; /* of PostgreSQL */
};

/* A table as the current file has it. PostgreSQL's has the columns run and guid in front. */
struct table {
	const char *name;
	struct column columns[COLUMNS_MAX];
	size_t count;
	char *list; /* "a", "b", ... */
	bool guid;  /* it has its own column */
};

/* What SQLite has and PostgreSQL lacks, as far as the views use it. */
static const char functions_sql[] =
	"CREATE FUNCTION probe.json_extract(text, text) RETURNS text IMMUTABLE LANGUAGE sql AS "
	"$$ SELECT jsonb_path_query_first($1::jsonb, $2::jsonpath) #>> '{}' $$;"
	"CREATE FUNCTION probe.printf(text, bigint) RETURNS text IMMUTABLE LANGUAGE sql AS "
	"$$ SELECT replace($1, '%%x', to_hex($2)) $$";

/* ---- Tables of a file ------------------------------------------------------------------------ */

static const char *type_of(const char *type)
{
	if (!strcmp(type, "INTEGER") || !strcmp(type, "BIGINT") || !strcmp(type, "INT"))
		return "bigint";
	if (!strcmp(type, "REAL"))
		return "double precision";
	return strcmp(type, "BLOB") ? "text" : "bytea";
}

static void table_deinit(struct table *table)
{
	for (size_t i = 0; i < table->count; i++)
		free(table->columns[i].name);
	free(table->list);
}

static char *column_list(const struct table *table)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs(table->guid ? "run" : "run, guid", out);
	for (size_t i = 0; i < table->count; i++) {
		REPORT_AUTO_SQL char *name = sqlite3_mprintf(", \"%w\"", table->columns[i].name);

		fputs(name ? name : "", out);
	}
	fclose(out);
	return text;
}

/* `ret` is all zero before; the caller releases it also after an error. */
static struct probe_err *read_columns(const struct report_db *db, const char *name,
				      struct table *ret)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct probe_err *err =
		report_prepare_sql(db, "SELECT name, type FROM pragma_table_info(?)", &stmt);

	if (err)
		return err;
	ret->name = name;
	sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC);
	while (report_next(db, stmt, &err)) {
		struct column *column = &ret->columns[ret->count];

		if (ret->count == COLUMNS_MAX)
			return probe_err_create("%s: table %s has over %d columns", db->path, name,
						COLUMNS_MAX);
		*column = (struct column){strdup(report_cell(stmt, 0)),
					  type_of(report_cell(stmt, 1))};
		if (!column->name)
			return probe_err_oom();
		ret->guid |= !strcmp(column->name, "guid");
		ret->count++;
	}
	if (err)
		return err;
	ret->list = column_list(ret);
	return ret->list ? NULL : probe_err_oom();
}

static bool is_identifier(const char *name)
{
	size_t length = strlen(name);

	if (length > NAME_BYTES)
		return false;
	while (isalnum((unsigned char)*name) || *name == '_')
		name++;
	return length && !*name;
}

/* ROCpd's tables have the guid in their names; the views on them do not. */
static struct probe_err *list_tables(struct load *load, const struct report_db *db)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct probe_err *err = report_prepare_sql(
		db,
		"SELECT name FROM sqlite_schema WHERE (type = 'view' AND name LIKE 'rocpd\\_%' "
		"ESCAPE '\\') OR (type = 'table' AND name LIKE 'probe\\_%' ESCAPE '\\') ORDER BY name",
		&stmt);

	if (err)
		return err;
	while (report_next(db, stmt, &err)) {
		if (load->table_count == TABLES_MAX)
			return probe_err_create("%s has over %d tables", db->path, TABLES_MAX);
		if (!is_identifier(report_cell(stmt, 0)))
			continue;
		load->tables[load->table_count] = strdup(report_cell(stmt, 0));
		if (!load->tables[load->table_count++])
			return probe_err_oom();
	}
	return err;
}

static void forget_file(struct load *load)
{
	while (load->table_count)
		free(load->tables[--load->table_count]);
	free(load->guid);
	load->guid = NULL;
}

static struct probe_err *read_guid(const struct report_db *db, char **ret)
{
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	bool row = false;
	struct probe_err *err = report_first_row(
		db, "SELECT value FROM rocpd_metadata WHERE tag = 'guid'", &stmt, &row);

	if (err)
		return err;
	if (!row)
		return probe_err_create("%s has no guid; record it again", db->path);
	*ret = strdup(report_cell(stmt, 0));
	return *ret ? NULL : probe_err_oom();
}

/* ---- Tables of PostgreSQL -------------------------------------------------------------------- */

/* The partitioned table and the run's partition. A column that older files lack is added. */
static struct probe_err *make_table(const struct load *load, const struct table *table)
{
	struct probe_err *err = postgres_exec(
		load->postgres,
		"CREATE TABLE IF NOT EXISTS probe.\"%w\" (run text NOT NULL%s) PARTITION BY LIST (run)",
		table->name, table->guid ? "" : ", guid text NOT NULL");

	if (err)
		return err;
	for (size_t i = 0; i < table->count; i++) {
		err = postgres_exec(load->postgres,
				    "ALTER TABLE probe.\"%w\" ADD COLUMN IF NOT EXISTS \"%w\" %s",
				    table->name, table->columns[i].name, table->columns[i].type);
		if (err)
			return err;
	}
	return postgres_exec(load->postgres,
			     "CREATE TABLE IF NOT EXISTS \"%w\".\"%w\" PARTITION OF probe.\"%w\" "
			     "FOR VALUES IN (%Q)",
			     load->run, table->name, table->name, load->run);
}

/* The views, of what is in the schema; unqualified names in them mean its tables. */
static struct probe_err *make_views(const struct load *load, const char *schema)
{
	const char *loss = strstr(probe_sql_probe_tables, "CREATE VIEW probe_loss");
	const char *const texts[] = {probe_sql_rocpd_views, probe_sql_rpd_views,
				     probe_sql_words_view};
	struct probe_err *err =
		postgres_exec(load->postgres, "SET LOCAL search_path = \"%w\", probe", schema);

	if (err)
		return err;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		err = postgres_exec(load->postgres, "%s", texts[i]);
		if (err)
			return err;
	}
	return postgres_exec(load->postgres, "%.*s", (int)(strchr(loss, ';') - loss), loss);
}

static struct probe_err *append_tables(const struct load *load, const struct report_db *db,
				       FILE *out)
{
	for (size_t i = 0; i < load->table_count; i++) {
		PROBE_AUTO(table_deinit) struct table table = {0};
		struct probe_err *err = read_columns(db, load->tables[i], &table);

		if (err)
			return err;
		fprintf(out, "%s(%s)\n", table.name, table.list);
	}
	return NULL;
}

/* What make_tables() would make, as text; the caller frees it also after an error. */
static struct probe_err *describe_tables(const struct load *load, const struct report_db *db,
					 char **ret)
{
	size_t size;
	FILE *out = open_memstream(ret, &size);

	return out ? output_close_memory(out, append_tables(load, db, out)) : probe_err_oom();
}

static struct probe_err *make_tables(const struct load *load, const struct report_db *db)
{
	for (size_t i = 0; i < load->table_count; i++) {
		PROBE_AUTO(table_deinit) struct table table = {0};
		struct probe_err *err = read_columns(db, load->tables[i], &table);

		if (err)
			return err;
		err = make_table(load, &table);
		if (err)
			return err;
	}
	return NULL;
}

/* The schema of all runs. */
static struct probe_err *make_probe_schema(struct postgres *postgres)
{
	struct probe_err *err = postgres_exec(postgres, "CREATE SCHEMA probe");

	return err ? err : postgres_exec(postgres, functions_sql);
}

/* Begins a transaction under a lock: several programs may load at the same time. */
static struct probe_err *begin_locked(struct postgres *postgres)
{
	struct probe_err *err = postgres_exec(postgres, "BEGIN");

	return err ? err : postgres_exec(postgres, LOCK);
}

/* In a transaction of its own. */
static struct probe_err *make_schemas(const struct load *load, const struct report_db *db)
{
	static const char exists[] = "SELECT 1 FROM pg_namespace WHERE nspname = %Q";
	struct postgres *postgres = load->postgres;
	PROBE_AUTO_FREE char *probe = NULL, *run = NULL;
	struct probe_err *err = begin_locked(postgres);

	if (err)
		return err;
	err = postgres_cell(postgres, &probe, exists, "probe");
	if (err)
		return err;
	if (!probe) {
		err = make_probe_schema(postgres);
		if (err)
			return err;
	}
	err = postgres_cell(postgres, &run, exists, load->run);
	if (err)
		return err;
	if (!run) {
		err = postgres_exec(postgres, "CREATE SCHEMA \"%w\"", load->run);
		if (err)
			return err;
	}
	err = make_tables(load, db);
	if (err)
		return err;
	if (!probe) {
		err = make_views(load, "probe");
		if (err)
			return err;
	}
	if (!run) {
		err = make_views(load, load->run);
		if (err)
			return err;
	}
	return postgres_exec(postgres, "COMMIT");
}

/* ---- Rows ------------------------------------------------------------------------------------ */

static void copy_cell(struct postgres *postgres, sqlite3_stmt *stmt, int i, const char *type)
{
	const void *bytes;

	switch (sqlite3_column_type(stmt, i)) {
	case SQLITE_NULL:
		postgres_null(postgres);
		return;
	case SQLITE_INTEGER:
		postgres_int(postgres, sqlite3_column_int64(stmt, i));
		return;
	case SQLITE_FLOAT:
		postgres_real(postgres, sqlite3_column_double(stmt, i));
		return;
	default:
		bytes = sqlite3_column_blob(stmt, i);
		if (!strcmp(type, "bytea"))
			postgres_bytes(postgres, bytes, (size_t)sqlite3_column_bytes(stmt, i));
		else
			postgres_text(postgres, bytes, (size_t)sqlite3_column_bytes(stmt, i));
	}
}

static struct probe_err *copy_rows(const struct load *load, const struct report_db *db,
				   const struct table *table, sqlite3_stmt *stmt)
{
	struct probe_err *err;

	while (report_next(db, stmt, &err)) {
		probe_progress_tick();
		postgres_text(load->postgres, load->run, strlen(load->run));
		if (!table->guid)
			postgres_text(load->postgres, load->guid, strlen(load->guid));
		for (size_t i = 0; i < table->count; i++)
			copy_cell(load->postgres, stmt, (int)i, table->columns[i].type);
		postgres_row(load->postgres);
	}
	return err;
}

/* Ends a COPY. `err`, which is returned, is the error of its rows. */
static struct probe_err *end_copy(struct postgres *postgres, struct probe_err *err)
{
	struct probe_err *end = postgres_copy_end(postgres);

	if (!err)
		return end;
	probe_err_destroy(end);
	return err;
}

static struct probe_err *load_table(const struct load *load, const struct report_db *db,
				    const char *name)
{
	REPORT_AUTO_SQL char *select = sqlite3_mprintf("SELECT * FROM \"%w\"", name);
	PROBE_AUTO(table_deinit) struct table table = {0};
	REPORT_AUTO_STMT sqlite3_stmt *stmt = NULL;
	struct probe_err *err = read_columns(db, name, &table);

	if (err)
		return err;
	probe_progress_step("loading %s: %s", db->path, name);
	err = select ? report_prepare_sql(db, select, &stmt) : probe_err_oom();
	if (err)
		return err;
	err = postgres_copy(load->postgres, "COPY \"%w\".\"%w\" (%s) FROM STDIN", load->run, name,
			    table.list);
	return err ? err : end_copy(load->postgres, copy_rows(load, db, &table, stmt));
}

static struct probe_err *load_rows(const struct load *load, const struct report_db *db)
{
	struct postgres *postgres = load->postgres;
	PROBE_AUTO_FREE char *loaded = NULL;
	struct probe_err *err = postgres_exec(postgres, "BEGIN");

	if (err)
		return err;
	/* Two programs that load the same file: the second waits, then finds it. */
	err = postgres_exec(postgres, "SELECT pg_advisory_xact_lock(hashtext(%Q))", load->guid);
	if (err)
		return err;
	err = postgres_cell(postgres, &loaded,
			    "SELECT run FROM probe.rocpd_metadata WHERE guid = %Q LIMIT 1",
			    load->guid);
	if (err)
		return err;
	if (loaded)
		return probe_err_create("%s is loaded already; to load it again, remove its run "
					"first: DROP SCHEMA \"%s\" CASCADE",
					db->path, loaded);
	for (size_t i = 0; i < load->table_count; i++) {
		err = load_table(load, db, load->tables[i]);
		if (err)
			return err;
	}
	return postgres_exec(postgres, "COMMIT");
}

/* After the rows: on ids, by which views join. */
static struct probe_err *make_indexes(const struct load *load)
{
	struct postgres *postgres = load->postgres;
	struct probe_err *err = begin_locked(postgres);

	if (err)
		return err;
	err = postgres_exec(
		postgres,
		"DO $$ DECLARE c record; BEGIN FOR c IN SELECT table_name, column_name "
		"FROM information_schema.columns JOIN information_schema.tables USING "
		"(table_schema, table_name) WHERE table_schema = %Q AND table_type = "
		"'BASE TABLE' AND (column_name = 'id' OR (table_name LIKE 'probe%%' AND "
		"column_name IN ('dispatch_id', 'code_object_id'))) LOOP EXECUTE "
		"format('CREATE INDEX IF NOT EXISTS %%I ON %%I.%%I (guid, %%I)', "
		"c.table_name || '_' || c.column_name, %Q, c.table_name, c.column_name); "
		"END LOOP; END $$",
		load->run, load->run);
	return err ? err : postgres_exec(postgres, "COMMIT");
}

/* ---- The verb -------------------------------------------------------------------------------- */

/* The files of a program's ranks have the same tables, which are made for the first one. */
static struct probe_err *make_missing(struct load *load, const struct report_db *db)
{
	PROBE_AUTO_FREE char *tables = NULL;
	struct probe_err *err = describe_tables(load, db, &tables);

	if (err || (load->made && !strcmp(load->made, tables)))
		return err;
	err = make_schemas(load, db);
	if (err)
		return err;
	free(load->made);
	load->made = PROBE_KEEP(tables);
	return NULL;
}

/* The caller calls forget_file(), also after an error. */
static struct probe_err *load_database(struct load *load, const struct report_db *db)
{
	struct probe_err *err = read_guid(db, &load->guid);

	if (err)
		return err;
	err = list_tables(load, db);
	if (err)
		return err;
	if (!load->run)
		load->run = strdup(load->guid);
	if (!load->run)
		return probe_err_oom();
	err = make_missing(load, db);
	if (err)
		return err;
	err = load_rows(load, db);
	if (err)
		return err;
	probe_log(PROBE_LOG_INFO, "%s: loaded into run %s", db->path, load->run);
	return NULL;
}

static struct probe_err *load_file(struct load *load, const char *path)
{
	REPORT_AUTO_DB struct report_db db = {0};
	struct probe_err *err = report_db_open(load->report, path, &db);

	if (err)
		return err;
	if (db.reader.version != PROBE_STORE_VERSION)
		return probe_err_create("load: %s has schema %d, not %d: record it again", path,
					db.reader.version, PROBE_STORE_VERSION);
	err = load_database(load, &db);
	forget_file(load);
	return err;
}

static bool is_run_name(const char *name)
{
	size_t length = strlen(name);

	return length && length <= NAME_BYTES &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") ==
		       length &&
	       strncmp(name, "pg_", 3) && strcmp(name, "probe") && strcmp(name, "public") &&
	       strcmp(name, "information_schema");
}

static struct probe_err *check(const struct report *report)
{
	if (!report->file_count || !postgres_is_address(report->files[0]))
		return probe_err_create("load: where to? Give the address of a database first: "
					"probe-report load postgresql://HOST/NAME FILE...");
	if (report->run_name && !is_run_name(report->run_name))
		return probe_err_create("invalid value '%s' for --run-name; expected at most %d "
					"letters, digits, '_', '.' and '-', and no name that "
					"PostgreSQL or probe-report uses itself",
					report->run_name, NAME_BYTES);
	return NULL;
}

static void load_deinit(struct load *load)
{
	postgres_close(load->postgres);
	report_newest_free(load->newest, load->newest_count);
	free(load->run);
	free(load->made);
}

static struct probe_err *show(const struct report *report, struct report_db *db, bool first,
			      bool last)
{
	PROBE_AUTO(load_deinit) struct load load = {.report = report};
	struct probe_err *err;

	(void)db;
	(void)first;
	(void)last;
	if (report->run_name) {
		load.run = strdup(report->run_name);
		if (!load.run)
			return probe_err_oom();
	}
	if (report->file_count == 1) {
		err = report_newest_runs(1, &load.newest, &load.newest_count);
		if (err)
			return err;
	}
	err = postgres_open(report->files[0], &load.postgres);
	if (err)
		return err;
	for (size_t i = 1; i < report->file_count; i++) {
		err = load_file(&load, report->files[i]);
		if (err)
			return err;
	}
	for (size_t i = 0; i < load.newest_count; i++) {
		err = load_file(&load, load.newest[i]);
		if (err)
			return err;
	}
	return make_indexes(&load);
}

const struct report_verb report_verb_load = {
	.name = "load",
	.help = "copy runs into PostgreSQL: load postgresql://HOST/NAME FILE...",
	.options = REPORT_O_LOAD,
	.input = REPORT_FILES_TOGETHER,
	.check = check,
	.show = show,
};
