/* SPDX-License-Identifier: MIT */
/* Where our parts lie, and where a run's file goes. */
#ifndef PROBE_CMDS_OPTIONS_INSTALL_PATHS_H
#define PROBE_CMDS_OPTIONS_INSTALL_PATHS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct probe_err;

/* Absolute paths, found from /proc/self/exe: the same in a build tree and when installed. */
struct run_layout {
	char *root;
	char *tool;	/* lib/probe/libprobe-hsa.so */
	char *sim;	/* lib/probe/sim, holds libhsakmt.so.1 */
	char *handlers; /* lib/probe/handlers */
};

struct probe_err *run_layout_init(struct run_layout *layout);
void run_layout_deinit(struct run_layout *layout);
bool run_file_exists(const char *directory, const char *name);

/* What the keys of output names stand for. `environment`: NUL-separated, e.g. /proc/PID/environ. */
struct run_keys {
	pid_t pid;
	const char *environment;
	size_t environment_size;
};

/* Refuse unknown and unfinished keys before anything runs. */
struct probe_err *run_keys_check(const char *text);

/* Does the name differ from process to process? */
bool run_keys_vary(const char *text);

/* Expanded text to be freed, NULL without memory. %rank% without a rank is 0, %env{X}% empty. */
char *run_keys_expand(const char *text, const struct run_keys *keys);

/* DIRECTORY/FILE, or FILE alone if it begins with '/', expanded; ".db" is added where it lacks. */
char *run_output_path(const char *directory, const char *file, const struct run_keys *keys);

/* Make the directories in front of the last '/', mode 0700. 0 or -errno. */
int run_make_parents(const char *path);

#endif
