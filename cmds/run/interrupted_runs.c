/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/run/interrupted_runs.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmds/record/spool.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "common/log.h"

/* Other recordings in the directory whose recorder was killed. */
void run_interrupted_hint(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
	DIR *directory = name ? opendir(name) : NULL;
	size_t stale = 0, end = strlen(SPOOL_SUFFIX);
	struct dirent *entry;

	while (directory && (entry = readdir(directory))) {
		size_t length = strlen(entry->d_name);
		char *spool = NULL;

		if (length > end && !strcmp(entry->d_name + length - end, SPOOL_SUFFIX) &&
		    asprintf(&spool, "%s%s", name, entry->d_name) >= 0)
			stale += spool_is_stale(spool);
		free(spool);
	}
	if (directory)
		closedir(directory);
	if (stale)
		probe_log(PROBE_LOG_WARNING,
			  "%s: interrupted recordings: %zu; complete them with: probe-run --recover %s",
			  name, stale, name);
	free(name);
}

static struct probe_err *check(const char *spool, bool force)
{
	if (force || !spool_is_stale(spool))
		return NULL;
	return probe_err_create("%s has the records of a run that was interrupted: finish it with "
				"probe-run --recover %s, or discard it with --force",
				spool, spool);
}

struct probe_err *run_interrupted_check(const char *path, bool force)
{
	PROBE_AUTO_FREE char *spool = spool_path(path);

	return spool ? check(spool, force) : probe_err_oom();
}

struct probe_err *run_interrupted_make_way(const char *path, bool force)
{
	PROBE_AUTO_FREE char *spool = spool_path(path);
	struct probe_err *err = spool ? check(spool, force) : probe_err_oom();

	if (!err && !access(spool, F_OK))
		spool_remove_stale(spool);
	return err;
}
