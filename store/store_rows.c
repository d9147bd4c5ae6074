/* SPDX-License-Identifier: MIT */
/*
 * Batched inserts: rows are buffered, and one statement inserts them all. It reads them from the
 * buffer (row_source.h), which takes a quarter less time than a parameter for each cell. Rows with
 * the next ids are appended without them: SQLite then neither searches for the id nor checks it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/store_priv.h"

#define ARENA_BYTES 65536u

struct probe_cell probe_cell_int(uint64_t value)
{
	return (struct probe_cell){.type = PROBE_CELL_INTEGER, .integer = (int64_t)value};
}

struct probe_cell probe_cell_real(double value)
{
	return (struct probe_cell){.type = PROBE_CELL_REAL, .real = value};
}

struct probe_cell probe_cell_text_n(const char *text, size_t len)
{
	if (!text)
		return (struct probe_cell){.type = PROBE_CELL_NULL};
	return (struct probe_cell){.type = PROBE_CELL_TEXT, .size = (uint32_t)len, .bytes = text};
}

struct probe_cell probe_cell_text(const char *text)
{
	return probe_cell_text_n(text, text ? strlen(text) : 0);
}

struct probe_cell probe_cell_blob(const void *bytes, size_t size)
{
	return (struct probe_cell){.type = PROBE_CELL_BLOB, .size = (uint32_t)size, .bytes = bytes};
}

/* Reads columns from `first` on from table `source`; NULL = one row, of parameters. */
static char *insert_sql(const struct probe_store *store, const char *table, const char *columns,
			const char *source, unsigned first, unsigned count)
{
	bool suffixed = !strncmp(table, "rocpd_", 6);
	char *sql = NULL;
	size_t size;
	FILE *out = open_memstream(&sql, &size);

	if (!out)
		return NULL;
	fprintf(out, "INSERT OR REPLACE INTO \"%s%s\" (%s) %s", table,
		suffixed ? store->suffix : "", columns, source ? "SELECT " : "VALUES (");
	for (unsigned i = first; i < count; i++) {
		fputs(i > first ? "," : "", out);
		if (source)
			fprintf(out, "c%u", i);
		else
			fputc('?', out);
	}
	if (source)
		fprintf(out, " FROM %s", source);
	else
		fputc(')', out);
	if (fclose(out)) {
		free(sql);
		return NULL;
	}
	return sql;
}

static int prepare_insert(struct probe_rows *rows, const char *table, const char *columns,
			  const char *source, unsigned first, sqlite3_stmt **ret)
{
	char *sql = insert_sql(rows->store, table, columns, source, first, rows->columns);
	int rc = sql ? sqlite3_prepare_v3(rows->store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, ret,
					  NULL)
		     : SQLITE_NOMEM;

	free(sql);
	return rc;
}

static int prepare(struct probe_rows *rows, const char *table, const char *columns)
{
	struct probe_store *store = rows->store;
	int rc = SQLITE_OK;

	snprintf(rows->name, sizeof(rows->name), "probe_rows_%u", store->sources++);
	if (rows->batch > 1)
		rc = probe_row_source_register(store->db, rows->name, &rows->source);
	if (rc != SQLITE_OK)
		return rc;
	return prepare_insert(rows, table, columns, rows->batch > 1 ? rows->name : NULL, 0,
			      &rows->insert);
}

/* The id before the one that SQLite would choose for a new row. */
static int read_last(struct probe_rows *rows, const char *table)
{
	bool suffixed = !strncmp(table, "rocpd_", 6);
	const char *suffix = suffixed ? rows->store->suffix : "";
	sqlite3_stmt *stmt = NULL;
	char *sql = sqlite3_mprintf(
		"SELECT max(coalesce((SELECT max(rowid) FROM \"%w%w\"), 0), coalesce((SELECT "
		"max(seq) FROM sqlite_sequence WHERE name = '%q%q'), 0))",
		table, suffix, table, suffix);
	int rc = sql ? sqlite3_prepare_v2(rows->store->db, sql, -1, &stmt, NULL) : SQLITE_NOMEM;

	sqlite3_free(sql);
	if (rc == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW)
		rows->last = sqlite3_column_int64(stmt, 0);
	return rc == SQLITE_OK ? sqlite3_finalize(stmt) : rc;
}

void probe_rows_number(struct probe_rows *rows, const char *table, const char *columns)
{
	int rc;

	if (!rows || rows->batch == 1 || rows->store->failure)
		return;
	rc = read_last(rows, table);
	if (rc == SQLITE_OK)
		rc = prepare_insert(rows, table, strchr(columns, ',') + 1, rows->name, 1,
				    &rows->append);
	if (rc != SQLITE_OK)
		probe_store_fail(rows->store, "prepare an insert");
}

struct probe_rows *probe_store_rows(struct probe_store *store, const char *table,
				    const char *columns, unsigned count, unsigned batch)
{
	struct probe_rows *rows = calloc(1, sizeof(*rows));

	if (!rows) {
		probe_store_fail(store, "allocate memory");
		return NULL;
	}
	rows->store = store;
	rows->columns = count;
	rows->batch = batch;
	rows->source.columns = count;
	if (batch > 1) {
		rows->cells = calloc((size_t)batch * count, sizeof(*rows->cells));
		rows->arena = malloc(ARENA_BYTES);
	}
	rows->next = store->rows;
	store->rows = rows;
	if (batch > 1 && (!rows->cells || !rows->arena)) {
		probe_store_fail(store, "allocate memory");
		return NULL;
	}
	if (prepare(rows, table, columns) != SQLITE_OK) {
		probe_store_fail(store, "prepare an insert");
		return NULL;
	}
	return rows;
}

static void bind(sqlite3_stmt *stmt, int at, const struct probe_cell *cell)
{
	switch (cell->type) {
	case PROBE_CELL_INTEGER:
		sqlite3_bind_int64(stmt, at, cell->integer);
		break;
	case PROBE_CELL_REAL:
		sqlite3_bind_double(stmt, at, cell->real);
		break;
	case PROBE_CELL_TEXT:
		sqlite3_bind_text(stmt, at, cell->bytes, (int)cell->size, SQLITE_STATIC);
		break;
	case PROBE_CELL_BLOB:
		sqlite3_bind_blob(stmt, at, cell->bytes, (int)cell->size, SQLITE_STATIC);
		break;
	case PROBE_CELL_NULL:
		sqlite3_bind_null(stmt, at);
		break;
	}
}

/* Are the rows those that SQLite would number in the same way? */
static bool are_next(const struct probe_rows *rows, const struct probe_cell *cells, unsigned count)
{
	for (unsigned i = 0; i < count; i++, cells += rows->columns)
		if (cells->type != PROBE_CELL_INTEGER || cells->integer != rows->last + 1 + i)
			return false;
	return true;
}

static void note_last(struct probe_rows *rows, const struct probe_cell *cells, unsigned count)
{
	for (unsigned i = 0; i < count; i++, cells += rows->columns)
		if (cells->type == PROBE_CELL_INTEGER && cells->integer > rows->last)
			rows->last = cells->integer;
}

static int run(struct probe_rows *rows, const struct probe_cell *cells, unsigned count)
{
	bool next = rows->append && are_next(rows, cells, count);
	sqlite3_stmt *stmt = next ? rows->append : rows->insert;
	int rc;

	rows->source.cells = cells;
	rows->source.count = count;
	for (unsigned i = 0; rows->batch == 1 && i < rows->columns; i++)
		bind(stmt, (int)i + 1, &cells[i]);
	rc = sqlite3_step(stmt);
	sqlite3_reset(stmt);
	if (rc != SQLITE_DONE)
		return probe_store_fail(rows->store, "insert rows");
	if (next && sqlite3_last_insert_rowid(rows->store->db) != rows->last + count)
		return probe_store_fail(rows->store, "number rows");
	if (rows->append)
		note_last(rows, cells, count);
	return 0;
}

int probe_rows_flush(struct probe_rows *rows)
{
	int err = rows->count ? run(rows, rows->cells, rows->count) : 0;

	probe_rows_drop(rows);
	return err;
}

/* Copy a row into the buffer; false if its text does not fit into the rest of it. */
static bool buffer(struct probe_rows *rows, const struct probe_cell *cells)
{
	struct probe_cell *to = rows->cells + (size_t)rows->count * rows->columns;
	size_t used = rows->used;

	for (unsigned i = 0; i < rows->columns; i++) {
		to[i] = cells[i];
		if (cells[i].type != PROBE_CELL_TEXT && cells[i].type != PROBE_CELL_BLOB)
			continue;
		if (cells[i].size > ARENA_BYTES - used)
			return false;
		memcpy(rows->arena + used, cells[i].bytes, cells[i].size);
		to[i].bytes = rows->arena + used;
		used += cells[i].size;
	}
	rows->used = used;
	rows->count++;
	return true;
}

int probe_rows_add(struct probe_rows *rows, const struct probe_cell *cells)
{
	int err;

	if (!rows)
		return -EIO;
	err = probe_store_begin(rows->store);
	if (err)
		return err;
	if (rows->batch == 1)
		return run(rows, cells, 1);
	if (!buffer(rows, cells)) {
		err = probe_rows_flush(rows);
		if (err)
			return err;
		if (!buffer(rows, cells))
			return run(rows, cells, 1);
	}
	return rows->count == rows->batch ? probe_rows_flush(rows) : 0;
}

void probe_rows_destroy(struct probe_rows *rows)
{
	sqlite3_finalize(rows->insert);
	sqlite3_finalize(rows->append);
	free(rows->cells);
	free(rows->arena);
	free(rows);
}
