/* SPDX-License-Identifier: MIT */
/*
 * Code objects: their bytes as they arrive, then what handlers and reports need of them - hash,
 * site table, the text of the source lines that sites name.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codeobj/sha256.h"
#include "codeobj/sites.h"
#include "common/elf_section.h"
#include "common/err.h"
#include "common/log.h"
#include "cmds/record/kernel_names.h"
#include "cmds/record/run_session.h"

#define CODE_BYTES_MAX	 (1ull << 30) /* an SQLite blob ends there too */
#define SOURCE_BYTES_MAX (16u << 20)
#define SOURCE_LINE_MAX	 4096u

/* Functions a table names: one per site, then one per frame, then one per uncovered access. */
static size_t function_count(const struct probe_sites *table)
{
	return (size_t)table->site_count + table->frame_count + table->uncovered_count;
}

/* Debug information names functions as the linker does; handlers and reports want them readable. */
static char **read_functions(const struct probe_sites *table)
{
	const char **symbols = calloc(function_count(table) + 1, sizeof(*symbols));
	char **ret = NULL;
	size_t n = 0;

	if (!symbols)
		return NULL;
	for (uint32_t i = 0; i < table->site_count; i++)
		symbols[n++] = probe_sites_string(table, table->sites[i].function);
	for (uint32_t i = 0; i < table->frame_count; i++)
		symbols[n++] = probe_sites_string(table, table->frames[i].function);
	for (uint32_t i = 0; i < table->uncovered_count; i++)
		symbols[n++] = probe_sites_string(table, table->uncovered_list[i].function);
	ret = run_names_demangle(symbols, n);
	free(symbols);
	return ret;
}

void run_code_destroy(struct run_code *code)
{
	if (!code)
		return;
	free(code->bytes);
	run_groups_destroy(code->groups);
	if (code->sites)
		for (uint32_t i = 0; i < code->site_count; i++)
			free((void *)code->sites[i].frames);
	free(code->sites);
	if (code->functions)
		run_names_destroy(code->functions, function_count(code->table));
	probe_sites_destroy(code->table);
	free(code);
}

static bool fill_site(const struct run_code *code, uint32_t id, struct probe_site_info *ret)
{
	const struct probe_sites *table = code->table;
	const struct probe_site *site = &table->sites[id];
	struct probe_frame_info *frames = NULL;

	if (site->frame_count)
		frames = calloc(site->frame_count, sizeof(*frames));
	if (site->frame_count && !frames)
		return false;
	for (unsigned i = 0; i < site->frame_count; i++) {
		const struct probe_site_frame *frame = &table->frames[site->first_frame + i];

		frames[i] = (struct probe_frame_info){
			.file = probe_sites_string(table, frame->file),
			.function = code->functions[table->site_count + site->first_frame + i],
			.line = frame->line,
			.column = frame->column,
		};
	}
	*ret = (struct probe_site_info){
		.size = sizeof(*ret),
		.id = id,
		.code_object = code->hr.id,
		.line = site->line,
		.column = site->column,
		.access = site->access,
		.space = site->space,
		.bytes = site->size,
		.unit = site->unit,
		.frame_count = site->frame_count,
		.align = probe_site_is_mark(site->access) ? 0 : site->align,
		.file = probe_sites_string(table, site->file),
		.function = code->functions[id],
		.frames = frames,
		.name = probe_site_is_mark(site->access) && site->access != PROBE_ACCESS_FUNCTION
				? probe_sites_string(table, site->name)
				: "",
	};
	return true;
}

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

/* Places of one file in the order of their lines: walk its text once. */
static void store_lines(struct run_session *session, const struct place *places, size_t count)
{
	size_t size = 0, pos = 0;
	char *text = read_source(places[0].file, &size);
	uint32_t line = 1;

	for (size_t i = 0; text && i < count && pos < size;) {
		const char *end = memchr(text + pos, '\n', size - pos);
		size_t len = end ? (size_t)(end - text) - pos : size - pos;

		if (places[i].line == line) {
			probe_facts_source(session->facts, places[i].file, line, text + pos,
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

static void store_sources(struct run_session *session, const struct run_code *code)
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
		store_lines(session, places + first, i - first);
		first = i;
	}
	free(places);
}

static void take_sites(struct run_code *code)
{
	struct probe_site_info *sites = calloc(code->table->site_count + 1, sizeof(*sites));
	uint32_t count = 0;

	code->functions = read_functions(code->table);
	while (sites && code->functions && count < code->table->site_count &&
	       fill_site(code, count, &sites[count]))
		count++;
	code->sites = sites;
	code->site_count = count;
	code->groups = run_groups_create(code->table);
}

static void store_uncovered(struct run_session *session, const struct run_code *code)
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

		probe_facts_uncovered(session->facts, code->hr.id, i, &row);
	}
}

static void store_sites(struct run_session *session, const struct run_code *code)
{
	/* Rows that several sites share are no places in the source. */
	for (uint32_t i = 0; i < code->site_count; i++)
		if (!probe_site_is_row(code->sites[i].access) &&
		    code->sites[i].access != PROBE_ACCESS_GROUP)
			probe_facts_site(
				session->facts, &code->sites[i],
				probe_sites_string(code->table, code->table->sites[i].owner),
				code->table->sites[i].kinds);
	store_uncovered(session, code);
	store_sources(session, code);
}

/* The table is read in this process: bounded reads of one section, no library (elf_section.h). */
struct probe_err *run_code_read(struct run_code *code, const unsigned char *bytes)
{
	const uint8_t *section = NULL;
	struct probe_err *err;
	char name[40];
	size_t size = 0;

	snprintf(name, sizeof(name), "code object %u", code->hr.id);
	err = probe_image_section(name, bytes, code->hr.bytes, ".probe_sites", &section, &size);
	if (!err && section)
		err = probe_sites_parse(name, section, size, &code->table);
	if (!err && code->table)
		take_sites(code);
	return err;
}

static void inspect(struct run_session *session, struct run_code *code)
{
	struct probe_err *err;

	probe_sha256_hex(code->bytes, code->hr.bytes, code->hash);
	probe_facts_code_bytes(session->facts, code->hr.id, code->hash, code->bytes,
			       code->hr.bytes);
	err = run_code_read(code, code->bytes);
	if (err) {
		char text[512];

		probe_err_format(err, text, sizeof(text));
		run_session_log(session, PROBE_LOG_WARNING, "probe-run", "no sites: %s", text);
		probe_err_destroy(err);
	} else if (code->sites) {
		store_sites(session, code);
	}
}

bool run_code_bytes(struct run_session *session, struct run_code *code, uint64_t offset,
		    const unsigned char *bytes, size_t size)
{
	/* Chunks come in order (wire.h): anything else is a lie or a loss, and shows as one. */
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
	inspect(session, code);
	free(code->bytes);
	code->bytes = NULL;
	return true;
}
