/* SPDX-License-Identifier: MIT */
/* Names of output files: what their keys stand for, and whether a run can write them. */
#ifndef PROBE_CMDS_OPTIONS_OUTPUT_PATH_H
#define PROBE_CMDS_OPTIONS_OUTPUT_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct probe_err;
struct run_config;

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

/*
 * Before the program starts: refuse unknown keys, a file that exists without --force, and a
 * directory that cannot be written. A directory whose name is known is made.
 */
struct probe_err *run_output_check(const struct run_config *config);

#endif
