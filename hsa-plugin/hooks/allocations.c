/* SPDX-License-Identifier: MIT */
#include "hsa-plugin/hooks/allocations.h"

#include <errno.h>

#include "hsa-plugin/process/tool.h"
#include "hsa-plugin/trace/call_sites.h"

static void put(const void *address, size_t size, uint32_t source)
{
	struct probe_hr_allocation row = {
		.address = (uintptr_t)address,
		.size = size,
		.source = source,
	};
	char text[PROBE_CALL_SITE_MAX];
	struct iovec parts[] = {{&row, sizeof(row)}, {text, 0}};
	int saved = errno;

	row.frames_len = (uint32_t)probe_call_site(text);
	parts[1].iov_len = row.frames_len;
	probe_segment_put(&probe_tool.segment, PROBE_HR_ALLOCATION, parts, 2);
	errno = saved;
}

static void put_free(const void *address)
{
	struct probe_hr_free row = {.address = (uintptr_t)address};
	struct iovec part = {&row, sizeof(row)};
	int saved = errno;

	if (address && probe_tool_active())
		probe_segment_put(&probe_tool.segment, PROBE_HR_FREE, &part, 1);
	errno = saved;
}

static hsa_status_t pool_allocate(hsa_amd_memory_pool_t pool, size_t size, uint32_t flags,
				  void **ret)
{
	hsa_status_t status = probe_tool.hsa.memory_pool_allocate(pool, size, flags, ret);

	if (status == HSA_STATUS_SUCCESS && probe_tool_active())
		put(*ret, size, PROBE_ALLOCATION_POOL);
	return status;
}

static hsa_status_t pool_free(void *address)
{
	put_free(address);
	return probe_tool.hsa.memory_pool_free(address);
}

static hsa_status_t region_allocate(hsa_region_t region, size_t size, void **ret)
{
	hsa_status_t status = probe_tool.hsa.memory_allocate(region, size, ret);

	if (status == HSA_STATUS_SUCCESS && probe_tool_active())
		put(*ret, size, PROBE_ALLOCATION_REGION);
	return status;
}

static hsa_status_t region_free(void *address)
{
	put_free(address);
	return probe_tool.hsa.memory_free(address);
}

void probe_allocations_hooks(struct probe_hsa_hooks *hooks)
{
	hooks->memory_pool_allocate = pool_allocate;
	hooks->memory_pool_free = pool_free;
	hooks->memory_allocate = region_allocate;
	hooks->memory_free = region_free;
}
