/* SPDX-License-Identifier: MIT */
/* The hsaKmt calls that create and control hardware queues. */
#include <errno.h>

#include "simgpu/base/device_clock.h"
#include "simgpu/base/hsakmt_export.h"
#include "simgpu/base/sim_log.h"
#include "simgpu/base/sim_options.h"
#include "simgpu/queue/queue_threads.h"

/* Ids fit in 32 bits; 0 is not a queue. */
static uint32_t queue_id(HSA_QUEUEID id)
{
	return id <= UINT32_MAX ? (uint32_t)id : 0;
}

static HSAKMT_STATUS status_of(int err)
{
	switch (err) {
	case 0:
		return HSAKMT_STATUS_SUCCESS;
	case -ENOMEM:
		return HSAKMT_STATUS_NO_MEMORY;
	case -EFAULT:
		return HSAKMT_STATUS_INVALID_PARAMETER;
	case -ENOENT:
		return HSAKMT_STATUS_INVALID_HANDLE;
	default:
		return HSAKMT_STATUS_OUT_OF_RESOURCES;
	}
}

HSAKMT_STATUS hsaKmtCreateQueue(HSAuint32 node, HSA_QUEUE_TYPE type, HSAuint32 percentage,
				HSA_QUEUE_PRIORITY priority, void *ring, HSAuint64 size,
				HsaEvent *event, HsaQueueResource *resource)
{
	bool aql = type == HSA_QUEUE_COMPUTE_AQL;
	struct sim_queue_request want = {
		.node = node,
		.aql = aql,
		.ring = ring,
		.ring_size = size,
		.read = aql ? (uint64_t *)resource->Queue_read_ptr_aql : NULL,
		.write = aql ? (uint64_t *)resource->Queue_write_ptr_aql : NULL,
	};
	struct sim_queue *queue;
	int err;

	(void)percentage;
	(void)priority;
	(void)event;
	if (!sim_is_gpu(node))
		return HSAKMT_STATUS_INVALID_NODE_UNIT;
	if (!aql && type != HSA_QUEUE_SDMA && type != HSA_QUEUE_SDMA_XGMI) {
		sim_print("queue type %d is not supported by the simulated GPU", (int)type);
		return HSAKMT_STATUS_NOT_SUPPORTED;
	}
	if (!ring || !size || (size & (size - 1)))
		return HSAKMT_STATUS_INVALID_PARAMETER;
	sim_clock_start();
	err = sim_queue_create(&want, &queue);
	if (err == -EFAULT)
		sim_print("queue refused: its ring or its indices are not in memory of the GPU");
	if (err)
		return status_of(err);
	resource->QueueId = queue->id;
	resource->Queue_DoorBell_aql = (HSAuint64 *)queue->doorbell;
	resource->Queue_read_ptr_aql = (HSAuint64 *)queue->read;
	resource->Queue_write_ptr_aql = (HSAuint64 *)queue->write;
	sim_debug(1, "queue %u of node %u created, %s, %llu bytes", queue->id, node,
		  aql ? "compute" : "SDMA", (unsigned long long)size);
	return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtUpdateQueue(HSA_QUEUEID id, HSAuint32 percentage, HSA_QUEUE_PRIORITY priority,
				void *ring, HSAuint64 size, HsaEvent *event)
{
	(void)priority;
	(void)ring;
	(void)size;
	(void)event;
	return status_of(sim_queue_suspend(queue_id(id), !percentage));
}

HSAKMT_STATUS hsaKmtDestroyQueue(HSA_QUEUEID id)
{
	return status_of(sim_queue_destroy(queue_id(id)));
}

/* The mask affects only placement (HW_ID): compute units do not take time from each other. */
HSAKMT_STATUS hsaKmtSetQueueCUMask(HSA_QUEUEID id, HSAuint32 bits, HSAuint32 *mask)
{
	return status_of(sim_queue_set_cu_mask(queue_id(id), mask, bits / 32));
}

/* For the cooperative queue; workgroup.c implements the one barrier that kernels use. */
HSAKMT_STATUS hsaKmtAllocQueueGWS(HSA_QUEUEID id, HSAuint32 count, HSAuint32 *first)
{
	(void)id;
	(void)count;
	*first = 0;
	return HSAKMT_STATUS_SUCCESS;
}
