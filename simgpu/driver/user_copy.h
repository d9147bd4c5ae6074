/* SPDX-License-Identifier: MIT */
/*
 * Accesses memory of the application as the kernel does: a bad address returns -EFAULT and does not
 * crash. It uses the kernel's own check: a read or write on a memory file with the application's
 * address.
 */
#ifndef PROBE_SIMGPU_DRIVER_USER_COPY_H
#define PROBE_SIMGPU_DRIVER_USER_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 0 or -EFAULT; in the second case *to may have been written in part. */
int sim_copy_from_user(void *to, uint64_t user, size_t size);
int sim_copy_to_user(uint64_t user, const void *from, size_t size);

/* Whether the process has mapped all pages of a range, accessible or not. */
bool sim_user_mapped(uint64_t user, uint64_t size);
/*
 * Whether the first and the last byte can be read. With sim_user_mapped(): the range is not just
 * reserved.
 */
bool sim_user_readable(uint64_t user, uint64_t size);

#endif
