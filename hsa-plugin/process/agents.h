/* SPDX-License-Identifier: MIT */
/* The agents of the runtime: their memory pools, and their records for the store. */
#ifndef PROBE_HSA_PLUGIN_PROCESS_AGENTS_H
#define PROBE_HSA_PLUGIN_PROCESS_AGENTS_H

#include "hsa-plugin/process/tool.h"

/* Fills tool->agents and tool->host. */
void probe_agents_find(struct probe_tool *tool);
void probe_agents_put(struct probe_tool *tool);

/* Wave slots of all GPUs, rounded up to a power of two: enough rings for every resident wave. */
uint32_t probe_agents_rings(const struct probe_tool *tool);

struct probe_agent *probe_agent_of(struct probe_tool *tool, hsa_agent_t handle);

/* Host memory that the CPU and this GPU share, for arguments and signals. NULL on failure. */
void *probe_agent_host_memory(struct probe_tool *tool, const struct probe_agent *gpu, size_t size);

/* Memory of the GPU itself. */
void *probe_agent_device_memory(struct probe_tool *tool, const struct probe_agent *gpu,
				size_t size);

#endif
