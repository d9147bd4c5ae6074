/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "cmds/options/install_paths.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
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
		return probe_err_create("cannot read /proc/self/exe: %s", strerror(errno));
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
	PROBE_AUTO_FREE char *path = join(directory, name);

	return path && !access(path, R_OK);
}
