/* SPDX-License-Identifier: MIT */
/* Code shared by Probe's table-valued SQL functions. */
#ifndef PROBE_CMDS_REPORT_VIRTUAL_TABLE_H
#define PROBE_CMDS_REPORT_VIRTUAL_TABLE_H

#include <stddef.h>

#include <sqlite3.h>

/*
 * Allocates a zeroed table of `size` bytes, which begins with a sqlite3_vtab. Returns an SQLite
 * status.
 */
int report_vtab_connect(sqlite3 *db, const char *declaration, size_t size, sqlite3_vtab **ret);
int report_vtab_disconnect(sqlite3_vtab *table);
/* A zeroed cursor of `size` bytes, which begins with a sqlite3_vtab_cursor. */
int report_vtab_open(size_t size, sqlite3_vtab_cursor **ret);
/*
 * The `arguments` hidden columns from `first` on are required, and are passed to xFilter in their
 * order.
 */
int report_vtab_best_index(sqlite3_index_info *info, int first, int arguments, double cost);

#endif
