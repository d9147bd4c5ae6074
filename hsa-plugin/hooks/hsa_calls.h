/* SPDX-License-Identifier: MIT */
/* Calls of HSA through the table of functions, as records. */
#ifndef PROBE_HSA_PLUGIN_HOOKS_HSA_CALLS_H
#define PROBE_HSA_PLUGIN_HOOKS_HSA_CALLS_H

#include "hsa-plugin/runtime/api_table.h"

/* Function ids of HIP begin here; those of HSA are below. */
#define PROBE_HIP_FUNCTIONS 1000u

/*
 * Wraps the functions in the table, including Probe's own hooks. To be called once per
 * initialisation of the runtime.
 */
void probe_hsa_calls_install(struct probe_api_root *root);

#endif
