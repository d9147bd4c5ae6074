/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/options/output_path.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "cmds/options/run_options.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "common/log.h"

#define FREE_LEAST (4ull << 20)

char *run_output_path(const char *directory, const char *file, const struct run_keys *keys)
{
	PROBE_AUTO_FREE char *dir = run_keys_expand(directory, keys);
	PROBE_AUTO_FREE char *name = run_keys_expand(file, keys);
	size_t len = name ? strlen(name) : 0;
	const char *suffix = len < 3 || strcmp(name + len - 3, ".db") ? ".db" : "";
	char *ret = NULL;
	int rc;

	if (!dir || !name)
		return NULL;
	if (*name == '/')
		rc = asprintf(&ret, "%s%s", name, suffix);
	else
		rc = asprintf(&ret, "%s/%s%s", dir, name, suffix);
	return rc < 0 ? NULL : ret;
}

int run_make_parents(const char *path)
{
	PROBE_AUTO_FREE char *copy = strdup(path);

	if (!copy)
		return -ENOMEM;
	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		if (mkdir(copy, 0700) && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	return 0;
}

/* ---- Checks --------------------------------------------------------------------------------- */

static struct probe_err *check_exists(const struct run_config *config)
{
	struct run_keys keys = {.pid = getpid()};
	PROBE_AUTO_FREE char *path = NULL;

	if (config->force || run_keys_vary(config->directory) || run_keys_vary(config->file))
		return NULL;
	path = run_output_path(config->directory, config->file, &keys);
	if (!path)
		return probe_err_oom();
	if (access(path, F_OK))
		return NULL;
	return probe_err_create("%s exists; --force overwrites it, -o names another", path);
}

/* The directory of an absolute path must exist. */
static struct probe_err *check_absolute(const char *file)
{
	PROBE_AUTO_FREE char *path = strdup(file);
	char *slash = path ? strrchr(path, '/') : NULL;

	if (!slash)
		return probe_err_oom();
	slash[slash == path] = 0;
	if (run_keys_vary(path) || !access(path, W_OK | X_OK))
		return NULL;
	return probe_err_create("cannot write %s: its directory %s: %s; make it, or name another "
				"file with -o",
				file, path, strerror(errno));
}

/*
 * Warns if free space is below this limit: any run may need more, but this is almost certainly too
 * little.
 */
static void warn_full(const char *path)
{
	struct statvfs status;
	uint64_t bytes;

	if (statvfs(path, &status))
		return;
	bytes = (uint64_t)status.f_bavail * status.f_frsize;
	if (bytes < FREE_LEAST)
		probe_log(PROBE_LOG_WARNING,
			  "%s: only %llu KiB are free there: records will be lost; -d names "
			  "another directory",
			  path, (unsigned long long)(bytes >> 10));
}

/* Creates a directory whose name is already known: failing later would lose the recording. */
static struct probe_err *check_directory(const char *directory)
{
	struct run_keys keys = {.pid = getpid()};
	PROBE_AUTO_FREE char *path = NULL;
	int rc;

	if (run_keys_vary(directory))
		return NULL;
	path = run_output_path(directory, "x", &keys);
	if (!path)
		return probe_err_oom();
	rc = run_make_parents(path);
	*strrchr(path, '/') = 0;
	if (!rc && access(path, W_OK | X_OK))
		rc = -errno;
	if (!rc) {
		warn_full(path);
		return NULL;
	}
	return probe_err_create("cannot write to the directory %s: %s; -d names another", directory,
				strerror(-rc));
}

struct probe_err *run_output_check(const struct run_config *config)
{
	struct probe_err *err = run_keys_check(config->directory);

	if (err)
		return err;
	err = run_keys_check(config->file);
	if (err)
		return err;
	err = check_exists(config);
	if (err)
		return err;
	return *config->file == '/' ? check_absolute(config->file)
				    : check_directory(config->directory);
}
