/* SPDX-License-Identifier: MIT */
/* The writing store: file, transactions, failure; see store.h. */
#define _GNU_SOURCE
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/err.h"
#include "common/memory_watch.h"
#include "store/store_priv.h"
#include "store/store_sql.h"

#define COMMIT_NS	 500000000ull
#define COMMIT_QUIET_NS	 20000000ull
#define CHECKPOINT_PAGES "8000"
#define CACHE_KIB	 "16000" /* what a transaction writes: pages that do not fit are read again */

/* An absolute path cannot be mistaken for ":memory:" or a URI. */
static char *plain_path(const char *path)
{
	char *ret;

	if (path[0] == '/')
		return strdup(path);
	return asprintf(&ret, "./%s", path) < 0 ? NULL : ret;
}

static struct probe_err *open_made(const char *path, struct probe_store **ret)
{
	PROBE_AUTO(probe_store_release) struct probe_store *store = calloc(1, sizeof(*store));
	int rc;

	if (!store)
		return probe_err_oom();
	store->path = plain_path(path);
	if (!store->path)
		return probe_err_oom();
	probe_guid_make(store->guid);
	store->suffix[0] = '_';
	for (size_t i = 0; store->guid[i]; i++)
		store->suffix[i + 1] = store->guid[i] == '-' ? '_' : store->guid[i];
	rc = sqlite3_open_v2(store->path, &store->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
			     NULL);
	if (rc != SQLITE_OK)
		return probe_err_create("cannot open %s: %s", path, sqlite3_errstr(rc));
	sqlite3_busy_timeout(store->db, PROBE_STORE_BUSY_MS);
	*ret = PROBE_KEEP(store);
	return NULL;
}

/* No file without tables stays if it cannot be opened. */
static struct probe_err *open_new(const char *path, struct probe_store **ret)
{
	struct probe_err *err = probe_store_make_file(path);

	if (err)
		return err;
	err = open_made(path, ret);
	if (err)
		unlink(path);
	return err;
}

struct probe_err *probe_store_create(const char *path, bool force, struct probe_store **ret)
{
	struct probe_err *err = force ? probe_store_replace(path) : NULL;

	return err ? err : open_new(path, ret);
}

struct probe_err *probe_store_create_again(const char *path, struct probe_store **ret)
{
	struct probe_err *err = probe_store_check_unused(path);

	err = err ? err : probe_store_remove(path);
	return err ? err : open_new(path, ret);
}

static int on_busy(void *user, int count)
{
	const struct timespec interval = {.tv_nsec = 5000000};
	struct probe_store *store = user;
	uint64_t now = probe_store_now(CLOCK_MONOTONIC);

	if (!count)
		store->busy_ns = now;
	if (now - store->busy_ns > PROBE_STORE_BUSY_MS * 1000000ull)
		return 0;
	if (store->wait)
		store->wait(store->wait_user);
	nanosleep(&interval, NULL);
	return 1;
}

void probe_store_on_busy(struct probe_store *store, void (*wait)(void *user), void *user)
{
	store->wait = wait;
	store->wait_user = user;
	sqlite3_busy_handler(store->db, on_busy, store);
}

static int exec(struct probe_store *store, const char *sql)
{
	return sqlite3_exec(store->db, sql, NULL, NULL, NULL);
}

static bool make_schema(struct probe_store *store)
{
	static const char *const parts[] = {probe_sql_rocpd_tables, probe_sql_rocpd_views,
					    probe_sql_rpd_views, probe_sql_probe_tables,
					    probe_sql_words_view};

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		char *sql = probe_sql_expand(parts[i], store->suffix, store->guid);
		int rc = sql ? exec(store, sql) : SQLITE_NOMEM;

		free(sql);
		if (rc != SQLITE_OK)
			return false;
	}
	return true;
}

struct probe_err *probe_store_schema(struct probe_store *store)
{
	char pragma[128];

	/* No fsync until the first row: an empty file need not survive a crash. Then NORMAL. */
	snprintf(pragma, sizeof(pragma), "PRAGMA application_id = %d; PRAGMA user_version = %d;",
		 PROBE_STORE_APPLICATION_ID, PROBE_STORE_VERSION);
	if (exec(store, "PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL; BEGIN;") ||
	    exec(store, pragma) || !make_schema(store) ||
	    exec(store, "COMMIT; PRAGMA synchronous = NORMAL; "
			"PRAGMA wal_autocheckpoint = " CHECKPOINT_PAGES
			"; PRAGMA cache_size = -" CACHE_KIB ";")) {
		probe_store_fail(store, "create the tables");
		return probe_err_create("%s: cannot create the tables: %s", store->path,
					sqlite3_errmsg(store->db));
	}
	store->set = probe_store_rows(store, "probe_run", "key, value", 2, 1);
	store->account = probe_store_rows(store, "probe_account", "stream, name, value", 3, 1);
	store->log = probe_store_rows(store, "probe_log", "time, level, origin, text", 4, 1);
	probe_store_set(store, "guid", store->guid);
	return NULL;
}

bool probe_store_has_schema(const struct probe_store *store)
{
	return store->set != NULL;
}

const struct probe_err *probe_store_failure(const struct probe_store *store)
{
	return store->failure;
}

static int commit(struct probe_store *store)
{
	if (probe_store_flush_block(store))
		return -EIO;
	for (struct probe_rows *rows = store->rows; rows; rows = rows->next)
		if (probe_rows_flush(rows))
			return -EIO;
	if (exec(store, "COMMIT") != SQLITE_OK)
		return probe_store_fail(store, "commit");
	store->open = false;
	for (int i = 0; i < PROBE_STREAM_IDS; i++) {
		store->streams[i].stored += store->streams[i].pending;
		store->streams[i].pending = 0;
	}
	return 0;
}

void probe_store_poll(struct probe_store *store, bool quiet, void (*before)(void *user), void *user)
{
	uint64_t age;

	if (!store->open || store->broken)
		return;
	age = probe_store_now(CLOCK_MONOTONIC) - store->began_ns;
	if (age < (quiet ? COMMIT_QUIET_NS : COMMIT_NS))
		return;
	if (before)
		before(user);
	if (store->open)
		commit(store);
}

bool probe_store_commit(struct probe_store *store)
{
	if (store->broken)
		return false;
	return !store->open || !commit(store);
}

static void free_rows(struct probe_store *store)
{
	while (store->rows) {
		struct probe_rows *rows = store->rows;

		store->rows = rows->next;
		probe_rows_destroy(rows);
	}
}

bool probe_store_fold(struct probe_store *store)
{
	if (store->broken || store->open)
		return false;
	free_rows(store);
	store->broken = true; /* the prepared inserts no longer exist */
	/* All is committed: another program that goes on reading the file is not waited for. */
	sqlite3_busy_timeout(store->db, PROBE_STORE_FINISH_MS);
	return exec(store, "PRAGMA wal_checkpoint(TRUNCATE)") == SQLITE_OK;
}

/* Readable where nothing can be written. */
static bool leave_plain(struct probe_store *store)
{
	return exec(store, "PRAGMA journal_mode = DELETE") == SQLITE_OK;
}

bool probe_store_finish(struct probe_store *store)
{
	return probe_store_fold(store) && leave_plain(store);
}

void probe_store_count(struct probe_store *store, enum probe_stream_id stream, uint64_t units)
{
	if (store->broken)
		store->streams[stream].lost += units;
	else
		store->streams[stream].pending += units;
}

struct probe_store_stream probe_store_stream(const struct probe_store *store,
					     enum probe_stream_id stream)
{
	return store->streams[stream];
}

void probe_store_final_attempt(struct probe_store *store)
{
	store->broken = false;
}

void probe_store_set(struct probe_store *store, const char *key, const char *value)
{
	struct probe_cell cells[] = {probe_cell_text(key), probe_cell_text(value)};

	probe_rows_add(store->set, cells);
}

void probe_store_set_int(struct probe_store *store, const char *key, int64_t value)
{
	struct probe_cell cells[] = {probe_cell_text(key), probe_cell_int((uint64_t)value)};

	probe_rows_add(store->set, cells);
}

void probe_store_account(struct probe_store *store, const char *stream, const char *name,
			 uint64_t value)
{
	struct probe_cell cells[] = {probe_cell_text(stream), probe_cell_text(name),
				     probe_cell_int(value)};

	probe_rows_add(store->account, cells);
}

void probe_store_log(struct probe_store *store, int level, const char *origin, const char *text)
{
	struct probe_cell cells[] = {probe_cell_int(probe_store_now(CLOCK_BOOTTIME)),
				     probe_cell_int((uint64_t)level), probe_cell_text(origin),
				     probe_cell_text(text)};

	probe_rows_add(store->log, cells);
}

int probe_store_exec(struct probe_store *store, const char *sql)
{
	int err = probe_store_begin(store);

	if (err)
		return err;
	switch (exec(store, sql)) {
	case SQLITE_OK:
		return 0;
	case SQLITE_ERROR:
		return -EINVAL; /* SQL error: the transaction remains open */
	default:
		return probe_store_fail(store, "run a statement");
	}
}

static void note(void *user, int code, const char *message)
{
	(void)user;
	(void)message;
	if (code == SQLITE_NOMEM)
		probe_memory_note_failure();
}

void probe_store_watch_memory(void)
{
	sqlite3_config(SQLITE_CONFIG_LOG, note, NULL);
}

const char *probe_store_sqlite_version(void)
{
	return sqlite3_libversion();
}

void probe_store_destroy(struct probe_store *store)
{
	if (!store)
		return;
	free_rows(store);
	probe_store_free_block(store);
	sqlite3_close(store->db);
	probe_err_destroy(store->failure);
	free(store->path);
	free(store);
}
