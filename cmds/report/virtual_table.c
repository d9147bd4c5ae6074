/* SPDX-License-Identifier: MIT */
#include "cmds/report/virtual_table.h"

#include <string.h>

int report_vtab_connect(sqlite3 *db, const char *declaration, size_t size, sqlite3_vtab **ret)
{
	int rc = sqlite3_declare_vtab(db, declaration);
	sqlite3_vtab *table;

	if (rc)
		return rc;
	table = sqlite3_malloc64(size);
	if (!table)
		return SQLITE_NOMEM;
	memset(table, 0, size);
	*ret = table;
	return SQLITE_OK;
}

int report_vtab_disconnect(sqlite3_vtab *table)
{
	sqlite3_free(table);
	return SQLITE_OK;
}

int report_vtab_open(size_t size, sqlite3_vtab_cursor **ret)
{
	sqlite3_vtab_cursor *cursor = sqlite3_malloc64(size);

	if (!cursor)
		return SQLITE_NOMEM;
	memset(cursor, 0, size);
	*ret = cursor;
	return SQLITE_OK;
}

int report_vtab_best_index(sqlite3_index_info *info, int first, int arguments, double cost)
{
	int found = 0;

	for (int i = 0; i < info->nConstraint; i++) {
		int column = info->aConstraint[i].iColumn;

		if (column < first || info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		if (!info->aConstraint[i].usable)
			return SQLITE_CONSTRAINT;
		info->aConstraintUsage[i].argvIndex = column - first + 1;
		info->aConstraintUsage[i].omit = 1;
		found++;
	}
	info->estimatedCost = cost;
	return found == arguments ? SQLITE_OK : SQLITE_CONSTRAINT;
}
