/* SPDX-License-Identifier: MIT */
#include "cmds/report/source_state.h"

#include <string.h>

#include "cmds/report/source_text.h"

const char report_source_newer[] = "newer than the program";
const char report_source_changed[] = "changed since the run";

enum column { C_HASH, C_NEWER };

static const char *state_of(const struct report *report, const char *file, sqlite3_stmt *stmt)
{
	char hash[PROBE_SHA256_HEX];

	const char *then = (const char *)sqlite3_column_text(stmt, C_HASH);

	if (then && report_source_hash(report, file, hash) && strcmp(hash, then))
		return report_source_changed;
	return sqlite3_column_int(stmt, C_NEWER) ? report_source_newer : NULL;
}

static void state(sqlite3_context *context, int count, sqlite3_value **values)
{
	const struct report *report = sqlite3_user_data(context);
	const char *file = (const char *)sqlite3_value_text(values[0]), *text = NULL;
	sqlite3_stmt *stmt = NULL;

	(void)count;
	/* Databases of older versions have no such table. */
	if (!file || sqlite3_prepare_v2(sqlite3_context_db_handle(context),
					"SELECT hash, newer FROM probe_sourcefile WHERE file = ?",
					-1, &stmt, NULL))
		return;
	sqlite3_bind_text(stmt, 1, file, -1, SQLITE_STATIC);
	if (sqlite3_step(stmt) == SQLITE_ROW)
		text = state_of(report, file, stmt);
	if (text)
		sqlite3_result_text(context, text, -1, SQLITE_STATIC);
	sqlite3_finalize(stmt);
}

int report_source_state_register(const struct report *report, sqlite3 *db)
{
	return sqlite3_create_function(db, "probe_source_state", 1, SQLITE_UTF8 | SQLITE_DIRECTONLY,
				       (void *)report, state, NULL, NULL);
}
