/* SPDX-License-Identifier: MIT */
/*
 * The tables that handlers write (handler.h): in a worker process only their declarations, in
 * probe-run the tables of the database.
 */
#ifndef PROBE_CMDS_RECORD_HANDLER_TABLES_H
#define PROBE_CMDS_RECORD_HANDLER_TABLES_H

#include <stdbool.h>
#include <stddef.h>

#include <probe/handler.h>

struct handler_table;
struct probe_store;

/*
 * The tables of all handlers of a set. Initially zero; the caller sets `store` when it has a
 * database, and `replace` to replace rows of an earlier run of the handlers.
 */
struct handler_tables {
	struct probe_store *store; /* NULL while only declared */
	bool replace;
	struct handler_table *first;
};

/*
 * The table "probe_<handler>_<name>"; two instances of a handler share it. Returns 0 or -errno:
 * -EINVAL if a name or the columns are invalid, or differ from those of the existing table.
 */
int handler_tables_get(struct handler_tables *tables, const char *handler, const char *name,
		       const struct probe_column *columns, size_t count,
		       struct handler_table **ret);
int handler_table_add(struct handler_table *table, const union probe_value *values, size_t count);

/* Creates a table that was declared without a database, unless it has been created since. */
void handler_table_create(struct handler_tables *tables, struct handler_table *table);
/* Keeps or undoes in the database what was created and added since the last call. */
bool handler_tables_commit(struct handler_tables *tables);
void handler_tables_discard(struct handler_tables *tables);
size_t handler_table_columns(const struct handler_table *table);
const enum probe_type *handler_table_types(const struct handler_table *table);
void handler_tables_deinit(struct handler_tables *tables);

#endif
