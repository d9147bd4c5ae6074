/* SPDX-License-Identifier: MIT */
/* The paths of the installation's parts. */
#ifndef PROBE_CMDS_OPTIONS_INSTALL_PATHS_H
#define PROBE_CMDS_OPTIONS_INSTALL_PATHS_H

#include <stdbool.h>

struct probe_err;

/*
 * Absolute paths, derived from /proc/self/exe. The layout is the same in a build tree and when
 * installed.
 */
struct run_layout {
	char *root;
	char *tool;	/* lib/probe/libprobe-hsa.so */
	char *sim;	/* lib/probe/sim: the simulated GPU */
	char *handlers; /* lib/probe/handlers */
};

struct probe_err *run_layout_init(struct run_layout *layout);
void run_layout_deinit(struct run_layout *layout);
/* True if DIRECTORY/NAME exists and is readable. */
bool run_file_exists(const char *directory, const char *name);

#endif
