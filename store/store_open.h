/* SPDX-License-Identifier: MIT */
/*
 * Opening a database that is not trusted: read-only, checked before the first query, with limits on
 * what queries may use.
 */
#ifndef PROBE_STORE_STORE_OPEN_H
#define PROBE_STORE_STORE_OPEN_H

#include <stdbool.h>

#include <sqlite3.h>

struct probe_err;

struct probe_reader {
	sqlite3 *db;
	int version;  /* of Probe's tables */
	bool partial; /* the run did not end cleanly, or data were lost */
	struct probe_reader_limit *limit;
};

/*
 * Fails if the file is not a regular file, not an SQLite database, truncated, not Probe's, or newer
 * than this program. Queries are limited to ten seconds of processor time in total, plus one per MB
 * of the file. A cell is limited to 128 MB, and SQLite's memory is limited as well.
 */
struct probe_err *probe_reader_open(const char *path, struct probe_reader *ret);
/* The same without its write-ahead log, which may be another file's. */
struct probe_err *probe_reader_open_alone(const char *path, struct probe_reader *ret);
/*
 * An empty database in memory, to be filled from several files; `name` is for messages. Once
 * filled, call probe_reader_harden() as for a file.
 */
struct probe_err *probe_reader_memory(const char *name, struct probe_reader *ret);
void probe_reader_harden(struct probe_reader *reader);

/*
 * Allow a hundred times the processor time: during a replay, handlers work between queries, with
 * limits of their own.
 */
void probe_reader_allow_replay(struct probe_reader *reader);
/* Allow tables of several files to be copied into memory. */
void probe_reader_allow_copies(void);

void probe_reader_close(struct probe_reader *reader);

/* The error of the last query, as a sentence that names the file. */
struct probe_err *probe_reader_error(const struct probe_reader *reader, const char *doing)
	__attribute__((returns_nonnull));

#endif
