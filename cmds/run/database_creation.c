/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/run/database_creation.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmds/options/output_path.h"
#include "cmds/options/run_options.h"
#include "cmds/run/interrupted_runs.h"
#include "cmds/run/recorder_server.h"
#include "cmds/run/run_ledger.h"
#include "common/cleanup.h"
#include "common/err.h"

#define ENVIRONMENT_MAX (1u << 20)

static bool path_used(const struct run_server *server, const char *path)
{
	const struct ledger_entry *entry = NULL;

	while ((entry = run_ledger_next(server->ledger, entry)))
		if (atomic_load(&entry->state) != LEDGER_DISCARDED && !strcmp(entry->path, path))
			return true;
	return false;
}

/*
 * A second process, or a second program in one process, gets a file of its own: "NAME-PID" if the
 * name has no process id, then "-2", "-3", ... Takes ownership of `path`.
 */
static char *free_path(const struct run_server *server, char *path, pid_t pid)
{
	int stem = (int)(strlen(path) - strlen(".db"));
	char process[16] = "", *ret = strdup(path);

	if (!strstr(server->config->file, "%pid%"))
		snprintf(process, sizeof(process), "-%d", (int)pid);
	for (int i = *process ? 1 : 2; ret && path_used(server, ret); i++) {
		char number[16] = "";

		free(ret);
		if (i > 1)
			snprintf(number, sizeof(number), "-%d", i);
		if (asprintf(&ret, "%.*s%s%s.db", stem, path, process, number) < 0)
			ret = NULL;
	}
	free(path);
	return ret;
}

static size_t read_environment(pid_t pid, char *out, size_t room)
{
	char name[32];
	size_t size = 0;
	ssize_t got;
	int fd;

	snprintf(name, sizeof(name), "/proc/%d/environ", (int)pid);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && size < room && (got = read(fd, out + size, room - size)) > 0)
		size += (size_t)got;
	if (fd >= 0)
		close(fd);
	return size;
}

/* Of the process's database; NULL = out of memory. */
static char *database_path(const struct run_server *server, pid_t pid)
{
	PROBE_AUTO_FREE char *environment = malloc(ENVIRONMENT_MAX);
	struct run_keys keys = {.pid = pid, .environment = environment};
	char *path;

	if (!environment)
		return NULL;
	keys.environment_size = read_environment(pid, environment, ENVIRONMENT_MAX);
	path = run_output_path(server->config->directory, server->config->file, &keys);
	return path ? free_path(server, path, pid) : NULL;
}

struct probe_err *run_database_create(const struct run_server *server, pid_t pid,
				      struct probe_store **ret)
{
	PROBE_AUTO_FREE char *path = database_path(server, pid);
	struct probe_err *err;
	int rc;

	if (!path)
		return probe_err_oom();
	rc = run_make_parents(path);
	if (rc)
		return probe_err_create("cannot make the directory of %s: %s", path, strerror(-rc));
	err = run_interrupted_make_way(path, server->config->force);
	if (err)
		return err;
	err = probe_store_create(path, server->config->force, ret);
	if (err)
		return err;
	run_interrupted_hint(path);
	return NULL;
}
