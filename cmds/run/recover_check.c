/* SPDX-License-Identifier: MIT */
#include "cmds/run/recover_check.h"

#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include <sqlite3.h>

#include "cmds/record/spool.h"
#include "common/err.h"
#include "store/store.h"
#include "store/store_open.h"

/* What a database says of its recording. */
struct origin {
	bool described; /* it says something */
	bool same;	/* it is this recording */
	uint64_t spool_bytes;
};

bool recover_is_empty(const char *path)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *stmt = NULL;
	bool ret = sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOFOLLOW, NULL) ==
			   SQLITE_OK &&
		   sqlite3_prepare_v2(db, "SELECT count(*) FROM sqlite_master", -1, &stmt, NULL) ==
			   SQLITE_OK &&
		   sqlite3_step(stmt) == SQLITE_ROW && !sqlite3_column_int(stmt, 0);

	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return ret;
}

static bool read_origin(const struct probe_reader *reader, const char *recording,
			struct origin *ret)
{
	static const char sql[] =
		"SELECT count(*), max(CASE key WHEN 'recording' THEN value END), "
		"max(CASE key WHEN 'spool_bytes' THEN CAST(value AS INTEGER) END) FROM probe_run";
	sqlite3_stmt *stmt = NULL;
	bool ok = sqlite3_prepare_v2(reader->db, sql, -1, &stmt, NULL) == SQLITE_OK &&
		  sqlite3_step(stmt) == SQLITE_ROW;

	if (ok) {
		const char *name = (const char *)sqlite3_column_text(stmt, 1);

		*ret = (struct origin){
			.described = sqlite3_column_int64(stmt, 0),
			.same = name && *name && !strcmp(name, recording),
			.spool_bytes = (uint64_t)sqlite3_column_int64(stmt, 2),
		};
	}
	sqlite3_finalize(stmt);
	return ok;
}

/*
 * The log of the recording's database would hide another one that was put in its place. The file
 * alone may be unreadable, if its recorder was killed while it folded the log into it.
 */
static bool is_another(const char *path, const char *recording)
{
	struct origin origin = {0};
	struct probe_reader reader;
	struct probe_err *err = probe_reader_open_alone(path, &reader);

	if (err) {
		probe_err_destroy(err);
		return false;
	}
	read_origin(&reader, recording, &origin);
	probe_reader_close(&reader);
	return origin.described && !origin.same;
}

static struct probe_err *not_its(const char *path, const struct spool *spool)
{
	return probe_err_create("%s is not the database of %s; both are unchanged: move it "
				"away, then run probe-run --recover again",
				path, spool->path);
}

struct probe_err *recover_check_database(const char *path, struct spool *spool)
{
	struct origin origin = {0};
	struct probe_reader reader;
	struct probe_err *err;
	struct stat st;
	bool ok;

	if (lstat(path, &st))
		return NULL;
	if (!probe_store_is_begun(path) || is_another(path, spool->recording))
		return not_its(path, spool);
	if (recover_is_empty(path))
		return NULL;
	err = probe_reader_open(path, &reader);
	if (err == probe_err_oom())
		return err;
	probe_err_destroy(err);
	if (err)
		return not_its(path, spool);
	ok = read_origin(&reader, spool->recording, &origin);
	probe_reader_close(&reader);
	if (!ok || (origin.described && !origin.same))
		return not_its(path, spool);
	if (spool_holds(spool, origin.spool_bytes))
		return NULL;
	return probe_err_create(
		"%s lacks records that %s has; both are unchanged: if it is a "
		"copy, copy it again; to keep what the database has, move the spool "
		"away, then run probe-run --recover again",
		spool->path, path);
}
