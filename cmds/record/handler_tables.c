/* SPDX-License-Identifier: MIT */
#include "cmds/record/handler_tables.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/store.h"

enum { COLUMNS_MAX = 64, NAME_BYTES = 64 /* of tables and columns */ };

struct handler_table {
	struct handler_table *next;
	char name[NAME_BYTES];
	enum probe_type types[COLUMNS_MAX];
	char columns[COLUMNS_MAX][NAME_BYTES];
	size_t count;
	bool created, committed; /* in the database */
	struct probe_rows *rows; /* NULL before it was first created */
};

static bool identifier(const char *name)
{
	size_t len = name ? strlen(name) : 0;

	if (!len || len >= NAME_BYTES || !isalpha((unsigned char)*name))
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_')
			return false;
	return true;
}

static bool columns_valid(const struct probe_column *columns, size_t count)
{
	if (!count || count > COLUMNS_MAX)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!identifier(columns[i].name) || !strcasecmp(columns[i].name, "id") ||
		    columns[i].type < PROBE_TYPE_INTEGER || columns[i].type > PROBE_TYPE_TEXT)
			return false;
		for (size_t k = 0; k < i; k++)
			if (!strcasecmp(columns[i].name, columns[k].name))
				return false;
	}
	return true;
}

static bool same_columns(const struct handler_table *table, const struct probe_column *columns,
			 size_t count)
{
	if (table->count != count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (strcmp(table->columns[i], columns[i].name) ||
		    table->types[i] != columns[i].type)
			return false;
	return true;
}

/* CREATE TABLE and the list of columns; every name in it has passed identifier(). */
static int create(const struct handler_tables *tables, struct handler_table *table)
{
	static const char *const types[] = {"", "INTEGER", "REAL", "TEXT"};
	char sql[COLUMNS_MAX * (NAME_BYTES + 12) + 128], list[COLUMNS_MAX * (NAME_BYTES + 4)];
	size_t c, l = 0;
	int err;

	if (tables->replace) {
		snprintf(sql, sizeof(sql), "DROP TABLE IF EXISTS \"%s\"", table->name);
		err = probe_store_exec(tables->store, sql);
		if (err)
			return err;
	}
	c = (size_t)snprintf(sql, sizeof(sql),
			     "CREATE TABLE IF NOT EXISTS \"%s\" (id INTEGER PRIMARY KEY",
			     table->name);
	for (size_t i = 0; i < table->count; i++) {
		c += (size_t)snprintf(sql + c, sizeof(sql) - c, ", \"%s\" %s", table->columns[i],
				      types[table->types[i]]);
		l += (size_t)snprintf(list + l, sizeof(list) - l, "%s\"%s\"", i ? ", " : "",
				      table->columns[i]);
	}
	snprintf(sql + c, sizeof(sql) - c, ")");
	err = probe_store_exec(tables->store, sql);
	if (err)
		return err;
	if (!table->rows)
		table->rows = probe_store_rows(tables->store, table->name, list,
					       (unsigned)table->count, 50);
	table->created = table->rows != NULL;
	return table->created ? 0 : -EIO;
}

static int make_table(struct handler_tables *tables, const char *name,
		      const struct probe_column *columns, size_t count, struct handler_table **ret)
{
	struct handler_table *table = calloc(1, sizeof(*table));
	int err;

	if (!table)
		return -ENOMEM;
	strcpy(table->name, name);
	table->count = count;
	for (size_t i = 0; i < count; i++) {
		strcpy(table->columns[i], columns[i].name);
		table->types[i] = columns[i].type;
	}
	err = tables->store ? create(tables, table) : 0;
	if (err) {
		free(table);
		return err;
	}
	table->next = tables->first;
	tables->first = table;
	*ret = table;
	return 0;
}

int handler_tables_get(struct handler_tables *tables, const char *handler, const char *name,
		       const struct probe_column *columns, size_t count, struct handler_table **ret)
{
	struct handler_table *table = tables->first;
	char full[NAME_BYTES];

	if (!identifier(name) || !columns_valid(columns, count) ||
	    snprintf(full, sizeof(full), "probe_%s_%s", handler, name) >= (int)sizeof(full) ||
	    probe_store_owns(full))
		return -EINVAL;
	while (table && strcmp(table->name, full))
		table = table->next;
	if (!table)
		return make_table(tables, full, columns, count, ret);
	if (!same_columns(table, columns, count))
		return -EINVAL;
	*ret = table;
	return 0;
}

int handler_table_add(struct handler_table *table, const union probe_value *values, size_t count)
{
	struct probe_cell cells[COLUMNS_MAX];

	if (count != table->count)
		return -EINVAL;
	for (size_t i = 0; i < count; i++) {
		switch (table->types[i]) {
		case PROBE_TYPE_INTEGER:
			cells[i] = probe_cell_int((uint64_t)values[i].integer);
			break;
		case PROBE_TYPE_REAL:
			cells[i] = probe_cell_real(values[i].real);
			break;
		case PROBE_TYPE_TEXT:
			cells[i] = probe_cell_text(values[i].text);
			break;
		}
	}
	return table->created ? probe_rows_add(table->rows, cells) : 0;
}

void handler_table_create(struct handler_tables *tables, struct handler_table *table)
{
	/* If it cannot be created, the store keeps the failure. */
	if (!table->created)
		create(tables, table);
}

bool handler_tables_commit(struct handler_tables *tables)
{
	if (!probe_store_commit(tables->store))
		return false;
	for (struct handler_table *table = tables->first; table; table = table->next)
		table->committed = table->created;
	return true;
}

void handler_tables_discard(struct handler_tables *tables)
{
	probe_store_discard(tables->store);
	for (struct handler_table *table = tables->first; table; table = table->next)
		table->created = table->committed;
}

size_t handler_table_columns(const struct handler_table *table)
{
	return table->count;
}

const enum probe_type *handler_table_types(const struct handler_table *table)
{
	return table->types;
}

void handler_tables_deinit(struct handler_tables *tables)
{
	while (tables->first) {
		struct handler_table *next = tables->first->next;

		free(tables->first);
		tables->first = next;
	}
}
