/* SPDX-License-Identifier: MIT */
/*
 * For which GPUs the file of a program has kernels. HIP's kernels in the libraries of a program,
 * and those that it compiles or reads itself, are not found.
 */
#ifndef PROBE_CMDS_RECORD_PROGRAM_TARGETS_H
#define PROBE_CMDS_RECORD_PROGRAM_TARGETS_H

#include <stdbool.h>

/* Zeroed: no kernels, or the file cannot be read. */
struct run_targets {
	char names[512]; /* "gfx90a, gfx950:xnack-": each target once, in the order of the file */
	bool more; /* code for other GPUs, too: SPIR-V, or targets that `names` has no space for */
};

/* `path`: may be NULL. */
struct run_targets run_program_targets(const char *path);

/* Adds one name of an offload bundle, "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-". */
void run_targets_add(struct run_targets *targets, const char *id);

/*
 * True if some of the kernels of `names` run on a GPU such as "gfx90a" with "sramecc+:xnack-". A
 * target that does not mention a feature runs with either setting.
 */
bool run_targets_fit(const struct run_targets *targets, const char *arch, const char *features);

/* The same for the simulated GPU of that name. */
bool run_targets_fit_simulated(const struct run_targets *targets, const char *arch);
/* A simulated GPU that they run on, "gfx90a", or NULL. */
const char *run_simulated_fit(const struct run_targets *targets);

#endif
