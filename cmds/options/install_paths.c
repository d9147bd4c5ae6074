/* SPDX-License-Identifier: MIT */
/* Where our parts lie, and where a run's file goes; see install_paths.h. */
#define _GNU_SOURCE
#include "cmds/options/install_paths.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/err.h"

static char *join(const char *a, const char *b)
{
	char *ret;

	return asprintf(&ret, "%s/%s", a, b) < 0 ? NULL : ret;
}

struct probe_err *run_layout_init(struct run_layout *layout)
{
	char exe[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (len < 0)
		return probe_err_create("cannot find myself: /proc/self/exe: %s", strerror(errno));
	exe[len] = 0;
	for (int i = 0; i < 2; i++) { /* ROOT/bin/probe-run */
		char *slash = strrchr(exe, '/');

		if (slash)
			*slash = 0;
	}
	*layout = (struct run_layout){
		.root = strdup(exe),
		.tool = join(exe, "lib/probe/libprobe-hsa.so"),
		.sim = join(exe, "lib/probe/sim"),
		.handlers = join(exe, "lib/probe/handlers"),
	};
	if (layout->root && layout->tool && layout->sim && layout->handlers)
		return NULL;
	run_layout_deinit(layout);
	return probe_err_oom();
}

void run_layout_deinit(struct run_layout *layout)
{
	free(layout->root);
	free(layout->tool);
	free(layout->sim);
	free(layout->handlers);
	*layout = (struct run_layout){0};
}

bool run_file_exists(const char *directory, const char *name)
{
	char *path = name ? join(directory, name) : strdup(directory);
	bool ret = path && !access(path, R_OK);

	free(path);
	return ret;
}

enum key_kind { KEY_PID, KEY_HOSTNAME, KEY_RANK, KEY_ENV, KEY_NONE };

/* The key at `text` ("%pid%"), its length, and for %env{X}% where X is. */
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

/* Launchers that tell a process its rank, in the order of trust. */
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
	char *dir = run_keys_expand(directory, keys);
	char *name = run_keys_expand(file, keys);
	size_t len = name ? strlen(name) : 0;
	bool suffix = len < 3 || strcmp(name + len - 3, ".db");
	char *ret = NULL;
	bool whole = name && *name == '/';

	if (dir && name &&
	    asprintf(&ret, "%s%s%s%s", whole ? "" : dir, whole ? "" : "/", name,
		     suffix ? ".db" : "") < 0)
		ret = NULL;
	free(name);
	free(dir);
	return ret;
}

int run_make_parents(const char *path)
{
	char *copy = strdup(path);
	int err = copy ? 0 : -ENOMEM;

	for (char *slash = copy ? strchr(copy + 1, '/') : NULL; slash && !err;
	     slash = strchr(slash + 1, '/')) {
		*slash = 0;
		if (mkdir(copy, 0700) && errno != EEXIST)
			err = -errno;
		*slash = '/';
	}
	free(copy);
	return err;
}
