/* SPDX-License-Identifier: MIT */
/*
 * Calls for PC sampling and for the runtime's exceptions, which sampling requires. They exist with
 * PROBE_SIM_DRIVER_SAMPLING=1 only: otherwise the topology says that the GPU has neither, and
 * errors of queues are stored in the queues' signals.
 */
#include <errno.h>
#include <stdatomic.h>

#include "simgpu/base/device_parameters.h"
#include "simgpu/driver/ioctl_handlers.h"
#include "simgpu/driver/kfd_abi.h"
#include "simgpu/driver/user_copy.h"
#include "simgpu/sampling/trap_buffers.h"

#define INTERVAL_MOST ((uint64_t)1 << 48) /* us; longer ones mean "never" as well */

static atomic_bool enabled;

bool sim_runtime_enabled(void)
{
	return atomic_load(&enabled);
}

int sim_ioctl_runtime_enable(void *args, size_t size)
{
	struct sim_kfd_runtime_enable_args *want = args;
	bool on = want->mode_mask & SIM_KFD_RUNTIME_ENABLE;

	(void)size;
	if (!sim_options()->driver_sampling)
		return -EINVAL;
	if (atomic_exchange(&enabled, on) && on)
		return -EBUSY;
	want->capabilities_mask = 0;
	return 0;
}

static const struct sim_kfd_pc_sample_info host_trap = {
	.interval_min = 1,
	.interval_max = UINT64_MAX,
	.method = SIM_KFD_PCS_HOST_TRAP,
	.type = SIM_KFD_PCS_MICROSECONDS,
};

/* While a session exists, its own configuration, unless all are requested. */
static int query(struct sim_kfd_pc_sample_args *args, uint32_t gpu)
{
	struct sim_kfd_pc_sample_info info = host_trap;
	uint64_t live = sim_trap_interval(gpu);
	uint32_t room = args->num_sample_info;

	args->num_sample_info = 1;
	if (!args->sample_info_ptr || !room)
		return 0;
	if (live && !(args->flags & SIM_KFD_PCS_QUERY_FULL))
		info.interval = info.interval_min = info.interval_max = live;
	return sim_copy_to_user(args->sample_info_ptr, &info, sizeof(info)) ? -EFAULT : 0;
}

static int create(struct sim_kfd_pc_sample_args *args, uint32_t gpu)
{
	struct sim_kfd_pc_sample_info info;

	if (args->num_sample_info != 1)
		return -EINVAL;
	if (sim_copy_from_user(&info, args->sample_info_ptr, sizeof(info)))
		return -EFAULT;
	if (info.flags || info.method != host_trap.method || info.type != host_trap.type ||
	    info.interval < host_trap.interval_min)
		return -EINVAL;
	return sim_trap_create(gpu, info.interval < INTERVAL_MOST ? info.interval : INTERVAL_MOST,
			       &args->trace_id);
}

int sim_ioctl_pc_sample(void *args, size_t size)
{
	struct sim_kfd_pc_sample_args *want = args;
	uint32_t node = sim_gpu_node(want->gpu_id), gpu = node - SIM_NODE_GPU;

	(void)size;
	if (!sim_options()->driver_sampling || !sim_options()->model)
		return -EOPNOTSUPP;
	if (!node)
		return -EINVAL;
	switch (want->op) {
	case SIM_KFD_PCS_QUERY:
		return query(want, gpu);
	case SIM_KFD_PCS_CREATE:
		return create(want, gpu);
	case SIM_KFD_PCS_DESTROY:
		return sim_trap_destroy(gpu, want->trace_id);
	case SIM_KFD_PCS_START:
		return sim_trap_start(gpu, want->trace_id);
	case SIM_KFD_PCS_STOP:
		return sim_trap_stop(gpu, want->trace_id);
	default:
		return -EINVAL;
	}
}
