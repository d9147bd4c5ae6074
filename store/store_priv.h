/* SPDX-License-Identifier: MIT */
/* Internals of the writing store, shared by store*.c. */
#ifndef PROBE_STORE_STORE_PRIV_H
#define PROBE_STORE_STORE_PRIV_H

#include <time.h>

#include <sqlite3.h>

#include "store/record_block.h"
#include "store/row_source.h"
#include "store/store.h"

/*
 * How long to wait for another program that has locked the file. Meanwhile records accumulate
 * elsewhere (probe_store_on_busy()).
 */
#define PROBE_STORE_BUSY_MS   (10 * 60 * 1000)
#define PROBE_STORE_FINISH_MS 5000

/* Buffered rows of one table. */
struct probe_rows {
	struct probe_rows *next;
	struct probe_store *store;
	sqlite3_stmt *insert;
	sqlite3_stmt *append;		/* for rows whose ids are the next ones; NULL = not used */
	char name[32];			/* of `source`, in SQL */
	int64_t last;			/* with `append`: the largest id */
	struct probe_row_source source; /* what they read if rows are batched */
	unsigned columns, batch, count;
	struct probe_cell *cells; /* batch * columns */
	char *arena;		  /* copies of text and blobs of buffered rows */
	size_t used;
};

struct probe_store {
	sqlite3 *db;
	char *path;
	char guid[40];	 /* with dashes */
	char suffix[40]; /* "_" and the guid with underscores */
	struct probe_err *failure;
	bool broken; /* failed, and no final attempt is allowed */
	bool open;   /* in a transaction */
	uint64_t began_ns;
	void (*wait)(void *user); /* while the file is locked; NULL = none */
	void *wait_user;
	uint64_t busy_ns; /* since when */
	struct probe_store_stream streams[PROBE_STREAM_IDS];
	struct probe_rows *rows; /* list */
	unsigned sources;	 /* row sources registered so far */
	struct probe_rows *set, *account, *log;
	struct probe_block block;   /* trace bytes that are not in a row yet */
	struct probe_rows *records; /* of probe_record; NULL until the first */
	void *zstd;		    /* ZSTD_CCtx; NULL until the first row */
};

/* store_file.c */
struct probe_err *probe_store_make_file(const char *path);
struct probe_err *probe_store_check_unused(const char *path);

/* store_records.c: write the row of the current block; free it. */
int probe_store_flush_block(struct probe_store *store);
void probe_store_free_block(struct probe_store *store);

/* store_transaction.c */
int probe_store_begin(struct probe_store *store);
/* Record the first failure and roll back: pending rows are lost. Returns -EIO. */
int probe_store_fail(struct probe_store *store, const char *doing);

/* store_rows.c */
int probe_rows_flush(struct probe_rows *rows);
void probe_rows_destroy(struct probe_rows *rows);

/* Discard the buffered rows. */
static inline void probe_rows_drop(struct probe_rows *rows)
{
	rows->count = 0;
	rows->used = 0;
}

/* Empty the block. */
static inline void probe_store_drop_block(struct probe_store *store)
{
	store->block.size = 0;
	store->block.span_count = 0;
}

static inline uint64_t probe_store_now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* store_schema.c */
void probe_guid_make(char guid[40]);
char *probe_sql_expand(const char *sql, const char *suffix, const char *guid);

#endif
