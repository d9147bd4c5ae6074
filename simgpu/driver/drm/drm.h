/* SPDX-License-Identifier: MIT */
/*
 * Replaces libdrm's header. linux/kfd_ioctl.h needs only its integer types, and Debian's kernel
 * headers do not contain it.
 */
#ifndef PROBE_SIMGPU_DRIVER_DRM_DRM_H
#define PROBE_SIMGPU_DRIVER_DRM_DRM_H

#include <linux/types.h>

#endif
