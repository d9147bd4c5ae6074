/* SPDX-License-Identifier: MIT */
/* The thunk's memory calls: flags and structs of hsakmttypes.h on top of gpu_allocations.c. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "simgpu/base/sim_log.h"
#include "simgpu/mem/gpu_allocations.h"
#include "simgpu/mem/managed_memory.h"
#include "simgpu/base/sim_options.h"
#include "simgpu/base/hsakmt_export.h"

static HSAKMT_STATUS status_of(int err)
{
	switch (err) {
	case 0:
		return HSAKMT_STATUS_SUCCESS;
	case -ENOMEM:
		return HSAKMT_STATUS_NO_MEMORY;
	case -EINVAL:
		return HSAKMT_STATUS_INVALID_PARAMETER;
	default:
		return HSAKMT_STATUS_ERROR;
	}
}

static uint32_t access_of(HsaMemFlags flags)
{
	uint32_t access = SIM_MEM_READ;

	if (!flags.ui32.ReadOnly)
		access |= SIM_MEM_WRITE;
	if (flags.ui32.ExecuteAccess)
		access |= SIM_MEM_EXEC;
	return access;
}

HSAKMT_STATUS hsaKmtAllocMemory(HSAuint32 node, HSAuint64 size, HsaMemFlags flags, void **address)
{
	struct sim_block want = {
		.kind = SIM_BLOCK_ALLOC,
		.size = size,
		.node = node,
		.mem_flags = flags.Value,
		.access = access_of(flags),
	};
	uint64_t base;
	int err;

	if (node >= sim_nodes())
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	if (flags.ui32.GDSMemory)
		return HSAKMT_STATUS_NOT_SUPPORTED;
	if (flags.ui32.FixedAddress)
		want.base = (uint64_t)(uintptr_t)*address;
	/*
	 * Scratch is one reservation of 4 GiB that ROCr divides. The driver maps it to the GPU as
	 * it is used, so it is accessible from the start. It does not count as device memory.
	 */
	if (flags.ui32.Scratch) {
		want.node = SIM_NODE_CPU;
		want.mapped = 1;
		want.nodes[0] = node;
		want.node_count = 1;
	}
	err = sim_mem_alloc(&want, &base);
	sim_debug(1, "alloc node %u, %llu bytes, flags 0x%x: %s", node, (unsigned long long)size,
		  flags.Value, err ? strerror(-err) : "ok");
	if (err)
		return status_of(err);
	*address = (void *)(uintptr_t)base;
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtFreeMemory(void *address, HSAuint64 size)
{
	(void)size;
	return status_of(sim_mem_free((uint64_t)(uintptr_t)address));
}

/* The driver pins pages, so it detects missing ones; PROT_NONE pages are accepted here. */
static bool process_has(uint64_t base, uint64_t size)
{
	enum { CHUNK_PAGES = 4096 };
	uint64_t at = base & ~(uint64_t)(SIM_PAGE - 1), end = base + size;
	unsigned char present[CHUNK_PAGES];

	if (end < base)
		return false;
	while (at < end) {
		uint64_t part = (uint64_t)CHUNK_PAGES * SIM_PAGE;

		if (end - at < part)
			part = end - at;
		if (mincore((void *)(uintptr_t)at, part, present))
			return false;
		at += part;
	}
	return true;
}

HSAKMT_STATUS hsaKmtRegisterMemoryWithFlags(void *address, HSAuint64 size, HsaMemFlags flags)
{
	uint64_t base = (uint64_t)(uintptr_t)address;
	struct sim_block block = {
		.kind = SIM_BLOCK_USER,
		.base = base,
		.size = size,
		.node = SIM_NODE_CPU,
		.mem_flags = flags.Value,
		.access = access_of(flags) & ~(uint32_t)SIM_MEM_EXEC,
		.registered = 1,
	};
	struct sim_block inside;

	/* Memory allocated here needs no pinning; registering it succeeds without effect. */
	if (!sim_mem_query(base, &inside) && inside.kind == SIM_BLOCK_ALLOC)
		return HSAKMT_STATUS_SUCCESS;
	if (!process_has(base, size)) {
		sim_debug(1, "registration of %p, %llu bytes: not memory of the process", address,
			  (unsigned long long)size);
		return HSAKMT_STATUS_INVALID_PARAMETER;
	}
	return status_of(sim_mem_register(&block));
}

HSAKMT_STATUS hsaKmtRegisterMemory(void *address, HSAuint64 size)
{
	return hsaKmtRegisterMemoryWithFlags(address, size, (HsaMemFlags){0});
}

HSAKMT_STATUS hsaKmtRegisterMemoryToNodes(void *address, HSAuint64 size, HSAuint64 count,
					  HSAuint32 *nodes)
{
	(void)count;
	(void)nodes;
	return hsaKmtRegisterMemoryWithFlags(address, size, (HsaMemFlags){0});
}

HSAKMT_STATUS hsaKmtDeregisterMemory(void *address)
{
	uint64_t base = (uint64_t)(uintptr_t)address;
	struct sim_block block;

	if (!sim_mem_deregister(base))
		return HSAKMT_STATUS_SUCCESS;
	if (!sim_mem_query(base, &block) && block.kind == SIM_BLOCK_ALLOC)
		return HSAKMT_STATUS_SUCCESS;
	return HSAKMT_STATUS_MEMORY_NOT_REGISTERED;
}

static HSAKMT_STATUS map_to(void *address, HSAuint64 *alternate, uint64_t count,
			    const HSAuint32 *nodes)
{
	uint64_t gpu;

	if (!count || count > sim_nodes())
		return HSAKMT_STATUS_INVALID_PARAMETER;
	for (uint64_t i = 0; i < count; i++)
		if (nodes[i] >= sim_nodes())
			return HSAKMT_STATUS_INVALID_NODE_UNIT;
	if (sim_mem_map((uint64_t)(uintptr_t)address, nodes, (uint32_t)count, &gpu)) {
		sim_debug(1, "map of %p: no such memory", address);
		return HSAKMT_STATUS_INVALID_PARAMETER;
	}
	if (alternate)
		*alternate = gpu;
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtMapMemoryToGPU(void *address, HSAuint64 size, HSAuint64 *alternate)
{
	HSAuint32 nodes[SIM_GPUS];
	struct sim_block block;
	uint32_t count = 0;

	(void)size;
	/* Device memory is mapped to its own GPU, host memory to all. */
	if (!sim_mem_query((uint64_t)(uintptr_t)address, &block) && block.node != SIM_NODE_CPU)
		return map_to(address, alternate, 1, &block.node);
	for (uint32_t node = SIM_NODE_GPU; node < sim_nodes(); node++)
		nodes[count++] = node;
	return map_to(address, alternate, count, nodes);
}

HSAKMT_STATUS hsaKmtMapMemoryToGPUNodes(void *address, HSAuint64 size, HSAuint64 *alternate,
					HsaMemMapFlags flags, HSAuint64 count, HSAuint32 *nodes)
{
	(void)size;
	(void)flags;
	return map_to(address, alternate, count, nodes);
}

HSAKMT_STATUS hsaKmtUnmapMemoryToGPU(void *address)
{
	return sim_mem_unmap((uint64_t)(uintptr_t)address) ? HSAKMT_STATUS_INVALID_PARAMETER
							   : HSAKMT_STATUS_SUCCESS;
}

static HSA_POINTER_TYPE pointer_type(enum sim_block_kind kind)
{
	return kind == SIM_BLOCK_USER || kind == SIM_BLOCK_SVM ? HSA_POINTER_REGISTERED_USER
							       : HSA_POINTER_ALLOCATED;
}

HSAKMT_STATUS hsaKmtQueryPointerInfo(const void *pointer, HsaPointerInfo *info)
{
	struct sim_block block;

	memset(info, 0, sizeof(*info));
	/* ROCr asserts that an unknown pointer returns this type together with an error. */
	info->Type = HSA_POINTER_UNKNOWN;
	if (sim_mem_query((uint64_t)(uintptr_t)pointer, &block) || block.kind == SIM_BLOCK_SVM)
		return HSAKMT_STATUS_ERROR;
	info->Type = pointer_type(block.kind);
	info->Node = block.node;
	info->MemFlags.Value = block.mem_flags;
	info->CPUAddress = (void *)(uintptr_t)block.base;
	info->GPUAddress = block.gpu;
	info->SizeInBytes = block.size;
	info->NMappedNodes = block.node_count;
	info->MappedNodes = block.node_list;
	if (block.kind == SIM_BLOCK_USER) {
		info->NRegisteredNodes = block.node_count;
		info->RegisteredNodes = block.node_list;
	}
	info->UserData = block.user_data;
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtSetMemoryUserData(const void *pointer, void *data)
{
	return sim_mem_set_user_data((uint64_t)(uintptr_t)pointer, data) ? HSAKMT_STATUS_ERROR
									 : HSAKMT_STATUS_SUCCESS;
}

/* hipMallocManaged is host memory whose range becomes accessible by ACCESS attributes. */
HSAKMT_STATUS hsaKmtSVMSetAttr(void *address, HSAuint64 size, unsigned int count,
			       HSA_SVM_ATTRIBUTE *attrs)
{
	return status_of(sim_svm_set((uint64_t)(uintptr_t)address, size,
				     (struct sim_svm_attribute *)attrs, count));
}

HSAKMT_STATUS hsaKmtSVMGetAttr(void *address, HSAuint64 size, unsigned int count,
			       HSA_SVM_ATTRIBUTE *attrs)
{
	return status_of(sim_svm_get((uint64_t)(uintptr_t)address, size,
				     (struct sim_svm_attribute *)attrs, count));
}
