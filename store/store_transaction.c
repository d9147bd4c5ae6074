/* SPDX-License-Identifier: MIT */
/* The open transaction: its start, and its end after a failure. store.c commits. */
#include <errno.h>
#include <string.h>

#include "common/err.h"
#include "store/store_priv.h"

const char *probe_store_path(const struct probe_store *store)
{
	/* As the user gave it: relative names have "./" internally only. */
	return strncmp(store->path, "./", 2) ? store->path : store->path + 2;
}

/* The transaction was rolled back: its rows are lost. */
static void lose_pending(struct probe_store *store)
{
	for (int i = 0; i < PROBE_STREAM_IDS; i++) {
		store->streams[i].lost += store->streams[i].pending;
		store->streams[i].pending = 0;
	}
	for (struct probe_rows *rows = store->rows; rows; rows = rows->next)
		probe_rows_drop(rows);
	probe_store_drop_block(store);
	if (!sqlite3_get_autocommit(store->db))
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
	store->open = false;
}

int probe_store_fail(struct probe_store *store, const char *doing)
{
	int system_errno = sqlite3_system_errno(store->db);
	const char *message = sqlite3_errmsg(store->db);

	if (!store->failure) {
		bool append_errno = system_errno && strcmp(strerror(system_errno), message);

		store->failure = probe_err_create(
			"%s: cannot %s: %s%s%s%s; nothing more is stored; the application continues",
			probe_store_path(store), doing, message, append_errno ? " (" : "",
			append_errno ? strerror(system_errno) : "", append_errno ? ")" : "");
	}
	store->broken = true;
	lose_pending(store);
	return -EIO;
}

void probe_store_discard(struct probe_store *store)
{
	lose_pending(store);
	store->broken = false;
	probe_err_destroy(store->failure);
	store->failure = NULL;
}

int probe_store_begin(struct probe_store *store)
{
	if (store->broken)
		return -EIO;
	if (store->open)
		return 0;
	if (sqlite3_exec(store->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK)
		return probe_store_fail(store, "begin a transaction");
	store->open = true;
	store->began_ns = probe_store_now(CLOCK_MONOTONIC);
	return 0;
}
