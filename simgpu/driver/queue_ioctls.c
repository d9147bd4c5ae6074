/* SPDX-License-Identifier: MIT */
/* Calls for hardware queues. */
#include <errno.h>

#include "simgpu/base/device_clock.h"
#include "simgpu/base/sim_log.h"
#include "simgpu/driver/device_files.h"
#include "simgpu/driver/ioctl_handlers.h"
#include "simgpu/driver/kfd_abi.h"
#include "simgpu/driver/user_copy.h"
#include "simgpu/queue/queue_threads.h"

enum { MAX_CU_BITS = 1024 };

static bool is_ring_size(uint32_t size)
{
	return size && !(size & (size - 1));
}

int sim_ioctl_create_queue(void *args, size_t size)
{
	struct kfd_ioctl_create_queue_args *want = args;
	struct sim_queue_request request = {
		.node = sim_gpu_node(want->gpu_id),
		.aql = want->queue_type == KFD_IOC_QUEUE_TYPE_COMPUTE_AQL,
		.ring = (void *)(uintptr_t)want->ring_base_address,
		.ring_size = want->ring_size,
		.read = (uint64_t *)(uintptr_t)want->read_pointer_address,
		.write = (uint64_t *)(uintptr_t)want->write_pointer_address,
	};
	struct sim_kfd_save_area_header header;
	struct sim_queue *queue;
	int err;

	(void)size;
	/* The second byte is the number of the queue's partition. */
	if ((want->queue_percentage & 0xff) > KFD_MAX_QUEUE_PERCENTAGE ||
	    want->queue_priority > KFD_MAX_QUEUE_PRIORITY || !is_ring_size(want->ring_size))
		return -EINVAL;
	if (want->queue_type == KFD_IOC_QUEUE_TYPE_COMPUTE) {
		sim_print("queues of PM4 packets are not supported by the simulated GPU");
		return -EINVAL;
	}
	if (want->queue_type > SIM_KFD_QUEUE_BY_ENGINE)
		return -SIM_KFD_ENOTSUPP;
	if (!request.node)
		return -EINVAL;
	if (request.aql && sim_runtime_enabled() &&
	    !sim_copy_from_user(&header, want->ctx_save_restore_address, sizeof(header))) {
		request.exceptions = header.exceptions;
		request.exception_event = header.event;
	}
	sim_clock_start();
	err = sim_queue_create(&request, &queue);
	if (err == -EFAULT)
		sim_print("queue refused: its ring or its indices are not in memory of the GPU");
	if (err)
		return err == -EBUSY ? -ENOMEM : err;
	want->queue_id = queue->id;
	want->doorbell_offset = SIM_DOORBELL_OFFSET + (uint64_t)(queue->id - 1) * sizeof(uint64_t);
	sim_debug(1, "queue %u of node %u created, %s, %u bytes", queue->id, request.node,
		  request.aql ? "compute" : "SDMA", want->ring_size);
	return 0;
}

int sim_ioctl_destroy_queue(void *args, size_t size)
{
	(void)size;
	return sim_queue_destroy(((struct kfd_ioctl_destroy_queue_args *)args)->queue_id) ? -EINVAL
											  : 0;
}

/* A queue without a ring, or with 0 percent, does not run. */
int sim_ioctl_update_queue(void *args, size_t size)
{
	const struct kfd_ioctl_update_queue_args *want = args;
	uint32_t percentage = want->queue_percentage & 0xff;

	(void)size;
	if (percentage > KFD_MAX_QUEUE_PERCENTAGE ||
	    want->queue_priority > KFD_MAX_QUEUE_PRIORITY ||
	    (want->ring_size && !is_ring_size(want->ring_size)))
		return -EINVAL;
	return sim_queue_suspend(want->queue_id,
				 !percentage || !want->ring_base_address || !want->ring_size)
		       ? -EFAULT
		       : 0;
}

/* The mask affects only placement (HW_ID): compute units do not take time from each other. */
int sim_ioctl_set_cu_mask(void *args, size_t size)
{
	const struct kfd_ioctl_set_cu_mask_args *want = args;
	uint32_t mask[MAX_CU_BITS / 32] = {0}, bits = want->num_cu_mask;

	(void)size;
	if (!bits || bits % 32)
		return -EINVAL;
	if (bits > MAX_CU_BITS)
		bits = MAX_CU_BITS;
	if (sim_copy_from_user(mask, want->cu_mask_ptr, bits / 8))
		return -EFAULT;
	return sim_queue_set_cu_mask(want->queue_id, mask, bits / 32) ? -EFAULT : 0;
}

/* For the cooperative queue; workgroup.c implements the one barrier that kernels use. */
int sim_ioctl_alloc_queue_gws(void *args, size_t size)
{
	struct kfd_ioctl_alloc_queue_gws_args *want = args;

	(void)size;
	if (!sim_queue_exists(want->queue_id))
		return -EINVAL;
	want->first_gws = 0;
	return 0;
}
