/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* asprintf */
#include "cmds/report/stored_code.h"

#include <stdio.h>
#include <stdlib.h>

#include "cmds/report/escape.h"
#include "codeobj/functions.h"
#include "codeobj/users_place.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "common/log.h"

/* More of them in one database say nothing new. */
enum { GAPS_MAX = 10 };

struct report_code_cache {
	sqlite3 *db;
	struct report_code **codes;
	size_t count;
	char *gaps[GAPS_MAX];
	size_t gap_count; /* all of them */
};

void report_code_cache_destroy(void *user)
{
	struct report_code_cache *cache = user;

	if (cache->gap_count > GAPS_MAX)
		probe_log(PROBE_LOG_WARNING, "%zu more parts of code objects could not be read",
			  cache->gap_count - GAPS_MAX);
	for (size_t i = 0; i < cache->gap_count && i < GAPS_MAX; i++)
		free(cache->gaps[i]);
	for (size_t i = 0; i < cache->count; i++) {
		probe_codeobj_destroy(cache->codes[i]->codeobj);
		probe_disassembly_destroy(cache->codes[i]->disassembly);
		probe_codeobj_destroy(cache->codes[i]->scopes);
		probe_codeobj_destroy(cache->codes[i]->table);
		free(cache->codes[i]->by_line);
		free(cache->codes[i]);
	}
	free(cache->codes);
	free(cache);
}

/* Takes ownership of `err`, if there is one: why the report lacks `what` of a code object. */
static void note_gap(struct report_code_cache *cache, int64_t id, const char *what,
		     struct probe_err *err)
{
	char why[512], *text = NULL;
	const char *file;

	if (!err)
		return;
	probe_err_format(err, why, sizeof(why));
	probe_err_destroy(err);
	if (cache->gap_count++ >= GAPS_MAX)
		return;
	if (asprintf(&text, "code object %lld: %s missing: %s", (long long)id, what, why) < 0)
		text = NULL;
	cache->gaps[cache->gap_count - 1] = text;
	file = sqlite3_db_filename(cache->db, "main");
	if (text)
		probe_log(PROBE_LOG_WARNING, "%s%s%s", file ? file : "", file && *file ? ": " : "",
			  text);
}

static void note_gaps(struct report_code_cache *cache, int64_t id, struct probe_codeobj *codeobj)
{
	const struct {
		const char *what;
		struct probe_err **err;
	} parts[] = {
		{"its sites are", &codeobj->sites_err},
		{"its instructions are", &codeobj->kernels_err},
		{"its source lines are", &codeobj->lines_err},
		{"its inlined calls are", &codeobj->inlines_err},
		{"its functions are", &codeobj->functions_err},
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		note_gap(cache, id, parts[i].what, PROBE_KEEP(*parts[i].err));
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

/* What cannot be read is NULL, and noted as a gap; `what`: if it is everything. */
static struct probe_codeobj *inspect(struct report_code_cache *cache, int64_t id, unsigned parts,
				     const char *what)
{
	struct probe_codeobj *codeobj = NULL;
	sqlite3_stmt *stmt;
	size_t size;
	const void *bytes = code_bytes(cache->db, id, &stmt, &size);

	if (bytes)
		note_gap(cache, id, what,
			 probe_codeobj_inspect("code object", bytes, size, parts, &codeobj));
	if (codeobj)
		note_gaps(cache, id, codeobj);
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
	*code = (struct report_code){
		.cache = cache,
		.id = id,
		.codeobj = inspect(cache, id,
				   PROBE_INSPECT_KERNELS | PROBE_INSPECT_LINES |
					   PROBE_INSPECT_FUNCTIONS,
				   "its instructions, source lines and sites are")};
	return codes[cache->count++] = code;
}

struct report_code_cache *report_code_cache_create(sqlite3 *db)
{
	struct report_code_cache *cache = calloc(1, sizeof(*cache));

	if (cache)
		cache->db = db;
	return cache;
}

char *report_code_gaps(const struct report_code_cache *cache)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct report_json json = {.out = out, .compact = true};

	if (!out)
		return NULL;
	report_json_open(&json, '[');
	for (size_t i = 0; i < cache->gap_count && i < GAPS_MAX; i++)
		if (cache->gaps[i])
			report_json_text(&json, cache->gaps[i]);
	report_json_close(&json, ']');
	return fclose(out) ? NULL : text;
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
	if (!known->inlines && known->codeobj)
		known->scopes = inspect(known->cache, known->id, PROBE_INSPECT_INLINES,
					"its inlined calls are");
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
	bytes = code_bytes(code->cache->db, code->id, &stmt, &size);
	if (bytes)
		note_gap(code->cache, code->id, "its instructions are",
			 probe_disassemble("code object", bytes, size, within, &code->disassembly));
	sqlite3_finalize(stmt);
	return code->disassembly;
}

const struct probe_sites *report_code_sites(struct report_code *code)
{
	if (!code->sites_read && code->codeobj)
		code->table = inspect(code->cache, code->id, PROBE_INSPECT_SITES, "its sites are");
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
