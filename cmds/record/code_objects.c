/* SPDX-License-Identifier: MIT */
#include "cmds/record/code_objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmds/record/code_sites.h"
#include "cmds/record/process_objects.h"
#include "cmds/record/recording.h"
#include "cmds/record/source_files.h"
#include "codeobj/digest.h"
#include "codeobj/sites.h"
#include "common/err.h"
#include "common/log.h"
#include "store/store_facts.h"

#define CODE_BYTES_MAX (1ull << 30) /* an SQLite blob cannot be larger */

static void store_uncovered(struct recording *recording, const struct run_code *code)
{
	const struct probe_sites *table = code->table;
	size_t names = (size_t)table->site_count + table->frame_count;

	for (uint32_t i = 0; code->functions && i < table->uncovered_count; i++) {
		const struct probe_site_uncovered *from = &table->uncovered_list[i];
		struct probe_facts_uncovered row = {
			.file = probe_sites_string(table, from->file),
			.function = code->functions[names + i],
			.what = probe_sites_string(table, from->what),
			.text = probe_uncovered_text(from->reason),
			.line = from->line,
			.column = from->column,
			.reason = from->reason,
		};

		probe_facts_uncovered(recording->facts, code->hr.id, i, &row);
	}
}

static void store_sites(struct recording *recording, const struct run_code *code)
{
	/* Counter rows that several sites share have no position in the source. */
	for (uint32_t i = 0; i < code->site_count; i++)
		if (!probe_site_is_row(code->sites[i].access) &&
		    code->sites[i].access != PROBE_ACCESS_GROUP)
			probe_facts_site(
				recording->facts, &code->sites[i],
				probe_sites_string(code->table, code->table->sites[i].owner),
				code->table->sites[i].kinds);
	store_uncovered(recording, code);
	source_files_store(recording, code);
}

static void inspect(struct recording *recording, struct run_code *code)
{
	struct probe_err *err;

	probe_sha256_hex(code->bytes, code->hr.bytes, code->hash);
	probe_facts_code_bytes(recording->facts, code->hr.id, code->hash, code->bytes,
			       code->hr.bytes);
	err = run_code_read(code, code->bytes);
	if (err) {
		char text[512];

		probe_err_format(err, text, sizeof(text));
		record_log_put(&recording->log, PROBE_LOG_WARNING, "probe-run", "no sites: %s",
			       text);
		probe_err_destroy(err);
	} else if (code->sites) {
		store_sites(recording, code);
	}
}

/* Grows with the bytes that have arrived: the announced size may be wrong. */
static bool grow_bytes(struct run_code *code, uint64_t size)
{
	uint64_t capacity = 2 * size < code->hr.bytes ? 2 * size : code->hr.bytes;
	unsigned char *grown;

	if (code->bytes && size <= code->capacity)
		return true;
	grown = realloc(code->bytes, capacity ? capacity : 1);
	if (!grown)
		return false;
	code->bytes = grown;
	code->capacity = capacity;
	return true;
}

bool run_code_bytes(struct recording *recording, struct run_code *code, uint64_t offset,
		    const unsigned char *bytes, size_t size)
{
	/* Chunks arrive in order (wire.h). Others are malformed, or follow a loss. */
	if (code->complete || offset != code->received || code->hr.bytes > CODE_BYTES_MAX ||
	    size > code->hr.bytes - offset)
		return false;
	if (!grow_bytes(code, offset + size))
		return false;
	memcpy(code->bytes + offset, bytes, size);
	code->received += size;
	if (code->received < code->hr.bytes)
		return true;
	code->complete = true;
	inspect(recording, code);
	free(code->bytes);
	code->bytes = NULL;
	return true;
}
