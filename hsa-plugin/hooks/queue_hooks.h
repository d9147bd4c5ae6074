/* SPDX-License-Identifier: MIT */
/* Hooks for all that an application does with a queue handle (queue.h). */
#ifndef PROBE_HSA_PLUGIN_HOOKS_QUEUE_HOOKS_H
#define PROBE_HSA_PLUGIN_HOOKS_QUEUE_HOOKS_H

#include "hsa-plugin/runtime/api_table.h"

/* Fill in the hooks about queues and doorbells. */
void probe_queue_hooks(struct probe_hsa_hooks *hooks);

/* The runtime has shut down, and its queues are gone. */
void probe_queue_hooks_forget(void);

#endif
