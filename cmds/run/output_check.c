/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/run/output_check.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "cmds/options/output_path.h"
#include "cmds/options/run_options.h"
#include "cmds/run/interrupted_runs.h"
#include "common/cleanup.h"
#include "common/err.h"
#include "common/log.h"
#include "store/store.h"

#define FREE_LEAST (4ull << 20)

/* The part before the last '/', or "" if there is none. */
static char *directory_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strndup(path, slash ? (size_t)(slash - path) + (slash == path) : 0);
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

/* 0 or -errno. */
static int check_writable(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return -errno;
	if (!S_ISDIR(st.st_mode))
		return -ENOTDIR;
	return access(path, W_OK | X_OK) ? -errno : 0;
}

/* The directory of an absolute path must exist. */
static struct probe_err *check_absolute(const char *file)
{
	PROBE_AUTO_FREE char *path = directory_of(file);
	int rc;

	if (!path)
		return probe_err_oom();
	rc = run_keys_vary(path) ? 0 : check_writable(path);
	if (!rc)
		return NULL;
	return probe_err_create("cannot write %s: its directory %s: %s; make it, or name another "
				"file with -o",
				file, path, strerror(-rc));
}

/* Creates a directory whose name is already known: failing later would lose the recording. */
static struct probe_err *check_directory(const char *directory, bool varies)
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
	rc = rc ? rc : check_writable(path);
	if (!rc && varies)
		warn_full(path);
	if (!rc)
		return NULL;
	return probe_err_create("cannot write to the directory %s: %s; -d names another", directory,
				strerror(-rc));
}

/* Does the name of the directory in which the file is differ between processes? */
static struct probe_err *place_varies(const struct run_config *config, bool *ret)
{
	PROBE_AUTO_FREE char *folder = directory_of(config->file);

	if (!folder)
		return probe_err_oom();
	*ret = run_keys_vary(folder) || (*config->file != '/' && run_keys_vary(config->directory));
	return NULL;
}

/* Makes and removes a file like `path` in its directory, or in the one that will have that. */
static struct probe_err *try_name(const char *path)
{
	PROBE_AUTO_FREE char *place = directory_of(path), *name = NULL;
	const char *file = strrchr(path, '/');
	struct probe_err *err;

	if (!place)
		return probe_err_oom();
	while (access(place, F_OK) && errno == ENOENT && strrchr(place + 1, '/'))
		*strrchr(place, '/') = 0;
	if (asprintf(&name, "%s%s", place, file) < 0) {
		name = NULL;
		return probe_err_oom();
	}
	err = probe_store_try(name);
	if (err)
		return probe_err_wrap(err, "cannot write %s (-d or -o names another)", path);
	warn_full(place);
	return NULL;
}

static struct probe_err *check_exists(const struct run_config *config, const char *path)
{
	struct probe_err *err = run_interrupted_check(path, config->force);

	if (err)
		return err;
	return config->force ? probe_store_check_replace(path) : probe_store_check_new(path);
}

static struct probe_err *check_file(const struct run_config *config)
{
	struct run_keys keys = {.pid = getpid()};
	PROBE_AUTO_FREE char *path = run_output_path(config->directory, config->file, &keys);
	struct probe_err *err;

	if (!path)
		return probe_err_oom();
	err = run_keys_vary(config->file) ? NULL : check_exists(config, path);
	return err ? err : try_name(path);
}

struct probe_err *run_output_check(const struct run_config *config)
{
	bool varies = false;
	struct probe_err *err = run_keys_check(config->directory);

	if (err)
		return err;
	err = run_keys_check(config->file);
	if (err)
		return err;
	err = place_varies(config, &varies);
	if (err)
		return err;
	err = *config->file == '/' ? check_absolute(config->file)
				   : check_directory(config->directory, varies);
	return err || varies ? err : check_file(config);
}
