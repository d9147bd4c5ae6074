/* SPDX-License-Identifier: MIT */
/*
 * A store over existing records: a copy of a database, or the database itself. Its contents are not
 * trusted: no triggers run, and the schema is not trusted.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "store/store_priv.h"

static struct probe_err *sqlite_error(const struct probe_store *store, const char *doing)
{
	return probe_err_create("%s: cannot %s: %s", probe_store_path(store), doing,
				sqlite3_errmsg(store->db));
}

static bool set_defensive(struct probe_store *store)
{
	return !sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL) &&
	       !sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL) &&
	       !sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
}

static struct probe_err *ready(struct probe_store *store)
{
	if (!set_defensive(store) || sqlite3_exec(store->db,
						  "PRAGMA journal_mode = WAL; PRAGMA synchronous = "
						  "NORMAL;",
						  NULL, NULL, NULL))
		return sqlite_error(store, "write to it");
	store->set = probe_store_rows(store, "probe_run", "key, value", 2, 1);
	store->account = probe_store_rows(store, "probe_account", "stream, name, value", 3, 1);
	store->log = probe_store_rows(store, "probe_log", "time, level, origin, text", 4, 1);
	return store->log ? NULL : sqlite_error(store, "add to its tables");
}

PROBE_DEFINE_RELEASE(backup_release, sqlite3_backup *, sqlite3_backup_finish)

static struct probe_err *copy_records(sqlite3 *from, const struct probe_store *to)
{
	PROBE_AUTO(backup_release)
	sqlite3_backup *backup = sqlite3_backup_init(to->db, "main", from, "main");

	if (!backup || sqlite3_backup_step(backup, -1) != SQLITE_DONE)
		return sqlite_error(to, "copy the records to it");
	return NULL;
}

struct probe_err *probe_store_copy(struct sqlite3 *from, const char *path, bool force,
				   struct probe_store **ret)
{
	PROBE_AUTO(probe_store_release) struct probe_store *store = NULL;
	struct probe_err *err = probe_store_create(path, force, &store);

	if (err)
		return err;
	err = copy_records(from, store);
	if (err)
		return err;
	err = ready(store);
	if (err)
		return err;
	*ret = PROBE_KEEP(store);
	return NULL;
}

static struct probe_err *open_again(struct probe_store *store)
{
	if (sqlite3_open_v2(store->path, &store->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
			    NULL))
		return sqlite_error(store, "open it for writing");
	sqlite3_busy_timeout(store->db, PROBE_STORE_BUSY_MS);
	return ready(store);
}

struct probe_err *probe_store_append(const char *path, struct probe_store **ret)
{
	PROBE_AUTO(probe_store_release) struct probe_store *store = calloc(1, sizeof(*store));
	struct probe_err *err;

	if (store)
		store->path = realpath(path, NULL);
	if (!store || !store->path)
		return probe_err_create("cannot open %s", path);
	err = open_again(store);
	if (err)
		return err;
	*ret = PROBE_KEEP(store);
	return NULL;
}

PROBE_DEFINE_RELEASE(database_release, sqlite3 *, sqlite3_close)

struct probe_err *probe_store_settle(const char *path)
{
	PROBE_AUTO_FREE char *file = realpath(path, NULL);
	PROBE_AUTO(database_release) sqlite3 *db = NULL;

	if (!file)
		return probe_err_create("cannot open %s", path);
	if (sqlite3_open_v2(file, &db, SQLITE_OPEN_READWRITE, NULL) ||
	    sqlite3_busy_timeout(db, PROBE_STORE_FINISH_MS) ||
	    sqlite3_exec(db,
			 "SELECT 1 FROM sqlite_master LIMIT 1; PRAGMA wal_checkpoint(TRUNCATE); "
			 "PRAGMA journal_mode = DELETE",
			 NULL, NULL, NULL))
		return probe_err_create("%s: cannot be completed: %s", path, sqlite3_errmsg(db));
	return NULL;
}
