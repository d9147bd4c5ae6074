/* SPDX-License-Identifier: MIT */
/* Insides of the writing store, shared by store*.c. */
#ifndef PROBE_STORE_STORE_PRIV_H
#define PROBE_STORE_STORE_PRIV_H

#include <sqlite3.h>

#include "store/store.h"

struct probe_store {
	sqlite3 *db;
	char *path;
	char guid[40];	 /* with dashes */
	char suffix[40]; /* "_" and the guid with underscores */
	struct probe_err *failure;
	bool broken; /* a failure happened and last words are not allowed */
	bool open;   /* in a transaction */
	uint64_t began_ns;
	struct probe_store_stream streams[PROBE_STREAM_IDS];
	struct probe_rows *rows; /* list */
	struct probe_rows *set, *account, *log;
};

/* store.c */
int probe_store_begin(struct probe_store *store);
int probe_store_fail(struct probe_store *store, const char *doing);

/* store_rows.c */
int probe_rows_flush(struct probe_rows *rows);
void probe_rows_drop(struct probe_rows *rows); /* forget what is buffered */
void probe_rows_destroy(struct probe_rows *rows);
struct probe_rows *probe_rows_next(const struct probe_rows *rows);

/* store_schema.c */
void probe_guid_make(char guid[40]);
char *probe_sql_expand(const char *sql, const char *suffix, const char *guid);

/* words_view.c */
extern const char probe_sql_words_view[];

#endif
