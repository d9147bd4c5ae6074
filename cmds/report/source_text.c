/* SPDX-License-Identifier: MIT */
/*
 * Source lines that the database lacks, from their files. Paths come from debug information, which
 * anybody may have made: only regular files are opened, with --source-dir only those below it, and
 * without it only those with an MD5 that a code object of the database has.
 */
#define _GNU_SOURCE
#include "cmds/report/source_text.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmds/report/report_options.h"
#include "codeobj/compiled_sources.h"
#include "common/err.h"
#include "common/log.h"

#define SOURCE_BYTES_MAX (16 << 20)
/* Each is read in a child process of its own. */
#define CODE_OBJECTS_MAX 64

/* The longest suffix of `file` that exists below the root, resolved; "" if none. */
static bool resolve(const char *root, const char *file, char out[PATH_MAX])
{
	char real_root[PATH_MAX], *joined;
	size_t len;

	if (!realpath(root, real_root))
		return false;
	len = strlen(real_root);
	for (const char *end = file; end && *end; end = strchr(end, '/')) {
		bool ok = false;

		while (*end == '/')
			end++;
		if (!*end || asprintf(&joined, "%s/%s", real_root, end) < 0)
			return false;
		/* Symbolic links and ".." may leave the root: the resolved path is checked. */
		if (strlen(joined) < PATH_MAX && realpath(joined, out))
			ok = !strncmp(out, real_root, len) && (out[len] == '/' || len == 1);
		free(joined);
		if (ok)
			return true;
	}
	return false;
}

static FILE *open_regular(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);
	struct stat st;
	FILE *file = NULL;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= SOURCE_BYTES_MAX)
		file = fdopen(fd, "r");
	if (!file)
		close(fd);
	return file;
}

/* The file that was read last, because lines are requested one after the other. */
static struct {
	char *file; /* path as requested */
	char *text; /* NULL if it does not exist */
	size_t size;
	/* The line that was requested last, and its text; reports go down a file. */
	int64_t line;
	const char *at;
	char hash[PROBE_SHA256_HEX];	 /* "" before it is needed */
	enum { UNKNOWN, YES, NO } shown; /* may it be? */
} last;

void report_source_forget(void)
{
	free(last.file);
	free(last.text);
	last.file = last.text = NULL;
	last.line = 0;
	last.shown = UNKNOWN;
	*last.hash = 0;
}

/* Takes ownership of `err`. Once: the next files meet the same code objects. */
static void warn_unread(struct probe_err *err)
{
	static bool warned;
	char why[512];

	if (err && !warned) {
		probe_err_format(err, why, sizeof(why));
		probe_log(PROBE_LOG_WARNING,
			  "source text may be missing: it cannot be compared with what the "
			  "program was compiled from: %s",
			  why);
	}
	warned |= err != NULL;
	probe_err_destroy(err);
}

/* Is the file last read one that a code object of the database was compiled from? */
static bool is_compiled(sqlite3 *db)
{
	sqlite3_stmt *stmt = NULL;
	bool found = false;

	if (sqlite3_prepare_v2(db, "SELECT bytes FROM probe_code GROUP BY hash LIMIT ?", -1, &stmt,
			       NULL))
		return false;
	sqlite3_bind_int(stmt, 1, CODE_OBJECTS_MAX);
	while (!found && sqlite3_step(stmt) == SQLITE_ROW) {
		struct probe_compiled_sources *sources = NULL;
		const void *bytes = sqlite3_column_blob(stmt, 0);

		if (bytes)
			warn_unread(probe_compiled_sources_read(
				"code object", bytes, (size_t)sqlite3_column_bytes(stmt, 0),
				&sources));
		found = probe_compiled_sources_has(sources, last.text, last.size);
		probe_compiled_sources_destroy(sources);
	}
	sqlite3_finalize(stmt);
	return found;
}

static void read_file(const struct report *report, const char *file)
{
	char path[PATH_MAX];
	FILE *in = NULL;

	report_source_forget();
	last.file = strdup(file);
	if (!report->source_root)
		in = open_regular(file);
	else if (resolve(report->source_root, file, path))
		in = open_regular(path);
	if (!in)
		return;
	last.text = malloc(SOURCE_BYTES_MAX);
	if (last.text)
		last.size = fread(last.text, 1, SOURCE_BYTES_MAX, in);
	fclose(in);
	if (report->source_root)
		last.shown = YES;
}

bool report_source_hash(const struct report *report, const char *file, char hash[PROBE_SHA256_HEX])
{
	if (!last.file || strcmp(last.file, file))
		read_file(report, file);
	if (!last.text)
		return false;
	if (!*last.hash)
		probe_sha256_hex(last.text, last.size, last.hash);
	strcpy(hash, last.hash);
	return true;
}

/* Where a line of the file last read begins; NULL after its last one. */
static const char *find_line(int64_t line)
{
	const char *at = last.text, *end = last.text + last.size;
	int64_t now = 1;

	if (last.line && last.line <= line) {
		at = last.at;
		now = last.line;
	}
	for (; now < line && at; now++) {
		at = memchr(at, '\n', (size_t)(end - at));
		at = at ? at + 1 : NULL;
	}
	if (!at || at >= end)
		return NULL;
	last.line = line;
	last.at = at;
	return at;
}

char *report_source_text(const struct report *report, sqlite3 *db, const char *file, int64_t line)
{
	const char *at, *end, *newline;

	if (line < 1)
		return NULL;
	if (!last.file || strcmp(last.file, file))
		read_file(report, file);
	if (last.text && last.shown == UNKNOWN)
		last.shown = is_compiled(db) ? YES : NO;
	if (!last.text || last.shown != YES)
		return NULL;
	at = find_line(line);
	if (!at)
		return NULL;
	end = last.text + last.size;
	newline = memchr(at, '\n', (size_t)(end - at));
	return strndup(at, (size_t)((newline ? newline : end) - at));
}
