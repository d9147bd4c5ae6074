/* SPDX-License-Identifier: MIT */
/*
 * Regular waves of a launch (wire.h section 3): those with every lane that a wave of the launch can
 * have, if all of them lie alike in their workgroups. The application tells the GPU which they are,
 * probe-run reckons with them: one function for both.
 *
 * Work-items are numbered x first, then y, then z, 64 to a wave; the last wave of a workgroup may
 * be short (AMDGPU ABI, "Initial Kernel Execution State").
 */
#ifndef PROBE_COMMON_REGULAR_H
#define PROBE_COMMON_REGULAR_H

#include <stdbool.h>
#include <stdint.h>

/*
 * EXEC of the regular waves of a launch, work-items and waves of 64 lanes; 0 = there are none.
 * *ret_waves: how many there are in the whole launch.
 */
uint64_t probe_regular_exec(const uint32_t grid[3], const uint32_t group[3], uint64_t *ret_waves);

/* Is what EXACT groups do reckoned, wave by wave? Also told by one side and relied on by the other.
 */
bool probe_launch_reckoned(const uint32_t grid[3], const uint32_t group[3]);

#endif
