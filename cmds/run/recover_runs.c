/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/run/recover_runs.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "cmds/options/handler_list.h"
#include "cmds/options/handler_plugins.h"
#include "cmds/options/replay_command.h"
#include "cmds/options/run_options.h"
#include "cmds/record/recorder.h"
#include "cmds/record/rerun_handlers.h"
#include "cmds/run/pending_handlers.h"
#include "cmds/run/recover_check.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "common/log.h"
#include "common/memory_watch.h"
#include "common/progress.h"
#include "store/store.h"
#include "store/store_open.h"

enum { DEPTH_MAX = 8, LOOK_NS = 100000000 };

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), size = strlen(end);

	return length > size && !strcmp(text + length - size, end);
}

/*
 * A recorder holds the lock until the recording is complete, and while it runs handlers. *ret: a
 * descriptor with the lock.
 */
static struct probe_err *wait_for_recorder(const char *path, int *ret)
{
	*ret = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (*ret < 0)
		return probe_err_create("%s: cannot be opened: %s", path, strerror(errno));
	if (!flock(*ret, LOCK_EX | LOCK_NB))
		return NULL;
	probe_log(PROBE_LOG_INFO, "%s: its program, or its recorder, still runs: waiting", path);
	while (flock(*ret, LOCK_EX))
		if (errno != EINTR)
			return probe_err_create("%s: %s", path, strerror(errno));
	return NULL;
}

static struct probe_err *mark_handlers_ended(const char *path)
{
	PROBE_AUTO(probe_store_release) struct probe_store *store = NULL;
	struct probe_err *err = probe_store_append(path, &store);

	if (err)
		return err;
	probe_store_set_int(store, "handlers_ended", 1);
	if (!probe_store_commit(store) || !probe_store_finish(store))
		return probe_err_create("%s: cannot be written", path);
	return NULL;
}

/* The file is not trusted: only handlers of the installation, by name, run. */
static void drop_paths(struct run_config *config, const char *path)
{
	char text[512];

	for (size_t i = config->handler_count; i-- > 0;) {
		PROBE_AUTO_FREE char *command = NULL;

		if (!strchr(config->handlers[i].name, '/'))
			continue;
		run_handler_text(&config->handlers[i], text, sizeof(text));
		command = replay_command(text, path);
		probe_log(PROBE_LOG_WARNING,
			  "%s: handler %s is a path, which --recover does not run: run it with: "
			  "%s",
			  path, config->handlers[i].name,
			  command ? command : "probe-report replay");
		run_config_drop_handler(config, i);
	}
}

static struct probe_err *run_handlers(const char *path, const char *handlers,
				      const struct run_layout *layout,
				      const struct run_handler_limits *limits)
{
	PROBE_AUTO(run_config_deinit) struct run_config config = {.limits = *limits};
	PROBE_AUTO(run_plugins_deinit) struct run_plugins plugins = {0};
	struct run_replay replay = {
		.config = &config, .plugins = &plugins, .from = path, .idle = true};
	struct probe_err *err = run_config_handlers(&config, handlers);

	if (err)
		return err;
	drop_paths(&config, path);
	if (!config.handler_count)
		return mark_handlers_ended(path);
	err = run_plugins_find(&config, layout, &plugins);
	if (err)
		return err;
	err = run_replay(&replay);
	probe_progress_end();
	if (err)
		return err;
	err = mark_handlers_ended(path);
	if (err)
		return err;
	for (size_t i = 0; i < config.handler_count; i++)
		probe_log(PROBE_LOG_INFO, "%s: handler %s has run over %llu dispatches", path,
			  config.handlers[i].name, (unsigned long long)replay.counts.dispatches);
	return NULL;
}

static void wait_for_thread(const struct recorder *recorder)
{
	struct timespec until;

	do {
		recorder_show_progress(recorder);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += LOOK_NS;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
	} while (pthread_timedjoin_np(recorder->thread, NULL, &until) == ETIMEDOUT);
}

static struct probe_err *recreate(struct recorder *recorder, const struct run_config *config)
{
	const char *spool = recorder->spool.path;
	struct probe_store *store = NULL; /* the recorder's */
	struct probe_err *err = recorder_recreate(recorder, config, &store);

	if (err)
		return err;
	err = recorder_start(recorder);
	if (err)
		return err;
	probe_progress_step("%s: completing the database", spool);
	wait_for_thread(recorder);
	probe_progress_end();
	/* A lack of memory may have cost records of the database: the spool still has them. */
	if (!probe_memory_ran_out())
		recorder_finish(recorder);
	if (!probe_memory_ran_out() && !probe_store_failure(store))
		return NULL;
	return probe_err_create(
		"%s: the database could not be completed; the records are still there", spool);
}

/*
 * Makes the database again from what its recorder had read, and from the segment, as long as the
 * program runs.
 */
static struct probe_err *record_again(const char *spool, const char *database)
{
	PROBE_AUTO(run_config_deinit) struct run_config config = {0};
	PROBE_AUTO(recorder_release) struct recorder *recorder = NULL;
	bool absent;
	struct probe_err *err = recorder_open(spool, &recorder, &absent);

	if (absent) {
		probe_err_destroy(err);
		return NULL;
	}
	if (err)
		return err;
	err = recover_check_database(database, &recorder->spool);
	if (err)
		return err;
	err = run_config_restore(&config, recorder->settings.options,
				 recorder->settings.options_size);
	if (err)
		return err;
	recorder_settings(recorder, &config);
	if (!recorder->ended)
		probe_log(PROBE_LOG_INFO, "%s: its program still runs, and is recorded", spool);
	err = recreate(recorder, &config);
	if (err && recover_is_empty(database))
		probe_err_destroy(probe_store_remove(database));
	return err;
}

static struct probe_err *recover(const char *path, const struct run_layout *layout,
				 const struct run_handler_limits *limits)
{
	/* Closed last, because closing it would release SQLite's locks. */
	PROBE_AUTO_CLOSE int fd = -1;
	PROBE_AUTO(run_end_deinit) struct run_end end = {0};
	struct probe_err *err = wait_for_recorder(path, &fd);

	if (err)
		return err;
	if (recover_is_empty(path)) {
		probe_log(PROBE_LOG_INFO, "%s: nothing was recorded in it; removed", path);
		return probe_store_remove(path);
	}
	err = run_end_read(path, &end);
	if (err)
		return err;
	err = end.handlers ? run_handlers(path, end.handlers, layout, limits)
			   : probe_store_settle(path);
	if (err)
		return err;
	if (end.why)
		probe_log(PROBE_LOG_WARNING, "%s: partial: %s", path, end.why);
	else
		probe_log(PROBE_LOG_INFO, "%s: complete", path);
	return NULL;
}

/*
 * SQLite must not open what others own: it would create or remove files beside it. A file without
 * contents belongs to nobody known.
 */
static bool is_probes(const char *path)
{
	struct stat st;

	if (probe_store_is_probes(path))
		return true;
	probe_log(PROBE_LOG_WARNING, "%s: %s; not changed", path,
		  !lstat(path, &st) && S_ISREG(st.st_mode) && !st.st_size
			  ? "empty, and nothing is left of its run"
			  : "not a database of Probe");
	return false;
}

/* The database's file, or the spool of one that may not exist. */
static struct probe_err *recover_file(char *path, const struct run_layout *layout,
				      const struct run_handler_limits *limits)
{
	size_t stem = strlen(path) - strlen(SPOOL_SUFFIX);
	PROBE_AUTO_FREE char *database = NULL;
	struct probe_err *err;

	if (!ends_with(path, SPOOL_SUFFIX))
		return is_probes(path) ? recover(path, layout, limits) : NULL;
	database = strndup(path, stem);
	if (!database)
		return probe_err_oom();
	err = record_again(path, database);
	if (err)
		return err;
	return access(database, F_OK) ? NULL : recover(database, layout, limits);
}

/* A spool stands for its database, too. */
static bool is_recording(const FTSENT *entry)
{
	bool wanted = ends_with(entry->fts_path, SPOOL_SUFFIX);
	char *spool;

	if (entry->fts_info != FTS_F)
		return false;
	if (wanted || !ends_with(entry->fts_path, ".db"))
		return wanted;
	spool = spool_path(entry->fts_path);
	wanted = spool && access(spool, F_OK);
	free(spool);
	return wanted;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* *ret: the errno, if it is the directory to recover. */
static void note_unreadable(const FTSENT *entry, int *ret)
{
	if (entry->fts_info != FTS_NS && entry->fts_info != FTS_DNR)
		return;
	if (!entry->fts_level)
		*ret = entry->fts_errno;
	else
		probe_log(PROBE_LOG_WARNING, "%s: %s", entry->fts_path, strerror(entry->fts_errno));
}

struct probe_err *run_recover(const char *directory, const struct run_layout *layout,
			      const struct run_handler_limits *limits)
{
	char *paths[] = {(char *)directory, NULL};
	FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, by_name);
	size_t found = 0, failed = 0;
	int unread = 0;
	FTSENT *entry;

	while (tree && (entry = fts_read(tree))) {
		struct probe_err *err;

		if (entry->fts_info == FTS_D && entry->fts_level > DEPTH_MAX)
			fts_set(tree, entry, FTS_SKIP);
		note_unreadable(entry, &unread);
		if (!is_recording(entry))
			continue;
		found++;
		err = recover_file(entry->fts_path, layout, limits);
		if (err)
			probe_log_err(PROBE_LOG_ERROR, err);
		failed += err != NULL;
		probe_err_destroy(err);
	}
	if (tree)
		fts_close(tree);
	if (unread)
		return probe_err_create("%s: %s", directory, strerror(unread));
	if (!found)
		return probe_err_create("%s: no databases (*.db) in it", directory);
	return failed ? probe_err_create("%zu of %zu databases could not be recovered", failed,
					 found)
		      : NULL;
}
