/* SPDX-License-Identifier: MIT */
/* Names of kernels, for messages and counters. */
#ifndef PROBE_SIMGPU_GROUP_KERNEL_NAME_H
#define PROBE_SIMGPU_GROUP_KERNEL_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The symbol of a kernel descriptor; if there is none, false and its address in hex. */
bool sim_kernel_name(uint64_t descriptor, char *buf, size_t size);

#endif
