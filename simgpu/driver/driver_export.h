/* SPDX-License-Identifier: MIT */
/* Functions defined in place of those of other libraries. */
#ifndef PROBE_SIMGPU_DRIVER_DRIVER_EXPORT_H
#define PROBE_SIMGPU_DRIVER_DRIVER_EXPORT_H

#define SIM_DRIVER_EXPORT __attribute__((visibility("default")))

#endif
