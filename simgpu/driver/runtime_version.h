/* SPDX-License-Identifier: MIT */
/* The HSA runtime above this driver, known by the functions that it has. */
#ifndef PROBE_SIMGPU_DRIVER_RUNTIME_VERSION_H
#define PROBE_SIMGPU_DRIVER_RUNTIME_VERSION_H

#include <stdbool.h>

/*
 * False if it does not know the simulated device. It then ends in a crash, after a warning of its
 * own. True if the runtime is not loaded, as for programs that use the driver themselves.
 */
bool sim_runtime_knows_device(void);

/*
 * True for ROCr before 7.0, whose functions for virtual memory are not offered to programs: those
 * of HIP 6.4.3 crash in some runs. HIP 7 needs them for managed memory.
 */
bool sim_runtime_before_7(void);

#endif
