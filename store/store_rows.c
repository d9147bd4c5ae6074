/* SPDX-License-Identifier: MIT */
/*
 * Batched inserts: rows are buffered, and one statement inserts them all. It reads them from the
 * buffer (row_source.h), which takes a quarter less time than a parameter for each cell.
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

/* Reads rows from table `source`; NULL = one row, of parameters. */
static char *insert_sql(const struct probe_store *store, const char *table, const char *columns,
			const char *source, unsigned count)
{
	bool suffixed = !strncmp(table, "rocpd_", 6);
	char *sql = NULL;
	size_t size;
	FILE *out = open_memstream(&sql, &size);

	if (!out)
		return NULL;
	fprintf(out, "INSERT OR REPLACE INTO \"%s%s\" (%s) %s", table,
		suffixed ? store->suffix : "", columns, source ? "SELECT " : "VALUES (");
	for (unsigned i = 0; i < count; i++) {
		fputs(i ? "," : "", out);
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

static int prepare(struct probe_rows *rows, const char *table, const char *columns)
{
	struct probe_store *store = rows->store;
	char source[32];
	char *sql;
	int rc = SQLITE_OK;

	snprintf(source, sizeof(source), "probe_rows_%u", store->sources++);
	if (rows->batch > 1)
		rc = probe_row_source_register(store->db, source, &rows->source);
	if (rc != SQLITE_OK)
		return rc;
	sql = insert_sql(store, table, columns, rows->batch > 1 ? source : NULL, rows->columns);
	rc = sql ? sqlite3_prepare_v3(store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &rows->insert,
				      NULL)
		 : SQLITE_NOMEM;
	free(sql);
	return rc;
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

static int run(struct probe_rows *rows, const struct probe_cell *cells, unsigned count)
{
	int rc;

	rows->source.cells = cells;
	rows->source.count = count;
	for (unsigned i = 0; rows->batch == 1 && i < rows->columns; i++)
		bind(rows->insert, (int)i + 1, &cells[i]);
	rc = sqlite3_step(rows->insert);
	sqlite3_reset(rows->insert);
	if (rc != SQLITE_DONE)
		return probe_store_fail(rows->store, "insert rows");
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
	free(rows->cells);
	free(rows->arena);
	free(rows);
}
