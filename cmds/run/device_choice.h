/* SPDX-License-Identifier: MIT */
/* The GPU of this machine, or the simulated one. */
#ifndef PROBE_CMDS_RUN_DEVICE_CHOICE_H
#define PROBE_CMDS_RUN_DEVICE_CHOICE_H

#include <stdbool.h>

struct probe_err;
struct run_config;
struct run_layout;

bool run_gpu_present(void);
bool run_simulator_installed(const struct run_layout *layout);

/* As --device says; reports the choice. */
struct probe_err *run_device_choose(const struct run_config *config,
				    const struct run_layout *layout, bool *ret_simulated);
/* Log which one it is. */
void run_device_announce(const struct run_config *config, bool simulated);

#endif
