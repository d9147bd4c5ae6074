/* SPDX-License-Identifier: MIT */
/* Opening databases for reading; see store_open.h. */
#define _GNU_SOURCE
#include "store/store_open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/err.h"
#include "common/progress.h"
#include "store/store.h"

#define HEADER_BYTES 100 /* SQLite file format, section 1.3 */
/* Of processor time, so that a busy machine does not end a report. */
#define DEADLINE_SECS	  8	     /* and up to one more: past_deadline() */
#define BYTES_PER_SEC	  (1u << 20) /* and more of it for larger files */
#define LENGTH_LIMIT	  (1 << 27)  /* of a cell; a code object may be large */
#define DEPTH_LIMIT	  200
#define LIKE_LIMIT	  100		/* one operation, which nothing interrupts */
#define HEAP_LIMIT	  (320ll << 20) /* of SQLite; the longest cell fits twice */
#define LONG_SECS	  600		/* for handlers, and several files at once */
#define LONG_FACTOR	  100
#define HEAP_LIMIT_COPIES (4ll << 30)

struct probe_reader_limit {
	time_t seconds, deadline;
	char *path;
	sqlite3 *memory; /* where json_extract is evaluated */
	sqlite3_stmt *extract;
};

struct header {
	uint64_t page_size, pages, file_size;
	uint32_t user_version, application_id;
};

static uint32_t big32(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

/* Ends messages about a file that is not a database of Probe. */
#define WHICH_FILES "; expected a database of probe-run, such as probe-out/HOST/PID.db"

static struct probe_err *read_header(const char *path, struct header *ret)
{
	unsigned char bytes[HEADER_BYTES];
	struct stat st;
	ssize_t got;
	/* O_NONBLOCK: a FIFO must not block before its type is known. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return probe_err_create("cannot open %s: %s" WHICH_FILES, path, strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return probe_err_create("%s is not a regular file" WHICH_FILES, path);
	}
	got = pread(fd, bytes, sizeof(bytes), 0);
	close(fd);
	if (got != (ssize_t)sizeof(bytes))
		return probe_err_create("%s is not a database: %lld bytes, shorter than a "
					"header" WHICH_FILES,
					path, (long long)st.st_size);
	if (memcmp(bytes, "SQLite format 3", 16))
		return probe_err_create("%s is not an SQLite database" WHICH_FILES, path);
	*ret = (struct header){
		.page_size = (uint32_t)bytes[16] << 8 | bytes[17],
		.pages = big32(bytes + 28),
		.user_version = big32(bytes + 60),
		.application_id = big32(bytes + 68),
		.file_size = (uint64_t)st.st_size,
	};
	if (ret->page_size == 1)
		ret->page_size = 65536;
	return NULL;
}

/* Is there a non-empty write-ahead log? Then the file alone is incomplete. */
static bool has_wal(const char *path)
{
	struct stat st;
	char *wal;
	bool ret;

	if (asprintf(&wal, "%s-wal", path) < 0)
		return true;
	ret = !stat(wal, &st) && st.st_size > 0;
	free(wal);
	return ret;
}

static struct probe_err *check_header(const char *path, const struct header *header, bool wal)
{
	if (header->page_size < 512 || (header->page_size & (header->page_size - 1)))
		return probe_err_create("%s is damaged: page size %llu", path,
					(unsigned long long)header->page_size);
	if (!wal && header->application_id != PROBE_STORE_APPLICATION_ID)
		return probe_err_create("%s is an SQLite database, but not Probe's (application id "
					"%#x, not %#x)" WHICH_FILES,
					path, header->application_id, PROBE_STORE_APPLICATION_ID);
	if (!wal && header->file_size < header->pages * header->page_size)
		return probe_err_create(
			"%s is truncated: %llu bytes of %llu; copy it again, or record again", path,
			(unsigned long long)header->file_size,
			(unsigned long long)(header->pages * header->page_size));
	if (header->user_version > PROBE_STORE_VERSION)
		return probe_err_create("%s was written by a newer Probe: schema %u, this program "
					"reads up to %u; use the probe-report of that version",
					path, header->user_version, PROBE_STORE_VERSION);
	return NULL;
}

/* A URI, because only a URI can request "immutable"; all special bytes are escaped. */
static char *make_uri(const char *path, bool immutable)
{
	char *ret = NULL;
	size_t size;
	FILE *out = open_memstream(&ret, &size);

	if (!out)
		return NULL;
	fputs("file:", out);
	if (path[0] != '/')
		fputs("./", out);
	for (const char *c = path; *c; c++) {
		if (*c == '%' || *c == '?' || *c == '#' || (unsigned char)*c <= ' ')
			fprintf(out, "%%%02x", (unsigned char)*c);
		else
			fputc(*c, out);
	}
	fputs(immutable ? "?mode=ro&immutable=1" : "?mode=ro", out);
	if (fclose(out)) {
		free(ret);
		return NULL;
	}
	return ret;
}

static int past_deadline(void *user)
{
	const struct probe_reader_limit *limit = user;
	struct timespec now;

	probe_progress_tick();
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec > limit->deadline;
}

/*
 * With trusted_schema off, SQLite 3.40 allows only functions marked innocuous in views. It fails to
 * mark json_extract, which ROCpd's views need. This function is marked, and calls the original in
 * an empty database.
 */
static void extract(sqlite3_context *context, int count, sqlite3_value **values)
{
	struct probe_reader_limit *limit = sqlite3_user_data(context);

	(void)count;
	sqlite3_bind_value(limit->extract, 1, values[0]);
	sqlite3_bind_value(limit->extract, 2, values[1]);
	if (sqlite3_step(limit->extract) == SQLITE_ROW)
		sqlite3_result_value(context, sqlite3_column_value(limit->extract, 0));
	else
		sqlite3_result_error(context, sqlite3_errmsg(limit->memory), -1);
	sqlite3_reset(limit->extract);
}

static int allow_json(struct probe_reader *reader)
{
	struct probe_reader_limit *limit = reader->limit;
	int rc = sqlite3_open_v2(":memory:", &limit->memory,
				 SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX,
				 NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_prepare_v2(limit->memory, "SELECT json_extract(?, ?)", -1,
					&limit->extract, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_create_function(reader->db, "json_extract", 2,
					     SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS,
					     limit, extract, NULL, NULL);
	return rc;
}

void probe_reader_harden(struct probe_reader *reader)
{
	struct timespec now;

	sqlite3_db_config(reader->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(reader->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(reader->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(reader->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	sqlite3_limit(reader->db, SQLITE_LIMIT_LENGTH, LENGTH_LIMIT);
	sqlite3_limit(reader->db, SQLITE_LIMIT_EXPR_DEPTH, DEPTH_LIMIT);
	sqlite3_limit(reader->db, SQLITE_LIMIT_LIKE_PATTERN_LENGTH, LIKE_LIMIT);
	sqlite3_limit(reader->db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_exec(reader->db, "PRAGMA cell_size_check = ON; PRAGMA query_only = ON", NULL, NULL,
		     NULL);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	reader->limit->deadline = now.tv_sec + reader->limit->seconds;
	sqlite3_progress_handler(reader->db, 100000, past_deadline, reader->limit);
}

void probe_reader_allow_replay(struct probe_reader *reader)
{
	reader->limit->seconds = LONG_SECS + LONG_FACTOR * reader->limit->seconds;
	probe_reader_harden(reader);
}

void probe_reader_allow_copies(void)
{
	sqlite3_hard_heap_limit64(HEAP_LIMIT_COPIES);
}

static int one_number(struct probe_reader *reader, const char *sql, int64_t *ret)
{
	sqlite3_stmt *stmt;
	int rc = sqlite3_prepare_v2(reader->db, sql, -1, &stmt, NULL);

	if (rc == SQLITE_OK) {
		rc = sqlite3_step(stmt);
		if (rc == SQLITE_ROW)
			*ret = sqlite3_column_int64(stmt, 0);
		rc = rc == SQLITE_ROW || rc == SQLITE_DONE ? SQLITE_OK : rc;
	}
	sqlite3_finalize(stmt);
	return rc;
}

/* The same checks through SQLite: with a write-ahead log the file's own header may be stale. */
static struct probe_err *check_content(const char *path, struct probe_reader *reader)
{
	int64_t id = 0, version = 0, partial = 1;

	if (one_number(reader, "PRAGMA application_id", &id) ||
	    one_number(reader, "PRAGMA user_version", &version))
		return probe_reader_error(reader, "read its header");
	if (id != PROBE_STORE_APPLICATION_ID)
		return probe_err_create("%s is not Probe's (application id %#llx, not %#x)", path,
					(long long)id, PROBE_STORE_APPLICATION_ID);
	if (version < 1 || version > PROBE_STORE_VERSION)
		return probe_err_create("%s has schema %lld; this program reads 1 to %d; record "
					"it again",
					path, (long long)version, PROBE_STORE_VERSION);
	if (one_number(reader, "SELECT value FROM probe_run WHERE key = 'partial'", &partial))
		return probe_reader_error(reader, "read the facts of the run");
	reader->version = (int)version;
	reader->partial = partial != 0;
	return NULL;
}

static struct probe_err *open_database(const char *path, bool wal, struct probe_reader *reader)
{
	char *uri = make_uri(path, !wal);
	int rc;

	if (!uri)
		return probe_err_oom();
	rc = sqlite3_open_v2(uri, &reader->db,
			     SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
	free(uri);
	if (rc != SQLITE_OK)
		return probe_err_create("cannot open %s: %s", path, sqlite3_errstr(rc));
	return NULL;
}

static struct probe_err *open_reader(const char *path, bool wal, struct probe_reader *ret)
{
	PROBE_AUTO(probe_reader_close) struct probe_reader reader = {0};
	struct header header = {0};
	struct probe_err *err = read_header(path, &header);

	if (err)
		return err;
	err = check_header(path, &header, wal);
	if (err)
		return err;
	reader.limit = calloc(1, sizeof(*reader.limit));
	if (!reader.limit)
		return probe_err_oom();
	reader.limit->path = strdup(path);
	if (!reader.limit->path)
		return probe_err_oom();
	reader.limit->seconds = DEADLINE_SECS + (time_t)(header.file_size / BYTES_PER_SEC);
	err = open_database(path, wal, &reader);
	if (err)
		return err;
	sqlite3_hard_heap_limit64(HEAP_LIMIT);
	probe_reader_harden(&reader);
	if (allow_json(&reader) != SQLITE_OK)
		return probe_err_oom();
	err = check_content(path, &reader);
	if (err)
		return err;
	*ret = reader;
	reader = (struct probe_reader){0};
	return NULL;
}

struct probe_err *probe_reader_open(const char *path, struct probe_reader *ret)
{
	return open_reader(path, has_wal(path), ret);
}

struct probe_err *probe_reader_open_alone(const char *path, struct probe_reader *ret)
{
	return open_reader(path, false, ret);
}

struct probe_err *probe_reader_memory(const char *name, struct probe_reader *ret)
{
	struct probe_reader reader = {.version = PROBE_STORE_VERSION};

	reader.limit = calloc(1, sizeof(*reader.limit));
	if (reader.limit) {
		reader.limit->seconds = LONG_SECS;
		reader.limit->path = strdup(name);
	}
	if (!reader.limit || !reader.limit->path ||
	    sqlite3_open_v2(":memory:", &reader.db,
			    SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX,
			    NULL) ||
	    allow_json(&reader)) {
		probe_reader_close(&reader);
		return probe_err_oom();
	}
	*ret = reader;
	return NULL;
}

void probe_reader_close(struct probe_reader *reader)
{
	sqlite3_close(reader->db);
	if (reader->limit) {
		sqlite3_finalize(reader->limit->extract);
		sqlite3_close(reader->limit->memory);
		free(reader->limit->path);
	}
	free(reader->limit);
	*reader = (struct probe_reader){0};
}

struct probe_err *probe_reader_error(const struct probe_reader *reader, const char *doing)
{
	const char *path = reader->limit->path;

	switch (sqlite3_errcode(reader->db)) {
	case SQLITE_INTERRUPT:
		return probe_err_create("%s: cannot %s within %lld seconds of processor time; "
					"giving up",
					path, doing, (long long)reader->limit->seconds);
	case SQLITE_FULL: /* the file itself is only read */
		return probe_err_create("%s: cannot %s: no space for temporary files; TMPDIR names "
					"another directory for them",
					path, doing);
	case SQLITE_TOOBIG:
		return probe_err_create("%s: cannot %s: a cell has more than %d MB", path, doing,
					LENGTH_LIMIT >> 20);
	case SQLITE_NOMEM:
		return probe_err_create(
			"%s: cannot %s: out of memory, of which SQLite may use %lld "
			"MB here; a cell may have %d MB",
			path, doing, sqlite3_hard_heap_limit64(-1) >> 20, LENGTH_LIMIT >> 20);
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return probe_err_create("%s is damaged: cannot %s: %s", path, doing,
					sqlite3_errmsg(reader->db));
	default:
		return probe_err_create("%s: cannot %s: %s", path, doing,
					sqlite3_errmsg(reader->db));
	}
}
