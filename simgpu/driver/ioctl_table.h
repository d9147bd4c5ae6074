/* SPDX-License-Identifier: MIT */
#ifndef PROBE_SIMGPU_DRIVER_IOCTL_TABLE_H
#define PROBE_SIMGPU_DRIVER_IOCTL_TABLE_H

/* ioctl() on the file of /dev/kfd: 0 or -errno. */
int sim_kfd_ioctl(unsigned long request, void *argument);

#endif
