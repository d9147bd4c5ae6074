/* SPDX-License-Identifier: MIT */
/* Where the parts of the installation are. */
#ifndef PROBE_CMDS_OPTIONS_INSTALL_PATHS_H
#define PROBE_CMDS_OPTIONS_INSTALL_PATHS_H

#include <stdbool.h>

struct probe_err;

/* Absolute paths, found from /proc/self/exe: the same in a build tree and when installed. */
struct run_layout {
	char *root;
	char *tool;	/* lib/probe/libprobe-hsa.so */
	char *sim;	/* lib/probe/sim: the simulated GPU */
	char *handlers; /* lib/probe/handlers */
};

struct probe_err *run_layout_init(struct run_layout *layout);
void run_layout_deinit(struct run_layout *layout);
/* Is DIRECTORY/NAME there and readable? */
bool run_file_exists(const char *directory, const char *name);

#endif
