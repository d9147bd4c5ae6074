/* SPDX-License-Identifier: MIT */
/* Chooses the GPU of this machine or the simulated one. */
#ifndef PROBE_CMDS_RUN_DEVICE_CHOICE_H
#define PROBE_CMDS_RUN_DEVICE_CHOICE_H

#include <stdbool.h>

struct probe_err;
struct run_config;
struct run_layout;
struct run_targets;

bool run_gpu_present(void);
bool run_simulator_installed(const struct run_layout *layout);
/* The value of LD_PRELOAD with which a program finds the simulated GPU; NULL without memory. */
char *run_simulator_preload(const struct run_layout *layout);

/*
 * Applies --device, and returns the choice. If it is the simulated GPU, its target becomes
 * PROBE_SIM_DEVICE, for the program and for queries of agents, and *ret_targets is what `program`
 * has kernels for.
 */
struct probe_err *run_device_choose(const struct run_config *config,
				    const struct run_layout *layout, const char *program,
				    bool *ret_simulated, struct run_targets *ret_targets);
/* The target of the simulated GPU: of --device, else of PROBE_SIM_DEVICE, else gfx90a. */
const char *run_simulated_target(const struct run_config *config);
/* Logs the choice. Warns if `program` has kernels, but none for the simulated GPU. */
void run_device_announce(const struct run_config *config, const char *program, bool simulated,
			 const struct run_targets *targets);

#endif
