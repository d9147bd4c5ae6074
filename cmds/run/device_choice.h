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
/*
 * Whether the simulated GPU is below ROCr's own thunk (libprobe-sim.so is preloaded) or takes the
 * thunk's place (its folder is in front in LD_LIBRARY_PATH). PROBE_SIM_INTERFACE says driver or
 * thunk; without it, the thunk where it was built, that is, for ROCr 5.2.3.
 */
bool run_simulator_preloaded(const struct run_layout *layout);
/* What to add to LD_PRELOAD; NULL if out of memory. */
char *run_simulator_preload(const struct run_layout *layout);

/* As --device says; reports the choice. */
struct probe_err *run_device_choose(const struct run_config *config,
				    const struct run_layout *layout, bool *ret_simulated);
/* Log which one it is. */
void run_device_announce(const struct run_config *config, bool simulated);

#endif
