/* SPDX-License-Identifier: MIT */
/* The topology that the driver would report: one CPU node and the gfx90a nodes. */
#include <string.h>
#include <unistd.h>

#include "simgpu/base/device_parameters.h"
#include "simgpu/base/sim_options.h"
#include "simgpu/base/simulated_device.h"
#include "simgpu/base/hsakmt_export.h"

enum {
	CPU_BANKS = 1,
	GPU_BANKS = 3,
	CPU_CACHES = 3,
	GPU_CACHES = 2,
	XGMI_ENGINES = 3,
};

static uint32_t host_cpus(void)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);

	return count > 0 ? (uint32_t)count : 1;
}

static uint64_t host_memory(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGE_SIZE);

	return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size : (uint64_t)1 << 32;
}

HSAKMT_STATUS hsaKmtAcquireSystemProperties(HsaSystemProperties *ret)
{
	*ret = (HsaSystemProperties){.NumNodes = sim_nodes()};
	return HSAKMT_STATUS_SUCCESS;
}

/* ROCr also calls this before the first acquire. */
HSAKMT_STATUS hsaKmtReleaseSystemProperties(void)
{
	return HSAKMT_STATUS_SUCCESS;
}

static void set_name(HsaNodeProperties *node, const char *marketing, const char *amd)
{
	for (size_t i = 0; i < HSA_PUBLIC_NAME_SIZE - 1 && marketing[i]; i++)
		node->MarketingName[i] = (HSAuint16)marketing[i];
	strncpy((char *)node->AMDName, amd, HSA_PUBLIC_NAME_SIZE - 1);
}

static void cpu_node(HsaNodeProperties *node)
{
	node->NumCPUCores = host_cpus();
	node->NumMemoryBanks = CPU_BANKS;
	node->NumCaches = CPU_CACHES;
	node->NumIOLinks = sim_options()->large_bar ? (uint32_t)sim_options()->gpus : 0;
	node->DrmRenderMinor = -1;
	node->MaxEngineClockMhzCCompute = 3000;
	set_name(node, "Host of the simulated GPU", "");
}

static void gpu_node(HsaNodeProperties *node, uint32_t index)
{
	node->NumFComputeCores = sim_device()->cus * SIM_SIMDS;
	node->NumMemoryBanks = GPU_BANKS;
	node->NumCaches = GPU_CACHES;
	node->NumIOLinks = (uint32_t)sim_options()->gpus; /* the CPU and the other GPUs */
	node->FComputeIdLo = 0x80000000;
	/* DoorbellType 2: the 64-bit value is the index of the last packet. */
	node->Capability.ui32.DoorbellType = 2;
	node->Capability.ui32.WatchPointsTotalBits = 2;
	node->Capability.ui32.ASICRevision = 1;
	/* It makes the target id gfx90a:sramecc+:xnack-. */
	node->Capability.ui32.SRAM_EDCSupport = 1;
	node->Capability.ui32.SVMAPISupported = 1;
	node->MaxWavesPerSIMD = SIM_SIMD_WAVES;
	node->LDSSizeInKB = SIM_CU_LDS / 1024;
	node->WaveFrontSize = 64;
	node->NumShaderBanks = sim_device()->engines;
	node->NumArrays = 1;
	node->NumCUPerArray = sim_device()->cus_per_engine;
	node->NumSIMDPerCU = SIM_SIMDS;
	node->MaxSlotsScratchCU = SIM_CU_WAVES;
	node->EngineId.ui32.Major = 9;
	node->EngineId.ui32.Minor = 0;
	node->EngineId.ui32.Stepping = 10;
	node->EngineId.ui32.uCode = 78;
	node->uCodeEngineVersions.uCodeSDMA = 8;
	node->VendorId = 0x1002;
	node->DeviceId = sim_device()->device_id;
	node->LocationId = 0x300 + (index << 8);
	node->LocalMemSize = sim_options()->vram_mib << 20;
	node->MaxEngineClockMhzFCompute = sim_device()->core_mhz;
	node->MaxEngineClockMhzCCompute = 3000;
	node->DrmRenderMinor = 128 + (int32_t)index;
	node->NumSdmaEngines = 2;
	/* Several GPUs form one hive of Infinity Fabric, like MI210s with bridges. */
	if (sim_options()->gpus > 1) {
		node->HiveID = 0x5052f0be;
		node->NumSdmaXgmiEngines = XGMI_ENGINES;
	}
	node->NumSdmaQueuesPerEngine = 8;
	node->NumCpQueues = 24;
	node->NumGws = 64; /* any value offers cooperative queues; one is implemented */
	node->UniqueID = 0x5052f0be90aULL + index;
	node->VGPRSizePerCU = SIM_SIMDS * SIM_SIMD_VGPRS * 64 * 4;
	node->SGPRSizePerCU = 16 << 10;
	set_name(node, sim_device()->marketing_name, sim_device()->code_name);
}

HSAKMT_STATUS hsaKmtGetNodeProperties(HSAuint32 node, HsaNodeProperties *ret)
{
	if (node >= sim_nodes())
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	memset(ret, 0, sizeof(*ret));
	if (node == SIM_NODE_CPU)
		cpu_node(ret);
	else
		gpu_node(ret, node - SIM_NODE_GPU);
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtGetNodeMemoryProperties(HSAuint32 node, HSAuint32 count,
					    HsaMemoryProperties *ret)
{
	const HsaMemoryProperties cpu[CPU_BANKS] = {
		{
			.HeapType = HSA_HEAPTYPE_SYSTEM,
			.SizeInBytes = host_memory(),
			.Width = 64,
			.MemoryClockMax = 3200,
		},
	};
	const HsaMemoryProperties gpu[GPU_BANKS] = {
		{
			.HeapType = HSA_HEAPTYPE_FRAME_BUFFER_PRIVATE,
			.SizeInBytes = sim_options()->vram_mib << 20,
			.Width = 4096,
			.MemoryClockMax = 1600,
		},
		{
			.HeapType = HSA_HEAPTYPE_GPU_LDS,
			.SizeInBytes = SIM_CU_LDS,
			.VirtualBaseAddress = SIM_LDS_APERTURE,
		},
		{
			.HeapType = HSA_HEAPTYPE_GPU_SCRATCH,
			.SizeInBytes = (uint64_t)4 << 30,
			.VirtualBaseAddress = SIM_SCRATCH_APERTURE,
		},
	};

	if (node >= sim_nodes())
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	for (HSAuint32 i = 0; i < count && i < (node ? GPU_BANKS : CPU_BANKS); i++)
		ret[i] = node ? gpu[i] : cpu[i];
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtGetNodeCacheProperties(HSAuint32 node, HSAuint32 processor, HSAuint32 count,
					   HsaCacheProperties *ret)
{
	static const struct sim_device_cache cpu[CPU_CACHES] = {
		{1, 32, 64}, {2, 1024, 64}, {3, 32768, 64}};
	const struct sim_device_cache *gpu = sim_device()->caches;

	if (node >= sim_nodes())
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	for (HSAuint32 i = 0; i < count && i < (node ? GPU_CACHES : CPU_CACHES); i++) {
		const struct sim_device_cache *row = node ? &gpu[i] : &cpu[i];

		memset(&ret[i], 0, sizeof(ret[i]));
		ret[i].ProcessorIdLow = processor;
		ret[i].CacheLevel = row->level;
		ret[i].CacheSize = row->kib;
		ret[i].CacheLineSize = row->line;
		ret[i].CacheLinesPerTag = 1;
		ret[i].CacheType.ui32.Data = 1;
		/* ROCr keeps only entries of the node's own kind and asserts that it found some. */
		ret[i].CacheType.ui32.CPU = node == SIM_NODE_CPU;
		ret[i].CacheType.ui32.HSACU = node != SIM_NODE_CPU;
	}
	return HSAKMT_STATUS_SUCCESS;
}

static HsaIoLinkProperties link_between(uint32_t from, uint32_t to)
{
	bool peers = from != SIM_NODE_CPU && to != SIM_NODE_CPU;

	/* Weights of the driver: 20 for PCIe, 15 for one hop of Infinity Fabric. */
	return (HsaIoLinkProperties){
		.IoLinkType = peers ? HSA_IOLINK_TYPE_XGMI : HSA_IOLINKTYPE_PCIEXPRESS,
		.NodeFrom = from,
		.NodeTo = to,
		.Weight = peers ? 15 : 20,
		.MaximumBandwidth = peers ? 50000 : 32000,
	};
}

/*
 * The link from the CPU to a GPU means "large BAR" to ROCr: with it the host writes device memory
 * directly, without it such copies go through SDMA.
 */
HSAKMT_STATUS hsaKmtGetNodeIoLinkProperties(HSAuint32 node, HSAuint32 count,
					    HsaIoLinkProperties *ret)
{
	HSAuint32 filled = 0;

	if (node >= sim_nodes())
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	for (uint32_t to = 0; to < sim_nodes() && filled < count; to++)
		if (to != node)
			ret[filled++] = link_between(node, to);
	return HSAKMT_STATUS_SUCCESS;
}
