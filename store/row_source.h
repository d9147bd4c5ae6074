/* SPDX-License-Identifier: MIT */
/*
 * Buffered rows as a table that SQLite reads: one statement inserts any number of them, without a
 * parameter for each cell.
 */
#ifndef PROBE_STORE_ROW_SOURCE_H
#define PROBE_STORE_ROW_SOURCE_H

#include <sqlite3.h>

struct probe_cell;

struct probe_row_source {
	const struct probe_cell *cells;
	unsigned columns, count; /* count: rows to read */
};

/* Makes `source` readable as table `name` with columns c0, c1, ... An SQLite result code. */
int probe_row_source_register(sqlite3 *db, const char *name, struct probe_row_source *source);

#endif
