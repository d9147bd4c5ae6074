/* SPDX-License-Identifier: MIT */
/* Where kernels are declared: code objects of the database, read once each in throw-away children.
 */
#include <stdlib.h>
#include <string.h>

#include "codeobj/inspect.h"
#include "common/err.h"
#include "report.h"

struct known {
	int64_t id;
	struct probe_codeobj *codeobj; /* NULL = unreadable */
};

struct cache {
	struct known *known;
	size_t count;
};

static void cache_destroy(void *user)
{
	struct cache *cache = user;

	for (size_t i = 0; i < cache->count; i++)
		probe_codeobj_destroy(cache->known[i].codeobj);
	free(cache->known);
	free(cache);
}

/* A code object that cannot be read costs its positions; `info` says why. */
static struct probe_codeobj *inspect(sqlite3 *db, int64_t id)
{
	struct probe_codeobj *codeobj = NULL;
	sqlite3_stmt *stmt;

	if (sqlite3_prepare_v2(db, "SELECT bytes FROM probe_code WHERE code_object_id = ?", -1,
			       &stmt, NULL))
		return NULL;
	sqlite3_bind_int64(stmt, 1, id);
	if (sqlite3_step(stmt) == SQLITE_ROW) {
		const void *bytes = sqlite3_column_blob(stmt, 0);

		if (bytes)
			probe_err_destroy(probe_codeobj_inspect(
				"code object", bytes, (size_t)sqlite3_column_bytes(stmt, 0),
				PROBE_INSPECT_KERNELS | PROBE_INSPECT_LINES, &codeobj));
	}
	sqlite3_finalize(stmt);
	return codeobj;
}

static const struct probe_codeobj *find(struct cache *cache, sqlite3 *db, int64_t id)
{
	struct known *known;

	for (size_t i = 0; i < cache->count; i++)
		if (cache->known[i].id == id)
			return cache->known[i].codeobj;
	known = realloc(cache->known, (cache->count + 1) * sizeof(*known));
	if (!known)
		return NULL;
	cache->known = known;
	known[cache->count] = (struct known){.id = id, .codeobj = inspect(db, id)};
	return known[cache->count++].codeobj;
}

static void position(sqlite3_context *context, int count, sqlite3_value **values)
{
	const char *symbol = (const char *)sqlite3_value_text(values[1]);
	const struct probe_codeobj *codeobj;

	(void)count;
	codeobj = find(sqlite3_user_data(context), sqlite3_context_db_handle(context),
		       sqlite3_value_int64(values[0]));
	if (!codeobj || !codeobj->kernels || !codeobj->lines || !symbol)
		return;
	for (size_t i = 0; i < codeobj->kernels->count; i++) {
		const struct probe_kernel *kernel = &codeobj->kernels->kernels[i];
		const struct probe_function *function;
		char *text;

		if (strcmp(kernel->symbol, symbol))
			continue;
		function = probe_lines_function(codeobj->lines, kernel->address);
		if (!function)
			return;
		text = sqlite3_mprintf("%s:%u", codeobj->lines->files[function->file],
				       function->line);
		sqlite3_result_text(context, text, -1, sqlite3_free);
		return;
	}
}

int report_position_register(sqlite3 *db)
{
	struct cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		return SQLITE_NOMEM;
	return sqlite3_create_function_v2(db, "probe_position", 2, SQLITE_UTF8 | SQLITE_DIRECTONLY,
					  cache, position, NULL, NULL, cache_destroy);
}
