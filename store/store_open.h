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
 * Refuses with a sentence: no regular file, no SQLite database, truncated, not Probe's, newer than
 * this program. Queries may take ten seconds of processor time in all, and one more for each MB of
 * the file; a cell may have 128 MB, and SQLite's memory is limited.
 */
struct probe_err *probe_reader_open(const char *path, struct probe_reader *ret);
/*
 * An empty database in memory that stands for several files; `name` is for messages. To be filled,
 * then hardened like a file by probe_reader_harden().
 */
struct probe_err *probe_reader_memory(const char *name, struct probe_reader *ret);
void probe_reader_harden(struct probe_reader *reader);

/* Between queries handlers work, which have limits of their own: a hundred times as long. */
void probe_reader_allow_replay(struct probe_reader *reader);
/* Tables of several files are going to be copied into memory. */
void probe_reader_allow_copies(void);

void probe_reader_close(struct probe_reader *reader);

/* What went wrong with a query of this database, as a sentence naming the file. */
struct probe_err *probe_reader_error(const struct probe_reader *reader, const char *doing);

#endif
