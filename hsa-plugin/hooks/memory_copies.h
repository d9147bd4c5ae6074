/* SPDX-License-Identifier: MIT */
/* Hooks for asynchronous copies (trace/copies.h). */
#ifndef PROBE_HSA_PLUGIN_HOOKS_MEMORY_COPIES_H
#define PROBE_HSA_PLUGIN_HOOKS_MEMORY_COPIES_H

#include "hsa-plugin/runtime/api_table.h"

void probe_memory_copies_hooks(struct probe_hsa_hooks *hooks);

#endif
