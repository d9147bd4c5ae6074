/* SPDX-License-Identifier: MIT */
/*
 * Loading and unloading of code objects. When an executable is frozen, each of its code objects is
 * copied into the segment, and its kernels enter the kernel table with their verdicts. Destroying
 * an executable removes them from the table first.
 */
#ifndef PROBE_HSA_PLUGIN_HOOKS_CODE_OBJECTS_H
#define PROBE_HSA_PLUGIN_HOOKS_CODE_OBJECTS_H

#include <hsa/hsa.h>

hsa_status_t probe_executable_freeze(hsa_executable_t executable, const char *options);
hsa_status_t probe_executable_destroy(hsa_executable_t executable);

#endif
