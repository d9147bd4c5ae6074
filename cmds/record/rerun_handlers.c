/* SPDX-License-Identifier: MIT */
#include "cmds/record/rerun_handlers.h"

#include <sqlite3.h>

#include "cmds/options/handler_plugins.h"
#include "cmds/options/kind_choice.h"
#include "cmds/record/handler_workers.h"
#include "cmds/record/record_log.h"
#include "cmds/record/replay_feed.h"
#include "common/err.h"
#include "common/selection.h"
#include "store/store.h"
#include "store/store_open.h"

static struct probe_err *recorded_streams(struct probe_reader *reader, uint32_t *ret)
{
	sqlite3_stmt *stmt = NULL;
	int rc = sqlite3_prepare_v2(reader->db,
				    "SELECT DISTINCT kind FROM probe_dispatch WHERE kind <> 0", -1,
				    &stmt, NULL);

	while (rc == SQLITE_OK || rc == SQLITE_ROW) {
		rc = sqlite3_step(stmt);
		if (rc == SQLITE_ROW)
			*ret |= run_kind_streams((enum probe_kind)replay_number(stmt, 0));
	}
	sqlite3_finalize(stmt);
	return rc == SQLITE_DONE ? NULL : probe_reader_error(reader, "read its records");
}

/* Checks that the records contain input for each handler; the error names the first without. */
static struct probe_err *check_streams(const struct run_replay *replay, struct probe_reader *reader)
{
	const struct run_plugins *plugins = replay->plugins;
	uint32_t streams = 0;
	struct probe_err *err = recorded_streams(reader, &streams);

	for (size_t i = 0; i < plugins->count && !err && streams; i++) {
		const struct run_plugins one = {
			.items = &plugins->items[i],
			.count = 1,
			.streams = plugins->items[i].handler.streams,
		};

		if (!(one.streams & streams))
			err = probe_err_create("%s: has nothing that handler %s takes: record with "
					       "--kind %s",
					       replay->from, one.items->handler.name,
					       probe_kind_name(run_kind_for(&one)));
	}
	return err;
}

static struct probe_err *open_store(const struct run_replay *replay, struct probe_store **ret)
{
	struct probe_reader reader;
	struct probe_err *err;

	if (!replay->to)
		return probe_store_append(replay->from, ret);
	err = probe_reader_open(replay->from, &reader);
	if (err)
		return err;
	err = probe_store_copy(reader.db, replay->to, replay->force, ret);
	probe_reader_close(&reader);
	return err;
}

static struct probe_err *run_workers(struct run_replay *replay, struct handler_workers *workers,
				     struct probe_store *store)
{
	struct record_log log = {.store = store};
	const struct handler_run run = {
		.database = replay->from,
		.store = store,
		.log = &log,
		.used = true,
		.replay = true,
		.rerun = replay->to ? replay->to : replay->from,
		.stop = {.fd = -1},
	};

	replay->failed = handler_workers_run(workers, &run, &replay->counts);
	if (!probe_store_commit(store) || probe_store_failure(store))
		return probe_err_create("%s: the tables could not be written",
					probe_store_path(store));
	return NULL;
}

struct probe_err *run_replay(struct run_replay *replay)
{
	PROBE_AUTO(probe_store_release) struct probe_store *store = NULL;
	struct handler_workers *workers = NULL;
	struct probe_reader reader;
	struct probe_err *err = probe_reader_open(replay->from, &reader);

	if (err)
		return err;
	err = replay->idle ? NULL : check_streams(replay, &reader);
	/* Closed before processes are forked: SQLite's locks do not survive fork. */
	probe_reader_close(&reader);
	if (err)
		return err;
	err = handler_workers_open(replay->config, replay->plugins, "nothing was written",
				   &workers);
	if (err)
		return err;
	err = open_store(replay, &store);
	err = err ? err : run_workers(replay, workers, store);
	handler_workers_destroy(workers);
	if (err)
		return err;
	if (!probe_store_finish(store))
		return probe_err_create("%s: not all of it could be written into the file; %s-wal "
					"belongs to it: keep both together",
					probe_store_path(store), probe_store_path(store));
	return NULL;
}
