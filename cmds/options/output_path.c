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

enum key_kind { KEY_PID, KEY_HOSTNAME, KEY_RANK, KEY_ENV, KEY_NONE };

/* The key at `text` ("%pid%"), its length, and for %env{X}% the position of X. */
static enum key_kind find_key(const char *text, size_t *len, const char **name, size_t *name_len)
{
	static const char *const words[] = {"%pid%", "%hostname%", "%rank%"};
	const char *end;

	for (int i = 0; i < 3; i++) {
		*len = strlen(words[i]);
		if (!strncmp(text, words[i], *len))
			return (enum key_kind)i;
	}
	end = strncmp(text, "%env{", 5) ? NULL : strstr(text, "}%");
	if (!end)
		return KEY_NONE;
	*name = text + 5;
	*name_len = (size_t)(end - *name);
	*len = (size_t)(end + 2 - text);
	return KEY_ENV;
}

struct probe_err *run_keys_check(const char *text)
{
	const char *name;
	size_t len, name_len;

	while ((text = strchr(text, '%'))) {
		if (find_key(text, &len, &name, &name_len) == KEY_NONE)
			return probe_err_create("unknown key at '%s'; there are %%pid%%, "
						"%%hostname%%, %%rank%% and %%env{NAME}%%",
						text);
		text += len;
	}
	return NULL;
}

bool run_keys_vary(const char *text)
{
	return strstr(text, "%pid%") || strstr(text, "%rank%") || strstr(text, "%env{");
}

static const char *look_up(const struct run_keys *keys, const char *name, size_t len)
{
	const char *end = keys->environment + keys->environment_size;

	for (const char *entry = keys->environment; entry && entry < end;) {
		size_t size = strnlen(entry, (size_t)(end - entry));

		if (size > len && size < (size_t)(end - entry) && entry[len] == '=' &&
		    !memcmp(entry, name, len))
			return entry + len + 1;
		entry += size + 1;
	}
	return NULL;
}

/* Variables in which launchers pass a process its rank; the first one set counts. */
static const char *rank(const struct run_keys *keys)
{
	static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
					    "MPI_RANKID", "SLURM_PROCID"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value = look_up(keys, names[i], strlen(names[i]));

		if (value && *value)
			return value;
	}
	return "0";
}

static void put_key(FILE *out, enum key_kind kind, const struct run_keys *keys, const char *name,
		    size_t name_len)
{
	char host[HOST_NAME_MAX + 1] = "localhost";
	const char *value;

	switch (kind) {
	case KEY_PID:
		fprintf(out, "%d", (int)keys->pid);
		break;
	case KEY_HOSTNAME:
		gethostname(host, sizeof(host) - 1);
		fputs(host, out);
		break;
	case KEY_RANK:
		fputs(rank(keys), out);
		break;
	default:
		value = look_up(keys, name, name_len);
		fputs(value ? value : "", out);
	}
}

char *run_keys_expand(const char *text, const struct run_keys *keys)
{
	char *ret = NULL;
	size_t size;
	FILE *out = open_memstream(&ret, &size);

	if (!out)
		return NULL;
	while (*text) {
		const char *name = NULL;
		size_t len, name_len = 0;
		enum key_kind kind = find_key(text, &len, &name, &name_len);

		if (kind == KEY_NONE) {
			fputc(*text++, out);
			continue;
		}
		put_key(out, kind, keys, name, name_len);
		text += len;
	}
	if (fclose(out)) {
		free(ret);
		return NULL;
	}
	return ret;
}

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

	if (!err)
		err = run_keys_check(config->file);
	if (!err)
		err = check_exists(config);
	if (err)
		return err;
	return *config->file == '/' ? check_absolute(config->file)
				    : check_directory(config->directory);
}
