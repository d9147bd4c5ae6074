/* SPDX-License-Identifier: MIT */
/*
 * The driver's calls. Each receives a copy of the arguments, of the size that this header defines
 * (missing fields of a shorter struct are 0), and returns 0 or the kernel driver's own -errno.
 */
#ifndef PROBE_SIMGPU_DRIVER_IOCTL_HANDLERS_H
#define PROBE_SIMGPU_DRIVER_IOCTL_HANDLERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simgpu/base/sim_options.h"

/* The driver's id of a GPU; any non-zero number would do. */
static inline uint32_t sim_gpu_id(uint32_t node)
{
	return 0x5052 + node;
}

/* The node of a GPU, or 0. */
static inline uint32_t sim_gpu_node(uint32_t gpu_id)
{
	uint32_t node = gpu_id - 0x5052;

	return sim_is_gpu(node) ? node : 0;
}

/* size: of the caller's struct, for structs that end in an array. */
typedef int sim_ioctl_handler(void *args, size_t size);

sim_ioctl_handler sim_ioctl_get_version, sim_ioctl_set_memory_policy, sim_ioctl_get_clock_counters,
	sim_ioctl_get_apertures, sim_ioctl_get_apertures_new, sim_ioctl_get_tile_config,
	sim_ioctl_set_trap_handler, sim_ioctl_acquire_vm, sim_ioctl_set_scratch_backing,
	sim_ioctl_set_xnack_mode, sim_ioctl_runtime_enable, sim_ioctl_pc_sample;
sim_ioctl_handler sim_ioctl_alloc_memory, sim_ioctl_free_memory, sim_ioctl_map_memory,
	sim_ioctl_unmap_memory, sim_ioctl_available_memory, sim_ioctl_svm, sim_ioctl_export_dmabuf;
sim_ioctl_handler sim_ioctl_create_event, sim_ioctl_destroy_event, sim_ioctl_set_event,
	sim_ioctl_reset_event, sim_ioctl_wait_events;
sim_ioctl_handler sim_ioctl_create_queue, sim_ioctl_destroy_queue, sim_ioctl_update_queue,
	sim_ioctl_set_cu_mask, sim_ioctl_alloc_queue_gws;

/*
 * The runtime has called RUNTIME_ENABLE: errors of queues are stored where their save areas say,
 * and not in their signals.
 */
bool sim_runtime_enabled(void);

/* GPU address of the allocation with this handle, or 0. */
uint64_t sim_handle_address(uint64_t handle);

#endif
