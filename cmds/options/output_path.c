/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/options/output_path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmds/options/run_options.h"
#include "common/cleanup.h"
#include "common/err.h"

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
