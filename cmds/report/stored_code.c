/* SPDX-License-Identifier: MIT */
#include "cmds/report/stored_code.h"

#include <stdlib.h>

#include "codeobj/functions.h"
#include "codeobj/users_place.h"
#include "common/err.h"

struct report_code_cache {
	sqlite3 *db;
	struct report_code **codes;
	size_t count;
};

void report_code_cache_destroy(void *user)
{
	struct report_code_cache *cache = user;

	for (size_t i = 0; i < cache->count; i++) {
		probe_codeobj_destroy(cache->codes[i]->codeobj);
		probe_disassembly_destroy(cache->codes[i]->disassembly);
		probe_codeobj_destroy(cache->codes[i]->scopes);
		probe_codeobj_destroy(cache->codes[i]->table);
		free(cache->codes[i]);
	}
	free(cache->codes);
	free(cache);
}

/* The bytes; the caller finalises *stmt. NULL if the database has none. */
static const void *code_bytes(sqlite3 *db, int64_t id, sqlite3_stmt **stmt, size_t *size)
{
	const void *bytes;

	*stmt = NULL;
	if (sqlite3_prepare_v2(db, "SELECT bytes FROM probe_code WHERE code_object_id = ?", -1,
			       stmt, NULL))
		return NULL;
	sqlite3_bind_int64(*stmt, 1, id);
	if (sqlite3_step(*stmt) != SQLITE_ROW)
		return NULL;
	bytes = sqlite3_column_blob(*stmt, 0);
	*size = (size_t)sqlite3_column_bytes(*stmt, 0);
	return bytes;
}

/* If a code object cannot be read, its positions are missing; `info` says why. */
static struct probe_codeobj *inspect(sqlite3 *db, int64_t id, unsigned parts)
{
	struct probe_codeobj *codeobj = NULL;
	sqlite3_stmt *stmt;
	size_t size;
	const void *bytes = code_bytes(db, id, &stmt, &size);

	if (bytes)
		probe_err_destroy(
			probe_codeobj_inspect("code object", bytes, size, parts, &codeobj));
	sqlite3_finalize(stmt);
	return codeobj;
}

struct report_code *report_code_find(struct report_code_cache *cache, int64_t id)
{
	struct report_code **codes, *code;

	for (size_t i = 0; i < cache->count; i++)
		if (cache->codes[i]->id == id)
			return cache->codes[i];
	codes = realloc(cache->codes, (cache->count + 1) * sizeof(*codes));
	if (!codes)
		return NULL;
	cache->codes = codes;
	code = calloc(1, sizeof(*code));
	if (!code)
		return NULL;
	*code = (struct report_code){.db = cache->db,
				     .id = id,
				     .codeobj =
					     inspect(cache->db, id,
						     PROBE_INSPECT_KERNELS | PROBE_INSPECT_LINES |
							     PROBE_INSPECT_FUNCTIONS)};
	return codes[cache->count++] = code;
}

struct report_code_cache *report_code_cache_create(sqlite3 *db)
{
	struct report_code_cache *cache = calloc(1, sizeof(*cache));

	if (cache)
		cache->db = db;
	return cache;
}

const struct probe_line *report_code_line(const struct report_code *known, uint64_t address)
{
	return known && known->codeobj && known->codeobj->lines
		       ? probe_lines_find(known->codeobj->lines, address)
		       : NULL;
}

/* NULL if no inlined calls are known. */
const struct probe_inlines *report_code_inlines(struct report_code *known)
{
	if (!known)
		return NULL;
	if (!known->inlines)
		known->scopes = inspect(known->db, known->id, PROBE_INSPECT_INLINES);
	known->inlines = true;
	return known->scopes ? known->scopes->inlines : NULL;
}

const struct probe_disassembly *report_code_disassembly(struct report_code *code)
{
	sqlite3_stmt *stmt;
	const void *bytes;
	uint64_t within;
	size_t size;

	if (code->disassembled || !code->codeobj || !code->codeobj->kernels ||
	    !code->codeobj->kernels->count)
		return code->disassembly;
	/* All kernels are in one section; a sample's address is not trusted. */
	within = code->codeobj->kernels->kernels[0].address;
	code->disassembled = true;
	bytes = code_bytes(code->db, code->id, &stmt, &size);
	if (bytes)
		probe_err_destroy(
			probe_disassemble("code object", bytes, size, within, &code->disassembly));
	sqlite3_finalize(stmt);
	return code->disassembly;
}

const struct probe_sites *report_code_sites(struct report_code *code)
{
	if (!code->sites_read)
		code->table = inspect(code->db, code->id, PROBE_INSPECT_SITES);
	code->sites_read = true;
	return code->table ? code->table->sites : NULL;
}

struct probe_code report_code_view(struct report_code *code)
{
	if (!code)
		return (struct probe_code){0};
	return (struct probe_code){
		.kernels = code->codeobj ? code->codeobj->kernels : NULL,
		.functions = code->codeobj ? code->codeobj->functions : NULL,
		.inlines = report_code_inlines(code),
	};
}

bool report_code_users_place(struct report_code *code, uint64_t address, struct probe_place *ret)
{
	struct probe_code view = report_code_view(code);
	const struct probe_symbol *symbol = probe_code_symbol(&view, address);

	if (!code || !code->codeobj || !code->codeobj->lines)
		return false;
	return probe_users_place(code->codeobj->lines, view.inlines,
				 symbol ? symbol->address : address, address, ret);
}
