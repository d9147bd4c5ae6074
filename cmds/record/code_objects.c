/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/record/code_objects.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmds/record/code_sites.h"
#include "cmds/record/process_objects.h"
#include "cmds/record/recording.h"
#include "codeobj/sha256.h"
#include "codeobj/sites.h"
#include "common/err.h"
#include "common/log.h"
#include "store/store_facts.h"

#define CODE_BYTES_MAX	 (1ull << 30) /* an SQLite blob cannot be larger */
#define SOURCE_BYTES_MAX (16u << 20)
#define SOURCE_LINE_MAX	 4096u

/* A place in the source: of a site, or of a call that it was inlined from. */
struct place {
	const char *file;
	uint32_t line;
};

static int by_line(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int order = strcmp(x->file, y->file);

	return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* A source file: regular, not too large. NULL if it is not there, which is no error. */
static char *read_source(const char *path, size_t *size)
{
	int fd = *path ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY) : -1;
	struct stat st;
	char *text = NULL;
	ssize_t got = 0;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= SOURCE_BYTES_MAX)
		text = malloc((size_t)st.st_size + 1);
	if (text)
		got = pread(fd, text, (size_t)st.st_size, 0);
	close(fd);
	if (got <= 0) {
		free(text);
		return NULL;
	}
	*size = (size_t)got;
	return text;
}

/* Places of one file in the order of their lines: its text is read once. */
static void store_lines(struct recording *recording, const struct place *places, size_t count)
{
	size_t size = 0, pos = 0;
	char *text = read_source(places[0].file, &size);
	uint32_t line = 1;

	for (size_t i = 0; text && i < count && pos < size;) {
		const char *end = memchr(text + pos, '\n', size - pos);
		size_t len = end ? (size_t)(end - text) - pos : size - pos;

		if (places[i].line == line) {
			probe_facts_source(recording->facts, places[i].file, line, text + pos,
					   len < SOURCE_LINE_MAX ? len : SOURCE_LINE_MAX);
			i++;
		} else if (places[i].line < line) {
			i++; /* line 0, or named twice */
			continue;
		}
		pos += len + 1;
		line++;
	}
	free(text);
}

static size_t list_places(const struct run_code *code, struct place *places)
{
	size_t count = 0, kept = 0;

	for (uint32_t i = 0; i < code->site_count; i++) {
		const struct probe_site_info *site = &code->sites[i];

		places[count++] = (struct place){site->file, site->line};
		for (unsigned k = 0; k < site->frame_count; k++)
			places[count++] =
				(struct place){site->frames[k].file, site->frames[k].line};
	}
	qsort(places, count, sizeof(*places), by_line);
	for (size_t i = 0; i < count; i++)
		if (!kept || by_line(&places[kept - 1], &places[i]))
			places[kept++] = places[i];
	return kept;
}

static void store_sources(struct recording *recording, const struct run_code *code)
{
	struct place *places;
	size_t room = 1, count;

	for (uint32_t i = 0; i < code->site_count; i++)
		room += 1ul + code->sites[i].frame_count;
	places = calloc(room, sizeof(*places));
	if (!places)
		return;
	count = list_places(code, places);
	for (size_t first = 0, i = 1; i <= count; i++) {
		if (i < count && !strcmp(places[first].file, places[i].file))
			continue;
		store_lines(recording, places + first, i - first);
		first = i;
	}
	free(places);
}

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
	/* Rows that several sites share have no place in the source. */
	for (uint32_t i = 0; i < code->site_count; i++)
		if (!probe_site_is_row(code->sites[i].access) &&
		    code->sites[i].access != PROBE_ACCESS_GROUP)
			probe_facts_site(
				recording->facts, &code->sites[i],
				probe_sites_string(code->table, code->table->sites[i].owner),
				code->table->sites[i].kinds);
	store_uncovered(recording, code);
	store_sources(recording, code);
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

bool run_code_bytes(struct recording *recording, struct run_code *code, uint64_t offset,
		    const unsigned char *bytes, size_t size)
{
	/* Chunks come in order (wire.h): others are malformed, or follow a loss. */
	if (code->complete || offset != code->received || code->hr.bytes > CODE_BYTES_MAX ||
	    size > code->hr.bytes - offset)
		return false;
	if (!code->bytes)
		code->bytes = malloc(code->hr.bytes);
	if (!code->bytes)
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
