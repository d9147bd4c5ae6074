/* SPDX-License-Identifier: MIT */
/* Hooks for everything an application does with a queue handle; relay.h has the idea. */
#ifndef PROBE_HSA_QUEUES_H
#define PROBE_HSA_QUEUES_H

#include "hsa-plugin/api_table.h"

/* Fill in the hooks about queues and doorbells. */
void probe_queues_hooks(struct probe_hsa_hooks *hooks);

/* The runtime has gone down: its queues are no more. */
void probe_queues_forget(void);

#endif
