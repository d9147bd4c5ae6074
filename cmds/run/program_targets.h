/* SPDX-License-Identifier: MIT */
/*
 * For which GPUs the file of a program has kernels. HIP's kernels in the libraries of a program,
 * and those that it compiles or reads itself, are not found.
 */
#ifndef PROBE_CMDS_RUN_PROGRAM_TARGETS_H
#define PROBE_CMDS_RUN_PROGRAM_TARGETS_H

#include <stdbool.h>

/* Zeroed: no kernels, or the file cannot be read. */
struct run_targets {
	bool gfx90a, gfx942; /* they run on the simulated GPU of that name */
	char first[64];	     /* the target of the first code object, such as "gfx950:xnack-" */
};

/* `program` as for execvp(). */
struct run_targets run_program_targets(const char *program);

/* The same for one name of an offload bundle, "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-". */
void run_targets_add(struct run_targets *targets, const char *id);

#endif
