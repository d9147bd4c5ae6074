/* SPDX-License-Identifier: MIT */
/* Functions that are defined in place of another library's. */
#ifndef PROBE_SIMGPU_DRIVER_DRIVER_EXPORT_H
#define PROBE_SIMGPU_DRIVER_DRIVER_EXPORT_H

#define SIM_DRIVER_EXPORT __attribute__((visibility("default")))

#endif
