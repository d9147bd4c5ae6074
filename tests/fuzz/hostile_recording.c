/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "tests/fuzz/hostile_recording.h"

#include <unistd.h>

#include <sqlite3.h>

#include "cmds/record/recorder.h"
#include "common/err.h"
#include "tests/cmd/fake_app/fake_app.h"

static const char *check(const char *path)
{
	static const char sql[] =
		"SELECT 1 FROM probe_account WHERE value < 0 UNION ALL "
		"SELECT 1 FROM probe_account WHERE stream <> 'dispatches' GROUP BY stream HAVING "
		"sum(value) FILTER (WHERE name = 'emitted') <> "
		"sum(value) FILTER (WHERE name = 'stored' OR name LIKE 'dropped.%') UNION ALL "
		"SELECT 1 FROM probe_log WHERE text LIKE '%defect%' UNION ALL "
		"SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM probe_account)";
	const char *wrong = NULL;
	sqlite3_stmt *stmt = NULL;
	sqlite3 *db;

	if (sqlite3_open(path, &db) || sqlite3_prepare_v2(db, sql, -1, &stmt, NULL))
		wrong = "the database cannot be read";
	else if (sqlite3_step(stmt) != SQLITE_DONE)
		wrong = "the accounting is wrong";
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return wrong;
}

static const char *text_of(struct probe_err *err)
{
	static char text[512];

	probe_err_format(err, text, sizeof(text));
	probe_err_destroy(err);
	return text;
}

const char *hostile_recording(const struct run_config *config, const char *path,
			      void (*fill)(struct fake_app *app, void *user), void *user)
{
	const struct recorder_process process = {.pid = getpid(), .sock = -1, .rings_wanted = 64};
	struct recorder *recorder = NULL;
	struct probe_store *store = NULL;
	struct fake_app app = {.sock = -1};
	struct probe_err *err = probe_store_create(path, true, &store);

	if (!err)
		err = recorder_create(&process, config, store, &recorder);
	if (err)
		return text_of(err);
	if (probe_segment_open(&app.seg, recorder->seg.fd, recorder->seg.size))
		return "the segment cannot be opened";
	fill(&app, user);
	err = recorder_start(recorder);
	if (err)
		return text_of(err);
	recorder_stop(recorder, RECORDER_STOP_LEFT);
	recorder_join(recorder);
	recorder_finish(recorder);
	probe_segment_close(&app.seg);
	recorder_destroy(recorder);
	return check(path);
}
