/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/record/source_files.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <probe/user_source.h>

#include "cmds/record/process_objects.h"
#include "cmds/options/run_options.h"
#include "cmds/record/recording.h"
#include "codeobj/compiled_sources.h"
#include "codeobj/digest.h"
#include "codeobj/sites.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "common/log.h"
#include "store/store_facts.h"

#define SOURCE_BYTES_MAX (16u << 20)
#define SOURCE_LINE_MAX	 4096u

/* A source position: of a site, or of a call that it was inlined from. */
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

struct text {
	char *bytes;
	size_t size;
	uint64_t modified; /* ns since 1970 */
};

static uint64_t modified(const struct stat *st)
{
	return (uint64_t)st->st_mtim.tv_sec * 1000000000u + (uint64_t)st->st_mtim.tv_nsec;
}

/*
 * Reads a source file if it is regular and not too large. False if it does not exist, which is no
 * error.
 */
static bool read_source(const char *path, struct text *ret)
{
	PROBE_AUTO_CLOSE int fd =
		*path ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY) : -1;
	struct stat st;
	ssize_t got;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > SOURCE_BYTES_MAX)
		return false;
	*ret = (struct text){.bytes = malloc((size_t)st.st_size + 1), .modified = modified(&st)};
	got = ret->bytes ? pread(fd, ret->bytes, (size_t)st.st_size, 0) : -1;
	if (got <= 0) {
		free(ret->bytes);
		return false;
	}
	ret->size = (size_t)got;
	return true;
}

/* Stores lines of one file; the places are sorted by line. */
static void store_lines(struct recording *recording, const struct place *places, size_t count,
			const struct text *source)
{
	size_t size = source->size, pos = 0;
	const char *text = source->bytes;
	uint32_t line = 1;

	for (size_t i = 0; i < count && pos < size;) {
		const char *end = memchr(text + pos, '\n', size - pos);
		size_t len = end ? (size_t)(end - text) - pos : size - pos;

		if (places[i].line == line) {
			probe_facts_source(recording->facts, places[i].file, line, text + pos,
					   len < SOURCE_LINE_MAX ? len : SOURCE_LINE_MAX);
			i++;
		} else if (places[i].line < line) {
			i++; /* skip line 0 and duplicates */
			continue;
		}
		pos += len + 1;
		line++;
	}
}

static void store_whole(struct recording *recording, const char *file, const struct text *source)
{
	uint32_t line = 1;

	for (size_t pos = 0; pos < source->size && line; line++) {
		const char *end = memchr(source->bytes + pos, '\n', source->size - pos);
		size_t len = end ? (size_t)(end - source->bytes) - pos : source->size - pos;

		probe_facts_source(recording->facts, file, line, source->bytes + pos,
				   len < SOURCE_LINE_MAX ? len : SOURCE_LINE_MAX);
		pos += len + 1;
	}
}

/* True if no other code object of the program has sites in this file. */
static bool is_stored(const struct source_files *files, const char *file)
{
	for (size_t i = 0; i < files->count; i++)
		if (!strcmp(files->names[i], file))
			return true;
	return false;
}

static void mark_stored(struct source_files *files, const char *file)
{
	char **names = realloc(files->names, (files->count + 1) * sizeof(*names));

	if (names)
		files->names = names;
	if (names && (names[files->count] = strdup(file)))
		files->count++;
}

/* A header of the system, wherever dots and links lead. */
static bool is_system_header(const char *file)
{
	PROBE_AUTO_FREE char *path = probe_is_user_source(file) ? NULL : realpath(file, NULL);

	return path && !probe_is_user_source(path);
}

/* Debug information can name any file: is this one a source of the program? */
static bool is_source(struct recording *recording, const struct probe_compiled_sources *compiled,
		      const char *file, const struct text *text)
{
	const char *directory = recording->config->source_dir;

	if (is_system_header(file) || (directory && probe_path_is_below(directory, file)) ||
	    probe_compiled_sources_has(compiled, text->bytes, text->size) ||
	    probe_compiled_sources_below(compiled, file))
		return true;
	record_log_put(&recording->log, PROBE_LOG_INFO, "probe-run",
		       "%s is not stored: its content is not what the program was compiled from, "
		       "and it is outside of the directories where that was done; --source-dir "
		       "allows another one",
		       file);
	return false;
}

static void store_file(struct recording *recording, const struct run_code *code,
		       const struct probe_compiled_sources *compiled, const struct place *places,
		       size_t count)
{
	const char *file = places[0].file;
	char hash[PROBE_SHA256_HEX];
	struct text source;

	if (is_stored(&recording->sources, file) || !read_source(file, &source))
		return;
	if (!is_source(recording, compiled, file, &source)) {
		free(source.bytes);
		return;
	}
	if (probe_is_user_source(file)) {
		mark_stored(&recording->sources, file);
		probe_sha256_hex(source.bytes, source.size, hash);
		probe_facts_source_file(recording->facts, file, hash, source.modified,
					code->built && source.modified > code->built);
		store_whole(recording, file, &source);
	} else {
		store_lines(recording, places, count, &source);
	}
	free(source.bytes);
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

void source_files_store(struct recording *recording, const struct run_code *code)
{
	struct probe_compiled_sources *compiled = NULL;
	struct place *places;
	size_t room = 1, count;

	for (uint32_t i = 0; i < code->site_count; i++)
		room += 1ul + code->sites[i].frame_count;
	places = calloc(room, sizeof(*places));
	if (!places)
		return;
	count = list_places(code, places);
	if (count)
		probe_err_destroy(probe_compiled_sources_read("code object", code->bytes,
							      code->hr.bytes, &compiled));
	for (size_t first = 0, i = 1; i <= count; i++) {
		if (i < count && !strcmp(places[first].file, places[i].file))
			continue;
		store_file(recording, code, compiled, places + first, i - first);
		first = i;
	}
	probe_compiled_sources_destroy(compiled);
	free(places);
}

void source_files_deinit(struct source_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->names[i]);
	free(files->names);
	*files = (struct source_files){0};
}

/* ---- The program ----------------------------------------------------------------------------- */

/* Decodes "%20" in a URI; false if it is malformed. */
static bool unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		char hex[3] = "";

		if (*from == '%') {
			if (!isxdigit((unsigned char)from[1]) || !isxdigit((unsigned char)from[2]))
				return false;
			memcpy(hex, from + 1, 2);
			from += 2;
		}
		*to++ = *hex ? (char)strtol(hex, NULL, 16) : *from;
	}
	*to = 0;
	return true;
}

uint64_t source_files_built(const char *uri)
{
	static const char scheme[] = "file://";
	PROBE_AUTO_FREE char *path = NULL;
	struct stat st;

	if (strncmp(uri, scheme, strlen(scheme)))
		return 0;
	uri += strlen(scheme);
	path = strndup(uri, strcspn(uri, "#?"));
	return path && unescape(path) && !stat(path, &st) ? modified(&st) : 0;
}
