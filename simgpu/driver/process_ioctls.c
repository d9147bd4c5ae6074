/* SPDX-License-Identifier: MIT */
/* Calls for the driver, the process and a GPU as a whole. */
#include <errno.h>
#include <fcntl.h>

#include "simgpu/base/device_clock.h"
#include "simgpu/base/device_parameters.h"
#include "simgpu/driver/device_files.h"
#include "simgpu/driver/ioctl_handlers.h"
#include "simgpu/driver/kfd_abi.h"
#include "simgpu/driver/runtime_version.h"
#include "simgpu/driver/user_copy.h"
#include "simgpu/sampling/trap_buffers.h"

static uint32_t minor_version(void)
{
	if (sim_options()->driver_sampling)
		return SIM_KFD_MINOR_SAMPLING;
	return sim_runtime_before_7() ? SIM_KFD_MINOR_BEFORE_7 : SIM_KFD_MINOR;
}

int sim_ioctl_get_version(void *args, size_t size)
{
	struct kfd_ioctl_get_version_args *version = args;

	(void)size;
	version->major_version = SIM_KFD_MAJOR;
	version->minor_version = minor_version();
	return 0;
}

static bool is_policy(uint32_t policy)
{
	return policy == KFD_IOC_CACHE_POLICY_COHERENT ||
	       policy == KFD_IOC_CACHE_POLICY_NONCOHERENT;
}

int sim_ioctl_set_memory_policy(void *args, size_t size)
{
	const struct kfd_ioctl_set_memory_policy_args *want = args;

	(void)size;
	if (!is_policy(want->default_policy) || !is_policy(want->alternate_policy))
		return -EINVAL;
	return sim_gpu_node(want->gpu_id) ? 0 : -EINVAL;
}

/* The driver reads a GPU's clock only if that GPU exists, and succeeds otherwise. */
int sim_ioctl_get_clock_counters(void *args, size_t size)
{
	struct kfd_ioctl_get_clock_counters_args *counters = args;
	uint32_t node = sim_gpu_node(counters->gpu_id);
	struct sim_clock_pair now = sim_clock_read(node);

	(void)size;
	counters->gpu_clock_counter = node ? now.gpu : 0;
	counters->cpu_clock_counter = now.system;
	counters->system_clock_counter = now.system;
	counters->system_clock_freq = 1000000000;
	return 0;
}

/* A limit of 47 bits makes the thunk reserve addresses with plain mmap(). */
static struct kfd_process_device_apertures apertures_of(uint32_t node)
{
	return (struct kfd_process_device_apertures){
		.lds_base = SIM_LDS_APERTURE,
		.lds_limit = SIM_LDS_APERTURE | 0xffffffff,
		.scratch_base = SIM_SCRATCH_APERTURE,
		.scratch_limit = SIM_SCRATCH_APERTURE | 0xffffffff,
		.gpuvm_base = SIM_PAGE,
		.gpuvm_limit = ((uint64_t)1 << 47) - 1,
		.gpu_id = sim_gpu_id(node),
	};
}

int sim_ioctl_get_apertures(void *args, size_t size)
{
	struct kfd_ioctl_get_process_apertures_args *want = args;
	uint32_t count = (uint32_t)sim_options()->gpus;

	(void)size;
	if (count > NUM_OF_SUPPORTED_GPUS)
		count = NUM_OF_SUPPORTED_GPUS;
	for (uint32_t i = 0; i < count; i++)
		want->process_apertures[i] = apertures_of(SIM_NODE_GPU + i);
	want->num_of_nodes = count;
	return 0;
}

int sim_ioctl_get_apertures_new(void *args, size_t size)
{
	struct kfd_ioctl_get_process_apertures_new_args *want = args;
	uint32_t count = (uint32_t)sim_options()->gpus;

	(void)size;
	/* If the capacity is too small, it returns the required number. */
	if (want->num_of_nodes && count > want->num_of_nodes)
		count = want->num_of_nodes;
	for (uint32_t i = 0; want->num_of_nodes && i < count; i++) {
		struct kfd_process_device_apertures one = apertures_of(SIM_NODE_GPU + i);

		if (sim_copy_to_user(want->kfd_process_device_apertures_ptr + i * sizeof(one), &one,
				     sizeof(one)))
			return -EFAULT;
	}
	want->num_of_nodes = count;
	return 0;
}

int sim_ioctl_get_tile_config(void *args, size_t size)
{
	struct kfd_ioctl_get_tile_config_args *config = args;

	(void)size;
	if (!sim_gpu_node(config->gpu_id))
		return -EINVAL;
	config->num_tile_configs = 0;
	config->num_macro_tile_configs = 0;
	config->gb_addr_config = 0;
	config->num_banks = 16;
	config->num_ranks = 1;
	return 0;
}

/* The handler's code is never executed: the machine implements its effects (s_trap, faults, PC
 * samples).
 */
int sim_ioctl_set_trap_handler(void *args, size_t size)
{
	const struct kfd_ioctl_set_trap_handler_args *want = args;
	uint32_t node = sim_gpu_node(want->gpu_id);

	(void)size;
	if (!node)
		return -EINVAL;
	sim_trap_set_memory(node - SIM_NODE_GPU, want->tma_addr);
	return 0;
}

int sim_ioctl_acquire_vm(void *args, size_t size)
{
	const struct kfd_ioctl_acquire_vm_args *want = args;

	(void)size;
	return sim_is_render((int)want->drm_fd) && sim_gpu_node(want->gpu_id) ? 0 : -EINVAL;
}

/* Only GPUs before gfx9 have a fixed address of scratch memory. */
int sim_ioctl_set_scratch_backing(void *args, size_t size)
{
	const struct kfd_ioctl_set_scratch_backing_va_args *want = args;

	(void)size;
	return sim_gpu_node(want->gpu_id) ? 0 : -EINVAL;
}

/* A negative mode queries the current mode. */
int sim_ioctl_set_xnack_mode(void *args, size_t size)
{
	struct kfd_ioctl_set_xnack_mode_args *mode = args;

	(void)size;
	if (mode->xnack_enabled > 0)
		return -EPERM;
	mode->xnack_enabled = 0;
	return 0;
}
