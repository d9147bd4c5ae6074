/* SPDX-License-Identifier: MIT */
/*
 * The few calls of libdrm that the thunk makes: it opens the render node, queries the name and
 * family of the GPU, and uses the descriptor that libdrm keeps. Only what is accessed here is
 * declared, without libdrm's headers. Calls about other devices go to libdrm.
 */
#include "simgpu/driver/libdrm_calls.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "simgpu/base/simulated_device.h"
#include "simgpu/driver/device_files.h"
#include "simgpu/driver/driver_export.h"

enum {
	DRM_MAJOR = 3,
	DRM_MINOR = 57,
	FAMILY_AI = 141, /* gfx9 */
	COUNTER_KHZ = 100000,
};

/* amdgpu_device_handle. */
struct amdgpu_device {
	uint64_t magic;
	int fd;
	uint32_t node;
};

#define MAGIC 0x5052534d44524d00ull

/* The beginning of libdrm's struct amdgpu_gpu_info; the rest is not changed. */
struct gpu_info {
	uint32_t asic_id, chip_rev, chip_external_rev, family_id;
	uint64_t ids_flags, max_engine_clk, max_memory_clk;
	uint32_t num_shader_engines, num_shader_arrays_per_engine, avail_quad_shader_pipes,
		max_quad_shader_pipes, cache_entries_per_quad_pipe, num_hw_gfx_contexts, rb_pipes,
		enabled_rb_pipes_mask, gpu_counter_freq;
};

static bool ours(const struct amdgpu_device *device)
{
	return device && device->magic == MAGIC;
}

uint32_t sim_drm_node(const struct amdgpu_device *device)
{
	return ours(device) ? device->node : 0;
}

int drmOpenRender(int minor);
SIM_DRIVER_EXPORT int drmOpenRender(int minor)
{
	int fd = sim_render_open(minor);

	if (fd >= 0)
		return fd;
	return SIM_LIBDRM(drmOpenRender, minor);
}

int drmClose(int fd);
SIM_DRIVER_EXPORT int drmClose(int fd)
{
	if (sim_is_render(fd))
		return close(fd);
	return SIM_LIBDRM(drmClose, fd);
}

int amdgpu_device_initialize(int fd, uint32_t *major, uint32_t *minor, struct amdgpu_device **ret);
SIM_DRIVER_EXPORT int amdgpu_device_initialize(int fd, uint32_t *major, uint32_t *minor,
					       struct amdgpu_device **ret)
{
	struct amdgpu_device *device;

	if (sim_is_render(fd)) {
		device = calloc(1, sizeof(*device));
		if (!device)
			return -ENOMEM;
		device->magic = MAGIC;
		device->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		device->node = sim_render_node(fd);
		*major = DRM_MAJOR;
		*minor = DRM_MINOR;
		*ret = device;
		return 0;
	}
	return SIM_LIBDRM(amdgpu_device_initialize, fd, major, minor, ret);
}

int amdgpu_device_deinitialize(struct amdgpu_device *device);
SIM_DRIVER_EXPORT int amdgpu_device_deinitialize(struct amdgpu_device *device)
{
	if (ours(device)) {
		close(device->fd);
		free(device);
		return 0;
	}
	return SIM_LIBDRM(amdgpu_device_deinitialize, device);
}

int amdgpu_device_get_fd(struct amdgpu_device *device);
SIM_DRIVER_EXPORT int amdgpu_device_get_fd(struct amdgpu_device *device)
{
	if (ours(device))
		return device->fd;
	return SIM_LIBDRM(amdgpu_device_get_fd, device);
}

const char *amdgpu_get_marketing_name(struct amdgpu_device *device);
SIM_DRIVER_EXPORT const char *amdgpu_get_marketing_name(struct amdgpu_device *device)
{
	__typeof__(&amdgpu_get_marketing_name) next;

	if (ours(device))
		return sim_device()->marketing_name;
	*(void **)&next = dlsym(RTLD_NEXT, "amdgpu_get_marketing_name");
	return next ? next(device) : NULL;
}

int amdgpu_query_gpu_info(struct amdgpu_device *device, struct gpu_info *info);
SIM_DRIVER_EXPORT int amdgpu_query_gpu_info(struct amdgpu_device *device, struct gpu_info *info)
{
	if (ours(device)) {
		*info = (struct gpu_info){
			.asic_id = sim_device()->device_id,
			.family_id = FAMILY_AI,
			.max_engine_clk = sim_device()->core_mhz * 1000,
			.num_shader_engines = sim_device()->engines,
			.num_shader_arrays_per_engine = 1,
			.gpu_counter_freq = COUNTER_KHZ,
		};
		return 0;
	}
	return SIM_LIBDRM(amdgpu_query_gpu_info, device, info);
}
