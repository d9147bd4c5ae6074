/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/run/pending_handlers.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmds/options/replay_command.h"
#include "cmds/options/run_options.h"
#include "cmds/record/handler_workers.h"
#include "cmds/run/recorder_server.h"
#include "cmds/run/run_ledger.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "common/log.h"
#include "store/store.h"
#include "store/store_open.h"

PROBE_DEFINE_RELEASE(workers_release, struct handler_workers *, handler_workers_destroy)

static char *query_text(const struct probe_reader *reader, const char *sql)
{
	sqlite3_stmt *stmt = NULL;
	char *ret = NULL;

	if (sqlite3_prepare_v2(reader->db, sql, -1, &stmt, NULL) == SQLITE_OK &&
	    sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_text(stmt, 0))
		ret = strdup((const char *)sqlite3_column_text(stmt, 0));
	sqlite3_finalize(stmt);
	return ret;
}

struct probe_err *run_end_read(const char *path, struct run_end *ret)
{
	PROBE_AUTO_FREE char *ended = NULL;
	struct probe_reader reader;
	struct probe_err *err = probe_reader_open(path, &reader);

	if (err)
		return err;
	ret->handlers = query_text(
		&reader, "SELECT value FROM probe_run WHERE key = 'handlers' AND value <> "
			 "'' AND (SELECT value FROM probe_run WHERE key = "
			 "'handlers_ended') = 0");
	ret->why = query_text(&reader, "SELECT value FROM probe_run WHERE key = 'partial_reason' "
				       "AND value <> ''");
	ended = query_text(&reader, "SELECT value FROM probe_run WHERE key = 'handlers_ended'");
	ret->handlers_ran = ended && !strcmp(ended, "1");
	probe_reader_close(&reader);
	return NULL;
}

void run_end_deinit(struct run_end *end)
{
	free(end->handlers);
	free(end->why);
}

/* A database that is complete is the user's: it may have gone, or be another one. */
static struct probe_err *lock(const struct ledger_entry *entry, int *ret)
{
	struct stat status;

	*ret = open(entry->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (*ret < 0 || fstat(*ret, &status) || status.st_dev != entry->device ||
	    status.st_ino != entry->inode)
		return probe_err_create("%s: moved, removed or replaced since its process ended: "
					"no handlers run over it",
					entry->path);
	/* Meanwhile, probe-run --recover may be running them. */
	while (flock(*ret, LOCK_EX))
		if (errno != EINTR)
			return probe_err_create("%s: cannot be locked: %s", entry->path,
						strerror(errno));
	return NULL;
}

static bool have_run(const char *path)
{
	PROBE_AUTO(run_end_deinit) struct run_end end = {0};
	struct probe_err *err = run_end_read(path, &end);

	probe_err_destroy(err); /* what is wrong with the file stops the handlers, too */
	return end.handlers_ran;
}

/*
 * Recorders that may die while handlers run over a database. One that the user or the kernel killed
 * is replaced; those of a handler that kills its parent must not use up all replacements
 * (DEATHS_MAX in recorder_service.c), because then the database would stay as the first one left
 * it.
 */
#define HANDLER_RUNS_MAX 3

static struct probe_err *give_up(struct ledger_entry *entry)
{
	PROBE_AUTO(run_end_deinit) struct run_end end = {0};
	PROBE_AUTO_FREE char *command = NULL;
	struct probe_err *err = run_end_read(entry->path, &end);

	err = err ? err : probe_store_settle(entry->path);
	if (err)
		return err;
	snprintf(entry->outcome.partial, sizeof(entry->outcome.partial),
		 "its handlers did not end: %d recorders died while they ran", HANDLER_RUNS_MAX);
	command = replay_command(end.handlers ? end.handlers : "", entry->path);
	return probe_err_create("%d recorders died while handlers ran, so these are not run again; "
				"no record is lost: run those you trust with: %s",
				HANDLER_RUNS_MAX, command ? command : "probe-report replay");
}

static struct probe_err *run(struct run_server *server, struct ledger_entry *entry,
			     const struct handler_stop *stop)
{
	/* Closed after the database, because closing it would release SQLite's locks. */
	PROBE_AUTO_CLOSE int fd = -1;
	PROBE_AUTO(workers_release) struct handler_workers *workers = NULL;
	struct probe_err *err = lock(entry, &fd);

	if (err)
		return err;
	/* Another recorder has died since, or --recover was faster. */
	if (have_run(entry->path))
		return probe_store_settle(entry->path);
	if (entry->handler_runs == HANDLER_RUNS_MAX)
		return give_up(entry);
	entry->handler_runs++;
	/* Those that were opened before the program started serve the first process. */
	workers = PROBE_KEEP(server->workers);
	if (!workers)
		err = handler_workers_open(server->config, server->plugins,
					   "its tables are missing", &workers);
	if (err)
		return err;
	return recording_run_handlers(entry->path, &entry->outcome, server->config, workers, stop);
}

void run_handlers_pending(struct run_server *server, struct ledger_entry *entry,
			  const struct handler_stop *stop)
{
	struct probe_err *err;

	if (!server->config->handler_count || atomic_load(&entry->state) != LEDGER_COMPLETE)
		return;
	err = run(server, entry, stop);
	if (err)
		probe_log_err(PROBE_LOG_ERROR, err);
	probe_err_destroy(err);
}
