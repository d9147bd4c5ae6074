/* SPDX-License-Identifier: MIT */
/* Variables that a run adds to the application's environment (probe/env.h). */
#ifndef PROBE_CMDS_RUN_APPLICATION_ENVIRONMENT_H
#define PROBE_CMDS_RUN_APPLICATION_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct probe_err;
struct run_config;
struct run_layout;

struct run_variable {
	const char *name;
	char *value;
};

enum { RUN_VARIABLES_MAX = 32 };

/* Initially zero. */
struct run_environment {
	struct run_variable variables[RUN_VARIABLES_MAX];
	size_t count;
};

/* Other tools that the user has set remain, after Probe's. `socket` may be NULL. */
struct probe_err *run_environment_make(struct run_environment *environment,
				       const struct run_config *config,
				       const struct run_layout *layout, const char *socket,
				       bool simulated);
void run_environment_clear(struct run_environment *environment);
/* Prints them as shell commands. */
void run_environment_print(const struct run_environment *environment, FILE *out);

#endif
