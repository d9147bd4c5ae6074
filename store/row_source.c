/* SPDX-License-Identifier: MIT */
#include "store/row_source.h"

#include <stdio.h>
#include <stdlib.h>

#include "store/store.h"

struct source_table {
	sqlite3_vtab base;
	const struct probe_row_source *source;
};

struct source_cursor {
	sqlite3_vtab_cursor base;
	const struct probe_row_source *source;
	unsigned at;
};

static int declare(sqlite3 *db, unsigned columns)
{
	char *sql = NULL;
	size_t size;
	FILE *out = open_memstream(&sql, &size);
	int rc;

	if (!out)
		return SQLITE_NOMEM;
	for (unsigned i = 0; i < columns; i++)
		fprintf(out, "%sc%u", i ? "," : "CREATE TABLE x(", i);
	fputs(")", out);
	rc = fclose(out) ? SQLITE_NOMEM : sqlite3_declare_vtab(db, sql);
	free(sql);
	return rc;
}

static int on_connect(sqlite3 *db, void *user, int argc, const char *const *argv,
		      sqlite3_vtab **ret, char **ret_error)
{
	const struct probe_row_source *source = user;
	struct source_table *table;
	int rc = declare(db, source->columns);

	(void)argc;
	(void)argv;
	(void)ret_error;
	if (rc != SQLITE_OK)
		return rc;
	table = calloc(1, sizeof(*table));
	if (!table)
		return SQLITE_NOMEM;
	table->source = source;
	*ret = &table->base;
	return SQLITE_OK;
}

static int on_disconnect(sqlite3_vtab *table)
{
	free(table);
	return SQLITE_OK;
}

/* There is one way to read it: all rows in their order. */
static int on_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
	(void)table;
	(void)info;
	return SQLITE_OK;
}

static int on_open(sqlite3_vtab *table, sqlite3_vtab_cursor **ret)
{
	struct source_cursor *cursor = calloc(1, sizeof(*cursor));

	if (!cursor)
		return SQLITE_NOMEM;
	cursor->source = ((struct source_table *)table)->source;
	*ret = &cursor->base;
	return SQLITE_OK;
}

static int on_close(sqlite3_vtab_cursor *cursor)
{
	free(cursor);
	return SQLITE_OK;
}

static int on_filter(sqlite3_vtab_cursor *cursor, int number, const char *text, int argc,
		     sqlite3_value **argv)
{
	(void)number;
	(void)text;
	(void)argc;
	(void)argv;
	((struct source_cursor *)cursor)->at = 0;
	return SQLITE_OK;
}

static int on_next(sqlite3_vtab_cursor *cursor)
{
	((struct source_cursor *)cursor)->at++;
	return SQLITE_OK;
}

static int on_eof(sqlite3_vtab_cursor *base)
{
	const struct source_cursor *cursor = (struct source_cursor *)base;

	return cursor->at >= cursor->source->count;
}

static int on_rowid(sqlite3_vtab_cursor *cursor, sqlite3_int64 *ret)
{
	*ret = ((struct source_cursor *)cursor)->at;
	return SQLITE_OK;
}

/* The bytes stay where they are until the statement has ended. */
static int on_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
	const struct source_cursor *cursor = (struct source_cursor *)base;
	const struct probe_cell *cell =
		&cursor->source
			 ->cells[(size_t)cursor->at * cursor->source->columns + (unsigned)column];

	switch (cell->type) {
	case PROBE_CELL_INTEGER:
		sqlite3_result_int64(context, cell->integer);
		break;
	case PROBE_CELL_REAL:
		sqlite3_result_double(context, cell->real);
		break;
	case PROBE_CELL_TEXT:
		sqlite3_result_text(context, cell->bytes, (int)cell->size, SQLITE_STATIC);
		break;
	case PROBE_CELL_BLOB:
		sqlite3_result_blob(context, cell->bytes, (int)cell->size, SQLITE_STATIC);
		break;
	case PROBE_CELL_NULL:
		break; /* the default result */
	}
	return SQLITE_OK;
}

int probe_row_source_register(sqlite3 *db, const char *name, struct probe_row_source *source)
{
	static const sqlite3_module module = {
		.xConnect = on_connect,
		.xDisconnect = on_disconnect,
		.xBestIndex = on_best_index,
		.xOpen = on_open,
		.xClose = on_close,
		.xFilter = on_filter,
		.xNext = on_next,
		.xEof = on_eof,
		.xColumn = on_column,
		.xRowid = on_rowid,
	};

	return sqlite3_create_module(db, name, &module, source);
}
