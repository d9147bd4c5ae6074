/* SPDX-License-Identifier: MIT */
/*
 * In place of libdrm's header, of which linux/kfd_ioctl.h needs only the integer types, and which
 * Debian's kernel headers leave out.
 */
#ifndef PROBE_SIMGPU_DRIVER_DRM_DRM_H
#define PROBE_SIMGPU_DRIVER_DRM_DRM_H

#include <linux/types.h>

#endif
