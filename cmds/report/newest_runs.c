/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/report/newest_runs.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/err.h"

/* The default names of probe-run: directory, host, process. */
#define PATTERN "probe-out/*/*.db"

struct found {
	const char *path;
	struct timespec time;
};

static int by_time(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->time.tv_sec != y->time.tv_sec)
		return x->time.tv_sec < y->time.tv_sec ? -1 : 1;
	if (x->time.tv_nsec != y->time.tv_nsec)
		return x->time.tv_nsec < y->time.tv_nsec ? -1 : 1;
	return strcmp(x->path, y->path);
}

void report_newest_free(char **paths, size_t count)
{
	for (size_t i = 0; paths && i < count; i++)
		free(paths[i]);
	free(paths);
}

/* Copies of the paths of the last `count` files. */
static struct probe_err *copy_paths(const struct found *found, size_t all, size_t count,
				    char ***ret, size_t *ret_count)
{
	char **paths = calloc(count, sizeof(*paths));
	size_t n = 0;

	if (count > all)
		count = all;
	for (; paths && n < count && (paths[n] = strdup(found[all - count + n].path)); n++)
		;
	if (n < count) {
		report_newest_free(paths, n);
		return probe_err_oom();
	}
	*ret = paths;
	*ret_count = n;
	return NULL;
}

struct probe_err *report_newest_runs(size_t count, char ***ret, size_t *ret_count)
{
	PROBE_AUTO_FREE struct found *found = NULL;
	PROBE_AUTO(globfree) glob_t names = {0};
	size_t all = 0;

	if (glob(PATTERN, 0, NULL, &names) == GLOB_NOSPACE)
		return probe_err_oom();
	found = calloc(names.gl_pathc + 1, sizeof(*found));
	if (!found)
		return probe_err_oom();
	for (size_t i = 0; i < names.gl_pathc; i++) {
		struct stat st;

		if (!stat(names.gl_pathv[i], &st) && S_ISREG(st.st_mode))
			found[all++] = (struct found){names.gl_pathv[i], st.st_mtim};
	}
	if (!all)
		return probe_err_create("no file given, and no " PATTERN " here; record a run with "
					"probe-run -- PROGRAM, or name its database");
	qsort(found, all, sizeof(*found), by_time);
	return copy_paths(found, all, count, ret, ret_count);
}
