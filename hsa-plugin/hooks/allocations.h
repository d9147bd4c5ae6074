/* SPDX-License-Identifier: MIT */
/*
 * Records the memory that the application allocates from the runtime: one record per allocation
 * with its call site in the application, and one when it is freed. Dispatches are not affected.
 * Allocations of this library itself do not pass through these hooks.
 */
#ifndef PROBE_HSA_PLUGIN_HOOKS_ALLOCATIONS_H
#define PROBE_HSA_PLUGIN_HOOKS_ALLOCATIONS_H

#include "hsa-plugin/runtime/api_table.h"

void probe_allocations_hooks(struct probe_hsa_hooks *hooks);

#endif
