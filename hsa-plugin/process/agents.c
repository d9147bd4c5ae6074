/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/process/agents.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hsa_status_t add_agent(hsa_agent_t handle, void *data)
{
	struct probe_tool *tool = data;
	struct probe_agent *agent = &tool->agents[tool->agent_count];
	hsa_device_type_t type = HSA_DEVICE_TYPE_DSP;

	if (tool->agent_count == PROBE_AGENTS_MAX)
		return HSA_STATUS_INFO_BREAK;
	memset(agent, 0, sizeof(*agent));
	agent->handle = handle;
	agent->index = tool->agent_count++;
	tool->hsa.agent_get_info(handle, HSA_AGENT_INFO_DEVICE, &type);
	agent->gpu = type == HSA_DEVICE_TYPE_GPU;
	return HSA_STATUS_SUCCESS;
}

struct pool_search {
	struct probe_tool *tool;
	struct probe_agent *agent;
};

static hsa_status_t look_at_pool(hsa_amd_memory_pool_t pool, void *data)
{
	struct pool_search *search = data;
	struct probe_hsa *hsa = &search->tool->hsa;
	hsa_amd_segment_t segment = HSA_AMD_SEGMENT_GLOBAL;
	uint32_t flags = 0;
	size_t size = 0;
	bool allowed = false, wanted;

	if (hsa->memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment))
		return HSA_STATUS_SUCCESS;
	hsa->memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SIZE, &size);
	if (segment == HSA_AMD_SEGMENT_GROUP)
		search->agent->lds_max = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
	if (segment != HSA_AMD_SEGMENT_GLOBAL)
		return HSA_STATUS_SUCCESS;
	hsa->memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
	hsa->memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &allowed);
	if (search->agent->gpu)
		wanted = flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;
	else
		wanted = flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT;
	if (wanted && allowed && !search->agent->memory.handle)
		search->agent->memory = pool;
	return HSA_STATUS_SUCCESS;
}

static hsa_status_t look_at_region(hsa_region_t region, void *data)
{
	struct pool_search *search = data;
	struct probe_hsa *hsa = &search->tool->hsa;
	hsa_region_segment_t segment = HSA_REGION_SEGMENT_GROUP;
	uint32_t flags = 0;
	bool allowed = false;

	hsa->region_get_info(region, HSA_REGION_INFO_SEGMENT, &segment);
	hsa->region_get_info(region, HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED, &allowed);
	if (segment != HSA_REGION_SEGMENT_GLOBAL || !allowed)
		return HSA_STATUS_SUCCESS;
	hsa->region_get_info(region, HSA_REGION_INFO_GLOBAL_FLAGS, &flags);
	if (flags & HSA_REGION_GLOBAL_FLAG_FINE_GRAINED && !search->agent->region.handle)
		search->agent->region = region;
	return HSA_STATUS_SUCCESS;
}

static uint32_t number(const struct probe_tool *tool, hsa_agent_t agent, int attribute)
{
	uint32_t value = 0;

	tool->hsa.agent_get_info(agent, (hsa_agent_info_t)attribute, &value);
	return value;
}

void probe_agents_find(struct probe_tool *tool)
{
	tool->agent_count = 0;
	tool->host = NULL;
	tool->hsa.iterate_agents(add_agent, tool);
	for (uint32_t i = 0; i < tool->agent_count; i++) {
		struct probe_agent *agent = &tool->agents[i];
		struct pool_search search = {tool, agent};

		tool->hsa.agent_iterate_memory_pools(agent->handle, look_at_pool, &search);
		if (agent->gpu) {
			agent->queue_max =
				number(tool, agent->handle, HSA_AGENT_INFO_QUEUE_MAX_SIZE);
			agent->compute_units =
				number(tool, agent->handle, HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT);
			agent->wave_slots =
				agent->compute_units *
				number(tool, agent->handle, HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU);
			tool->hsa.agent_get_info(agent->handle, HSA_AGENT_INFO_NAME, agent->target);
			continue;
		}
		tool->hsa.agent_iterate_regions(agent->handle, look_at_region, &search);
		if (!tool->host && agent->memory.handle && agent->region.handle)
			tool->host = agent;
	}
}

static hsa_status_t first_isa(hsa_agent_t agent, const struct probe_hsa *hsa, char *ret,
			      size_t room)
{
	hsa_isa_t isa = {0};
	uint32_t length = 0;
	hsa_status_t status;
	__typeof__(hsa_isa_get_info_alt) *get_info = hsa->isa_get_info_alt;

	status = hsa->agent_get_info(agent, HSA_AGENT_INFO_ISA, &isa);
	if (status || !isa.handle)
		return HSA_STATUS_ERROR;
	status = get_info(isa, HSA_ISA_INFO_NAME_LENGTH, &length);
	if (status || !length || length >= room)
		return HSA_STATUS_ERROR;
	return get_info(isa, HSA_ISA_INFO_NAME, ret);
}

/*
 * "gfx90a:sramecc+:xnack-" from the ISA name "amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"; a CPU has
 * no ISA, only a name.
 */
static void agent_name(const struct probe_tool *tool, const struct probe_agent *agent, char *ret,
		       size_t room)
{
	char isa[256] = "";
	char *at;

	memset(ret, 0, room);
	if (agent->gpu && !first_isa(agent->handle, &tool->hsa, isa, sizeof(isa))) {
		at = strstr(isa, "--");
		snprintf(ret, room, "%s", at ? at + 2 : isa);
		return;
	}
	tool->hsa.agent_get_info(agent->handle, HSA_AGENT_INFO_NAME, ret);
}

/* The number in "GPU-0123456789abcdef"; 0 for other texts. */
static uint64_t agent_uuid(const struct probe_tool *tool, const struct probe_agent *agent)
{
	char text[64] = "";
	char *at;

	if (tool->hsa.agent_get_info(agent->handle, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_UUID,
				     text))
		return 0;
	at = strchr(text, '-');
	return at ? strtoull(at + 1, NULL, 16) : 0;
}

static void put_agent(struct probe_tool *tool, const struct probe_agent *agent)
{
	char name[256], product[128] = "", vendor[128] = "";
	struct probe_hr_agent row = {
		.handle = agent->handle.handle,
		.index = agent->index,
		.type = agent->gpu,
		.compute_units = number(tool, agent->handle, HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT),
		.wave_slots = agent->wave_slots,
		.wave_size = number(tool, agent->handle, HSA_AGENT_INFO_WAVEFRONT_SIZE),
		.clock_mhz = number(tool, agent->handle, HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY),
		.timestamp_hz = tool->tick_hz,
		.uuid = agent_uuid(tool, agent),
		.node = number(tool, agent->handle, HSA_AMD_AGENT_INFO_DRIVER_NODE_ID),
	};

	agent_name(tool, agent, name, sizeof(name));
	tool->hsa.agent_get_info(agent->handle, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_PRODUCT_NAME,
				 product);
	tool->hsa.agent_get_info(agent->handle, HSA_AGENT_INFO_VENDOR_NAME, vendor);
	row.name_len = (uint32_t)strnlen(name, sizeof(name));
	row.product_len = (uint32_t)strnlen(product, sizeof(product));
	row.vendor_len = (uint32_t)strnlen(vendor, sizeof(vendor));
	struct iovec parts[] = {
		{&row, sizeof(row)},
		{name, row.name_len},
		{product, row.product_len},
		{vendor, row.vendor_len},
	};
	probe_segment_put_wait(&tool->segment, PROBE_HR_AGENT, parts, 4, 100000000);
}

void probe_agents_put(struct probe_tool *tool)
{
	for (uint32_t i = 0; i < tool->agent_count; i++)
		put_agent(tool, &tool->agents[i]);
}

uint32_t probe_agents_rings(const struct probe_tool *tool)
{
	uint64_t slots = 0;
	uint32_t rings = 1;

	for (uint32_t i = 0; i < tool->agent_count; i++)
		slots += tool->agents[i].wave_slots;
	while (rings < slots && rings < 1u << 16)
		rings *= 2;
	return slots ? rings : 0;
}

struct probe_agent *probe_agent_of(struct probe_tool *tool, hsa_agent_t handle)
{
	for (uint32_t i = 0; i < tool->agent_count; i++)
		if (tool->agents[i].handle.handle == handle.handle)
			return &tool->agents[i];
	return NULL;
}

static void *allocate(struct probe_tool *tool, hsa_amd_memory_pool_t pool,
		      const struct probe_agent *gpu, size_t size)
{
	void *memory = NULL;

	if (!pool.handle || tool->hsa.memory_pool_allocate(pool, size, 0, &memory))
		return NULL;
	if (tool->hsa.agents_allow_access(1, &gpu->handle, NULL, memory)) {
		tool->hsa.memory_pool_free(memory);
		return NULL;
	}
	return memory;
}

void *probe_agent_host_memory(struct probe_tool *tool, const struct probe_agent *gpu, size_t size)
{
	void *memory = tool->host ? allocate(tool, tool->host->memory, gpu, size) : NULL;

	if (memory)
		memset(memory, 0, size);
	return memory;
}

void *probe_agent_device_memory(struct probe_tool *tool, const struct probe_agent *gpu, size_t size)
{
	return allocate(tool, gpu->memory, gpu, size);
}
