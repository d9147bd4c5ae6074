/* SPDX-License-Identifier: MIT */
/*
 * Writing side of the store: one SQLite file per application process, one writer.
 *
 * Everything is written in transactions that the caller's loop ends through probe_store_poll(), so
 * that a kill loses the tail only. The first failure to write (disk full, I/O error) is kept, the
 * open transaction is rolled back, and from then on rows are counted as lost and not tried again:
 * the application must not wait for a disk. All functions of one store are for one thread.
 */
#ifndef PROBE_STORE_STORE_H
#define PROBE_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/cleanup.h"

struct probe_err;
struct probe_store;
struct probe_rows;

#define PROBE_STORE_APPLICATION_ID 0x50524f42 /* "PROB" */
/*
 * 2: tables of PC samples; 3: samples by dispatch; 4: hashes of source files; 5: blocks of trace
 * records; 6: sums of dispatches, ROCpd's schema 3.0.4
 */
#define PROBE_STORE_VERSION 6
/*
 * The oldest version that can be merged with this one: since then only probe_record has changed,
 * and tables were added.
 */
#define PROBE_STORE_VERSION_MERGE_MIN 4

/* Streams of the loss accounting; units are records (rows for counters). */
/* X(NAME, number, "word in the database", "what people read") */
#define PROBE_STREAM_TABLE(X)                                                                      \
	X(HOST, 0, "host", "host records")                                                         \
	X(COUNTERS, 1, "counters", "counter rows")                                                 \
	X(TRACE, 2, "trace", "trace records")                                                      \
	X(SAMPLES, 3, "samples", "samples")

enum probe_stream_id {
#define PROBE_STREAM_ENUM(name, number, word, text) PROBE_STREAM_ID_##name = number,
	PROBE_STREAM_TABLE(PROBE_STREAM_ENUM)
#undef PROBE_STREAM_ENUM
		PROBE_STREAM_IDS = 4,
};

/* stored: committed; pending: in the open transaction; lost: rolled back or refused. */
struct probe_store_stream {
	uint64_t stored, pending, lost;
};

enum probe_cell_type {
	PROBE_CELL_NULL = 0,
	PROBE_CELL_INTEGER = 1,
	PROBE_CELL_REAL = 2,
	PROBE_CELL_TEXT = 3,
	PROBE_CELL_BLOB = 4,
};

struct probe_cell {
	enum probe_cell_type type;
	uint32_t size; /* of text and blobs, bytes */
	union {
		int64_t integer;
		double real;
		const void *bytes;
	};
};

struct probe_cell probe_cell_int(uint64_t value);
struct probe_cell probe_cell_real(double value);
struct probe_cell probe_cell_text(const char *text); /* NULL = SQL NULL */
struct probe_cell probe_cell_text_n(const char *text, size_t len);
struct probe_cell probe_cell_blob(const void *bytes, size_t size);

/* Remove the file and SQLite's files next to it; no error if they do not exist. */
struct probe_err *probe_store_remove(const char *path);
/* Is it a database of Probe, by SQLite's application id? */
bool probe_store_is_probes(const char *path);
/* The file itself, whatever its log: a database of Probe, or one that a recorder began to make. */
bool probe_store_is_begun(const char *path);
/*
 * The same for a file that is a database of Probe, or empty, and that no recorder is writing; an
 * error if it is another one.
 */
struct probe_err *probe_store_replace(const char *path);
struct probe_err *probe_store_check_replace(const char *path);
/* An error if there is any file. */
struct probe_err *probe_store_check_new(const char *path);
/* Can a store be made there? Its directory must exist. Leaves nothing. */
struct probe_err *probe_store_try(const char *path);

/*
 * Make the file `path` (mode 0600, O_EXCL; `force` replaces an older one first) and open it. The
 * schema is made by probe_store_schema(), separately so that a caller can answer in between.
 */
struct probe_err *probe_store_create(const char *path, bool force, struct probe_store **ret);
/* The same in place of what a recorder that died has left, whatever that is. */
struct probe_err *probe_store_create_again(const char *path, struct probe_store **ret);
struct probe_err *probe_store_schema(struct probe_store *store);
bool probe_store_has_schema(const struct probe_store *store);

/*
 * A store over existing records: a copy of an open database in the new file `path`, or the
 * file itself, which the caller has checked (store_open.h). No schema is made.
 */
struct sqlite3;
struct probe_err *probe_store_copy(struct sqlite3 *from, const char *path, bool force,
				   struct probe_store **ret);
struct probe_err *probe_store_append(const char *path, struct probe_store **ret);

/* Accepts NULL. Uncommitted rows are lost. */
void probe_store_destroy(struct probe_store *store);
PROBE_DEFINE_RELEASE(probe_store_release, struct probe_store *, probe_store_destroy)

/* Is it a table or view of Probe's own schema (store/schema), which no handler may write? */
bool probe_store_owns(const char *table);

/* Have SQLite's failed allocations noted (common/memory_watch.h). First thing in a program. */
void probe_store_watch_memory(void);

/* Version of the SQLite library in use. */
const char *probe_store_sqlite_version(void);

const char *probe_store_path(const struct probe_store *store);

/* The first failure, or NULL. Lives as long as the store, or until it is discarded. */
const struct probe_err *probe_store_failure(const struct probe_store *store);

/*
 * Prepare inserting into `table` (a rocpd_ name gets the run's suffix). `columns` is SQL, from the
 * program, never from input; `count` is their number. Up to `batch` rows go into one statement; 1 =
 * each at once, and bytes are not copied. Lives as long as the store. Returns NULL with the store
 * failed.
 */
struct probe_rows *probe_store_rows(struct probe_store *store, const char *table,
				    const char *columns, unsigned count, unsigned batch);

/*
 * For a table whose first column numbers its rows (INTEGER PRIMARY KEY), which only these rows
 * write: batches of the next numbers are appended, in a fifth less time. Arguments as above.
 */
void probe_rows_number(struct probe_rows *rows, const char *table, const char *columns);

/* Add one row. 0, or -EIO once the store has failed. */
int probe_rows_add(struct probe_rows *rows, const struct probe_cell *cells);

/* Add trace bytes to the current row of probe_record, which is written when large, or at a commit.
 */
struct probe_span;
void probe_store_trace(struct probe_store *store, const struct probe_span *span, const void *bytes);

/* Count `units` of a stream, which the rows just added represent. */
void probe_store_count(struct probe_store *store, enum probe_stream_id stream, uint64_t units);
struct probe_store_stream probe_store_stream(const struct probe_store *store,
					     enum probe_stream_id stream);

/*
 * Call `wait` (NULL: nothing) every few milliseconds while another program has locked the file. It
 * must not use the store.
 */
void probe_store_on_busy(struct probe_store *store, void (*wait)(void *user), void *user);

/*
 * Called in each iteration of the caller's loop: commits if the transaction is old enough; with
 * `quiet` (nothing else to do) earlier. `before` (may be NULL) is called inside the transaction
 * just before.
 */
void probe_store_poll(struct probe_store *store, bool quiet, void (*before)(void *user),
		      void *user);
bool probe_store_commit(struct probe_store *store);
/* Undo what was added since the last commit, and forget a failure: the store can be written again. */
void probe_store_discard(struct probe_store *store);

/*
 * Fold the write-ahead log into the file, so that one file is left. False if something was not
 * committed, the disk is full, or another program goes on reading: then "<path>-wal" belongs to the
 * database.
 */
bool probe_store_finish(struct probe_store *store);
/* The same for a file to which more will be added (probe_store_append()). */
bool probe_store_fold(struct probe_store *store);
/* What a writer that was killed had left to do in the file: leaves a single one. */
struct probe_err *probe_store_settle(const char *path);

/*
 * After a failure: allow a final attempt to write a few small rows (the accounting, why the run is
 * partial). No effect on a healthy store.
 */
void probe_store_final_attempt(struct probe_store *store);

/* Facts of the run and counts of the loss accounting; the last value is kept. */
void probe_store_set(struct probe_store *store, const char *key, const char *value);
void probe_store_set_int(struct probe_store *store, const char *key, int64_t value);
void probe_store_account(struct probe_store *store, const char *stream, const char *name,
			 uint64_t value);
void probe_store_log(struct probe_store *store, int level, const char *origin, const char *text);

/* Run one statement of the program's own (DDL); 0, -EINVAL if SQLite refuses it, or -EIO. */
int probe_store_exec(struct probe_store *store, const char *sql);

#endif
