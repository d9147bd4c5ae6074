/* SPDX-License-Identifier: MIT */
/*
 * Calls for PC sampling and for the runtime's exceptions, which sampling requires. They exist with
 * PROBE_SIM_DRIVER_SAMPLING=1 only: otherwise the topology says that the GPU has neither, and
 * errors of queues are stored in the queues' signals.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "simgpu/base/device_parameters.h"
#include "simgpu/base/simulated_device.h"
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

/* What the kernel driver offers: gfx90a has the first only. */
static const struct offer {
	enum sim_sampling_method method;
	struct sim_kfd_pc_sample_info info;
} offers[] = {
	{SIM_SAMPLING_HOST_TRAP,
	 {.interval_min = 1,
	  .interval_max = UINT64_MAX,
	  .method = SIM_KFD_PCS_HOST_TRAP,
	  .type = SIM_KFD_PCS_MICROSECONDS}},
	{SIM_SAMPLING_STOCHASTIC,
	 {.interval_min = 256,
	  .interval_max = (uint64_t)1 << 31,
	  .flags = SIM_KFD_PCS_POWER_OF_2,
	  .method = SIM_KFD_PCS_STOCHASTIC,
	  .type = SIM_KFD_PCS_CYCLES}},
};

static uint32_t offer_count(void)
{
	return sim_device()->stochastic_sampling ? 2 : 1;
}

/* While a session of a method exists, its own configuration, unless all are requested. */
static int query(struct sim_kfd_pc_sample_args *args, uint32_t gpu)
{
	uint32_t room = args->num_sample_info;

	args->num_sample_info = offer_count();
	if (!args->sample_info_ptr || !room)
		return 0;
	if (room < offer_count())
		return -ENOSPC;
	for (uint32_t i = 0; i < offer_count(); i++) {
		struct sim_kfd_pc_sample_info info = offers[i].info;
		uint64_t live = sim_trap_interval(gpu, offers[i].method);

		if (live && !(args->flags & SIM_KFD_PCS_QUERY_FULL))
			info.interval = info.interval_min = info.interval_max = live;
		if (sim_copy_to_user(args->sample_info_ptr + i * sizeof(info), &info, sizeof(info)))
			return -EFAULT;
	}
	return 0;
}

static bool is_valid(const struct sim_kfd_pc_sample_info *want, const struct offer *offer)
{
	bool power = want->interval && !(want->interval & (want->interval - 1));

	return want->method == offer->info.method && want->type == offer->info.type &&
	       !(want->flags & ~offer->info.flags) && want->interval >= offer->info.interval_min &&
	       (power || !offer->info.flags);
}

static int create(struct sim_kfd_pc_sample_args *args, uint32_t gpu)
{
	struct sim_kfd_pc_sample_info info;

	if (args->num_sample_info != 1)
		return -EINVAL;
	if (sim_copy_from_user(&info, args->sample_info_ptr, sizeof(info)))
		return -EFAULT;
	for (uint32_t i = 0; i < offer_count(); i++)
		if (is_valid(&info, &offers[i]))
			return sim_trap_create(gpu, offers[i].method,
					       info.interval < INTERVAL_MOST ? info.interval
									     : INTERVAL_MOST,
					       &args->trace_id);
	return -EINVAL;
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
