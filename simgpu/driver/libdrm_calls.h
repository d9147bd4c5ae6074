/* SPDX-License-Identifier: MIT */
/* What the files that replace calls of libdrm share. */
#ifndef PROBE_SIMGPU_DRIVER_LIBDRM_CALLS_H
#define PROBE_SIMGPU_DRIVER_LIBDRM_CALLS_H

#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>

struct amdgpu_device;

/* libdrm's own function of this name, for what is not simulated; -ENODEV if there is no libdrm. */
#define SIM_LIBDRM(name, ...)                                                                      \
	({                                                                                         \
		__typeof__(&name) next_;                                                           \
		*(void **)&next_ = dlsym(RTLD_NEXT, #name);                                        \
		next_ ? next_(__VA_ARGS__) : -ENODEV;                                              \
	})

/* The GPU that a device of libdrm is; 0: not a simulated one. */
uint32_t sim_drm_node(const struct amdgpu_device *device);

#endif
