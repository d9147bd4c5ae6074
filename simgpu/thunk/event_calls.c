/* SPDX-License-Identifier: MIT */
/* The thunk's event calls: handles of hsakmttypes.h on top of interrupt_events.c. */
#include <errno.h>
#include <stdlib.h>

#include "simgpu/base/device_parameters.h"
#include "simgpu/base/hsakmt_export.h"
#include "simgpu/event/interrupt_events.h"

/* By id. Set only while the event exists, so no wait or fault sees a stale handle. */
static HsaEvent *_Atomic handles[SIM_EVENTS];

/*
 * Stores the fault in the handle at once, not only when a wait ends: while one of its signals has
 * no event, ROCr's thread for asynchronous events polls and does not call the thunk. Flags is the
 * field that it checks, so it is written last.
 */
static void report_fault(uint32_t id, const struct sim_memory_fault *fault)
{
	HsaEvent *handle = handles[id];
	HsaMemoryAccessFault *report;

	if (!handle)
		return;
	report = &handle->EventData.EventData.MemoryAccessFault;
	report->NodeId = fault->node;
	report->VirtualAddress = fault->addr;
	report->Failure.NotPresent = !fault->read_only && !fault->no_execute;
	report->Failure.ReadOnly = fault->read_only;
	report->Failure.NoExecute = fault->no_execute;
	__atomic_store_n(&report->Flags, HSA_EVENTID_MEMORY_FATAL_PROCESS, __ATOMIC_RELEASE);
}

HSAKMT_STATUS hsaKmtCreateEvent(HsaEventDescriptor *descriptor, bool manual, bool set,
				HsaEvent **ret)
{
	HsaEvent *handle = calloc(1, sizeof(*handle));
	uint32_t id;

	if (!handle)
		return HSAKMT_STATUS_NO_MEMORY;
	sim_event_on_fault(report_fault);
	if (sim_event_create(descriptor->EventType, manual, set, &id)) {
		free(handle);
		return HSAKMT_STATUS_NO_MEMORY;
	}
	handle->EventId = id;
	handle->EventData.EventType = descriptor->EventType;
	handle->EventData.EventData.SyncVar = descriptor->SyncVar;
	if (descriptor->EventType == HSA_EVENTTYPE_SIGNAL)
		handle->EventData.HWData2 = sim_event_mailbox(id);
	handle->EventData.HWData3 = id;
	handles[id] = handle;
	*ret = handle;
	return HSAKMT_STATUS_SUCCESS;
}

/* The id of a handle, or 0 if the thunk did not create it. */
static uint32_t id_of(const HsaEvent *handle)
{
	uint32_t id = handle ? handle->EventId : 0;

	return id < SIM_EVENTS && handles[id] == handle ? id : 0;
}

HSAKMT_STATUS hsaKmtDestroyEvent(HsaEvent *handle)
{
	uint32_t id = id_of(handle);

	if (!id)
		return HSAKMT_STATUS_INVALID_HANDLE;
	handles[id] = NULL;
	sim_event_destroy(id);
	free(handle);
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtSetEvent(HsaEvent *handle)
{
	return sim_event_set(id_of(handle)) ? HSAKMT_STATUS_INVALID_HANDLE : HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtResetEvent(HsaEvent *handle)
{
	return sim_event_reset(id_of(handle)) ? HSAKMT_STATUS_INVALID_HANDLE
					      : HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtQueryEventState(HsaEvent *handle)
{
	return hsaKmtWaitOnEvent(handle, HSA_EVENTTIMEOUT_IMMEDIATE);
}

HSAKMT_STATUS hsaKmtWaitOnMultipleEvents(HsaEvent *events[], HSAuint32 count, bool all,
					 HSAuint32 milliseconds)
{
	uint32_t few[16], *ids = few;
	int err;

	if (!events || !count)
		return HSAKMT_STATUS_INVALID_HANDLE;
	if (count > sizeof(few) / sizeof(few[0]))
		ids = malloc(count * sizeof(*ids));
	if (!ids)
		return HSAKMT_STATUS_NO_MEMORY;
	for (HSAuint32 i = 0; i < count; i++)
		ids[i] = id_of(events[i]);
	err = sim_event_wait(ids, NULL, count, all, milliseconds);
	if (ids != few)
		free(ids);
	switch (err) {
	case 0:
		return HSAKMT_STATUS_SUCCESS;
	case -ETIME:
		return HSAKMT_STATUS_WAIT_TIMEOUT;
	default:
		return HSAKMT_STATUS_INVALID_HANDLE;
	}
}

HSAKMT_STATUS hsaKmtWaitOnEvent(HsaEvent *event, HSAuint32 milliseconds)
{
	return hsaKmtWaitOnMultipleEvents(&event, 1, true, milliseconds);
}
