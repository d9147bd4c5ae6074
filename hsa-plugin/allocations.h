/* SPDX-License-Identifier: MIT */
/*
 * Memory that the application asks the runtime for: a record per allocation with the place in the
 * application that asked, and one when it is freed. Nothing happens on a dispatch. Allocations that
 * the tool makes for itself do not come by here.
 */
#ifndef PROBE_HSA_ALLOCATIONS_H
#define PROBE_HSA_ALLOCATIONS_H

#include "hsa-plugin/api_table.h"

void probe_allocations_hooks(struct probe_hsa_hooks *hooks);

#endif
