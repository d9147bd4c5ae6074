/* SPDX-License-Identifier: MIT */
/* Hooks for everything an application does with a queue handle (queue.h). */
#ifndef PROBE_HSA_PLUGIN_HOOKS_QUEUE_HOOKS_H
#define PROBE_HSA_PLUGIN_HOOKS_QUEUE_HOOKS_H

#include "hsa-plugin/runtime/api_table.h"

/* Sets the hooks for queues and doorbells. */
void probe_queue_hooks(struct probe_hsa_hooks *hooks);

/* For a runtime that has shut down, with its queues. */
void probe_queue_hooks_forget(void);

#endif
