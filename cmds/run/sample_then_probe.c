/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/run/sample_then_probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sqlite3.h>

#include "common/cleanup.h"
#include "common/err.h"
#include "common/log.h"
#include "common/progress.h"
#include "cmds/record/merge_runs.h"
#include "cmds/options/run_options.h"
#include "cmds/options/output_path.h"
#include "cmds/run/recorder_server.h"
#include "cmds/run/run_ledger.h"
#include "store/store.h"

/*
 * Default intervals: kernels on the simulated GPU are short; on a real GPU sampling must not
 * disturb kernels.
 */
static const char *const defaults[2][RUN_SAMPLING_OPTIONS] = {
	{"stochastic", "cycles", "256"},
	{"host_trap", "time", "512"},
};

static struct probe_err *choose_sampling(struct run_sampling *sampling, bool gpu)
{
	struct probe_err *err = NULL;

	if (sampling->on)
		return NULL;
	for (int i = 0; i < RUN_SAMPLING_OPTIONS && !err; i++)
		err = run_sampling_set(sampling, (enum run_sampling_option)i, "--twice",
				       defaults[gpu][i]);
	return err ? err : run_sampling_check(sampling);
}

/* Removes an old file, which could be mistaken for one of this run if the run writes none. */
static struct probe_err *remove_old(const struct run_config *config)
{
	struct run_keys keys = {.pid = getpid()};
	struct probe_err *err;
	char *path;

	if (!config->force || run_keys_vary(config->directory) || run_keys_vary(config->file))
		return NULL;
	path = run_output_path(config->directory, config->file, &keys);
	if (!path)
		return probe_err_oom();
	err = probe_store_replace(path);
	free(path);
	return err;
}

struct probe_err *run_pass_config(const struct run_config *config, enum run_pass_kind kind,
				  bool gpu, struct run_config *ret, char **file)
{
	struct probe_err *err;

	*ret = *config;
	if (kind == RUN_PASS_PROBED) {
		ret->sampling = (struct run_sampling){0};
		return NULL;
	}
	err = remove_old(config);
	if (err)
		return err;
	if (asprintf(file, "%s.sampled", config->file) < 0) {
		*file = NULL;
		return probe_err_oom();
	}
	ret->file = *file;
	ret->instrumented = false;
	ret->report = false; /* the database has the accounting of both runs */
	return choose_sampling(&ret->sampling, gpu);
}

void run_pass_database(const struct run_server *server, struct run_pass *pass)
{
	const struct ledger_entry *entry = NULL, *last = NULL;

	while ((entry = run_ledger_ended(server->ledger, entry))) {
		pass->several = last != NULL;
		last = entry;
	}
	pass->probed = last && last->outcome.probed;
	if (last && !pass->several && !last->outcome.failed)
		pass->database = strdup(last->path);
}

static bool bad(const struct run_pass *pass)
{
	return pass->wait_status != 0;
}

bool run_pass_next(const struct run_pass *pass, int i)
{
	if (i || !WIFSIGNALED(pass->wait_status))
		return i + 1 < RUN_PASSES;
	probe_log(PROBE_LOG_WARNING, "the program was killed: it is not run a second time");
	return false;
}

int run_passes_status(const struct run_pass passes[RUN_PASSES])
{
	const struct run_pass *first = &passes[RUN_PASS_SAMPLED],
			      *second = &passes[RUN_PASS_PROBED];

	if (!bad(first) && bad(second))
		probe_log(PROBE_LOG_WARNING,
			  "the second run ended with %s %d, the first with success: their numbers "
			  "may not be of the same work",
			  WIFSIGNALED(second->wait_status) ? "signal" : "exit status",
			  WIFSIGNALED(second->wait_status) ? WTERMSIG(second->wait_status)
							   : WEXITSTATUS(second->wait_status));
	return bad(first) ? first->wait_status : second->wait_status;
}

PROBE_DEFINE_RELEASE(text_release, char *, sqlite3_free)
PROBE_DEFINE_RELEASE(database_release, sqlite3 *, sqlite3_close)

static struct probe_err *merge(const char *into, const char *from)
{
	PROBE_AUTO(database_release) sqlite3 *db = NULL;
	PROBE_AUTO(text_release) char *attach = sqlite3_mprintf("ATTACH %Q AS a", from);
	struct probe_err *err;

	if (!attach)
		return probe_err_oom();
	if (sqlite3_open_v2(into, &db, SQLITE_OPEN_READWRITE, NULL) ||
	    sqlite3_exec(db, attach, NULL, NULL, NULL))
		return probe_err_create("%s: cannot open it again: %s", into, sqlite3_errmsg(db));
	err = probe_merge(db, into);
	if (err)
		return err;
	/* Each run leaves one file. */
	sqlite3_exec(db, "DETACH a; PRAGMA wal_checkpoint(TRUNCATE)", NULL, NULL, NULL);
	return NULL;
}

void run_passes_merge(const struct run_pass passes[RUN_PASSES])
{
	const char *from = passes[RUN_PASS_SAMPLED].database;
	const char *into = passes[RUN_PASS_PROBED].database;
	struct probe_err *err;

	if (!from || !into) {
		if (passes[0].several || passes[1].several)
			probe_log(PROBE_LOG_WARNING,
				  "several processes: each run left databases of its own; "
				  "probe-report --runs joins two of them");
		else if (from || into)
			probe_log(PROBE_LOG_WARNING,
				  "only one of the two runs was recorded, in %s: no join",
				  from ? from : into);
		return;
	}
	probe_progress_step("merging %s into %s", from, into);
	err = merge(into, from);
	probe_progress_end();
	if (err) {
		probe_log_err(PROBE_LOG_ERROR, err);
		probe_err_destroy(err);
		probe_log(PROBE_LOG_WARNING, "the sampled run is in %s", from);
		return;
	}
	unlink(from);
	probe_log(PROBE_LOG_INFO, "sampled, then %s: both runs are in %s",
		  passes[RUN_PASS_PROBED].probed ? "probed"
						 : "run without probes (no kernel had any)",
		  into);
}
