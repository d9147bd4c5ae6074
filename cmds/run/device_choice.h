/* SPDX-License-Identifier: MIT */
/* Chooses the GPU of this machine or the simulated one. */
#ifndef PROBE_CMDS_RUN_DEVICE_CHOICE_H
#define PROBE_CMDS_RUN_DEVICE_CHOICE_H

#include <stdbool.h>

struct probe_err;
struct run_config;
struct run_layout;

bool run_gpu_present(void);
bool run_simulator_installed(const struct run_layout *layout);
/* The value of LD_PRELOAD with which a program finds the simulated GPU; NULL without memory. */
char *run_simulator_preload(const struct run_layout *layout);

/* Applies --device, and returns the choice. */
struct probe_err *run_device_choose(const struct run_config *config,
				    const struct run_layout *layout, bool *ret_simulated);
/* The target of the simulated GPU: of --device, else of PROBE_SIM_DEVICE, else gfx90a. */
const char *run_simulated_target(const struct run_config *config);
/* Logs the choice. */
void run_device_announce(const struct run_config *config, bool simulated);

#endif
