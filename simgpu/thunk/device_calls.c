/* SPDX-License-Identifier: MIT */
/* The thunk's calls for the driver and the device as a whole, and those it refuses. */
#include <string.h>

#include "simgpu/exec/decode/code_cache.h"
#include "simgpu/base/device_clock.h"
#include "simgpu/base/queue_timeline.h"
#include "simgpu/base/device_parameters.h"
#include "simgpu/base/sim_log.h"
#include "simgpu/base/sim_options.h"
#include "simgpu/base/simulated_device.h"
#include "simgpu/diag/source_line.h"
#include "simgpu/base/hsakmt_export.h"
#include "simgpu/exec/wave.h"

/* ROCr calls this once per process, before any kernel, so the machine is set up here. */
HSAKMT_STATUS hsaKmtOpenKFD(void)
{
	if (sim_device() != sim_device_find("gfx90a")) {
		sim_print("the runtime in use (ROCr 5.2.3) does not know %s: only gfx90a can be "
			  "simulated under it",
			  sim_device()->target);
		return HSAKMT_STATUS_ERROR;
	}
	sim_pc_counting(sim_options()->pc || sim_options()->pcs || sim_options()->fidelity);
	sim_source_prepare();
	sim_clock_open(sim_timeline_last());
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtCloseKFD(void)
{
	return HSAKMT_STATUS_SUCCESS;
}

/* ROCr drops or rebuilds gfx9 agents below interface 1.4, and disables interrupts at 1.0. */
HSAKMT_STATUS hsaKmtGetVersion(HsaVersionInfo *ret)
{
	*ret = (HsaVersionInfo){.KernelInterfaceMajorVersion = 1, .KernelInterfaceMinorVersion = 8};
	return HSAKMT_STATUS_SUCCESS;
}

/*
 * Refused on purpose. ROCr then reads errors from each queue's inactive signal; every step of this
 * path (suspend, callback, HIP's message) is known to work with ROCr 5.2.3. With the KFD exception
 * path, ROCr ignores a wave's memory violation and expects trap-handler state (TTMP registers, save
 * areas) that only a debugger would read.
 */
HSAKMT_STATUS hsaKmtRuntimeEnable(void *debug, bool setup_ttmp)
{
	(void)debug;
	(void)setup_ttmp;
	return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtRuntimeDisable(void)
{
	return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtSetXNACKMode(HSAint32 enable)
{
	(void)enable;
	return HSAKMT_STATUS_NOT_SUPPORTED;
}

HSAKMT_STATUS hsaKmtGetXNACKMode(HSAint32 *ret)
{
	*ret = 0;
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtGetClockCounters(HSAuint32 node, HsaClockCounters *ret)
{
	struct sim_clock_pair now;

	if (node >= sim_nodes())
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	now = sim_clock_read(node != SIM_NODE_CPU);
	*ret = (HsaClockCounters){
		.GPUClockCounter = now.gpu,
		.CPUClockCounter = now.system,
		.SystemClockCounter = now.system,
		.SystemClockFrequencyHz = 1000000000u,
	};
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtGetTileConfig(HSAuint32 node, HsaGpuTileConfig *ret)
{
	if (!sim_is_gpu(node))
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	ret->NumTileConfigs = 0;
	ret->NumMacroTileConfigs = 0;
	ret->GbAddrConfig = 0;
	ret->NumBanks = 16;
	ret->NumRanks = 1;
	return HSAKMT_STATUS_SUCCESS;
}

/* Handler code is never executed: the machine implements its effects (s_trap, faults). */
HSAKMT_STATUS hsaKmtSetTrapHandler(HSAuint32 node, void *code, HSAuint64 code_size, void *buffer,
				   HSAuint64 buffer_size)
{
	(void)code;
	(void)code_size;
	(void)buffer;
	(void)buffer_size;
	return sim_is_gpu(node) ? HSAKMT_STATUS_SUCCESS : HSAKMT_STATUS_INVALID_NODE_UNIT;
}

HSAKMT_STATUS hsaKmtSetMemoryPolicy(HSAuint32 node, HSAuint32 fallback, HSAuint32 alternate,
				    void *base, HSAuint64 size)
{
	(void)node;
	(void)fallback;
	(void)alternate;
	(void)base;
	(void)size;
	return HSAKMT_STATUS_SUCCESS;
}

static HSAKMT_STATUS refuse(const char *call)
{
	sim_print("%s is not supported by the simulated GPU", call);
	return HSAKMT_STATUS_NOT_SUPPORTED;
}

#define REFUSE(name, ...)                                                                          \
	HSAKMT_STATUS name(__VA_ARGS__)                                                            \
	{                                                                                          \
		return refuse(#name);                                                              \
	}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* Sharing between processes and with graphics. */
REFUSE(hsaKmtShareMemory, void *address, HSAuint64 size, HsaSharedMemoryHandle *ret)
REFUSE(hsaKmtRegisterSharedHandle, const HsaSharedMemoryHandle *handle, void **address,
       HSAuint64 *size)
REFUSE(hsaKmtRegisterSharedHandleToNodes, const HsaSharedMemoryHandle *handle, void **address,
       HSAuint64 *size, HSAuint64 count, HSAuint32 *nodes)
REFUSE(hsaKmtRegisterGraphicsHandleToNodes, HSAuint64 handle, HsaGraphicsResourceInfo *info,
       HSAuint64 count, HSAuint32 *nodes)
REFUSE(hsaKmtMapGraphicHandle, HSAuint32 node, HSAuint64 device, HSAuint64 resource,
       HSAuint64 offset, HSAuint64 size, HSAuint64 *address)
REFUSE(hsaKmtUnmapGraphicHandle, HSAuint32 node, HSAuint64 address, HSAuint64 size)
REFUSE(hsaKmtProcessVMRead, HSAuint32 pid, HsaMemoryRange *local, HSAuint64 local_count,
       HsaMemoryRange *remote, HSAuint64 remote_count, HSAuint64 *copied)
REFUSE(hsaKmtProcessVMWrite, HSAuint32 pid, HsaMemoryRange *local, HSAuint64 local_count,
       HsaMemoryRange *remote, HSAuint64 remote_count, HSAuint64 *copied)

/* Debugger. */
REFUSE(hsaKmtDbgRegister, HSAuint32 node)
REFUSE(hsaKmtDbgUnregister, HSAuint32 node)
REFUSE(hsaKmtDbgWavefrontControl, HSAuint32 node, HSA_DBG_WAVEOP operand, HSA_DBG_WAVEMODE mode,
       HSAuint32 trap, HsaDbgWaveMessage *ring)
REFUSE(hsaKmtDbgAddressWatch, HSAuint32 node, HSAuint32 count, HSA_DBG_WATCH_MODE modes[],
       void *addresses[], HSAuint64 masks[], HsaEvent *events[])
REFUSE(hsaKmtGetKernelDebugTrapVersionInfo, HSAuint32 *major, HSAuint32 *minor)
REFUSE(hsaKmtGetQueueInfo, HSA_QUEUEID queue, HsaQueueInfo *info)

/* Performance counters of the driver; probe_sim.h offers the simulator's own. */
REFUSE(hsaKmtPmcGetCounterProperties, HSAuint32 node, HsaCounterProperties **ret)
REFUSE(hsaKmtPmcRegisterTrace, HSAuint32 node, HSAuint32 count, HsaCounter *counters,
       HsaPmcTraceRoot *root)
REFUSE(hsaKmtPmcUnregisterTrace, HSAuint32 node, HSATraceId trace)
REFUSE(hsaKmtPmcAcquireTraceAccess, HSAuint32 node, HSATraceId trace)
REFUSE(hsaKmtPmcReleaseTraceAccess, HSAuint32 node, HSATraceId trace)
REFUSE(hsaKmtPmcStartTrace, HSATraceId trace, void *buffer, HSAuint64 size)
REFUSE(hsaKmtPmcQueryTrace, HSATraceId trace)
REFUSE(hsaKmtPmcStopTrace, HSATraceId trace)
REFUSE(hsaKmtSPMAcquire, HSAuint32 node)
REFUSE(hsaKmtSPMRelease, HSAuint32 node)
REFUSE(hsaKmtSPMSetDestBuffer, HSAuint32 node, HSAuint32 size, HSAuint32 *timeout,
       HSAuint32 *copied, void *buffer, bool *loss)

#pragma GCC diagnostic pop
