/* SPDX-License-Identifier: MIT */
/* Names of output files: expands their keys. */
#ifndef PROBE_CMDS_OPTIONS_OUTPUT_PATH_H
#define PROBE_CMDS_OPTIONS_OUTPUT_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct probe_err;
struct run_config;

/* The values of keys in output names. `environment`: NUL-separated, e.g. /proc/PID/environ. */
struct run_keys {
	pid_t pid;
	const char *environment;
	size_t environment_size;
};

/* Rejects unknown and unterminated keys before anything runs. */
struct probe_err *run_keys_check(const char *text);

/* True if the name differs between processes. */
bool run_keys_vary(const char *text);

/*
 * The expanded text, which the caller frees; NULL without memory. %rank% without a rank is 0,
 * %env{X}% without the variable is empty.
 */
char *run_keys_expand(const char *text, const struct run_keys *keys);

/* DIRECTORY/FILE, or FILE alone if it begins with '/', expanded; ".db" is appended if missing. */
char *run_output_path(const char *directory, const char *file, const struct run_keys *keys);

/* Creates the directories before the last '/', mode 0700. Returns 0 or -errno. */
int run_make_parents(const char *path);

#endif
