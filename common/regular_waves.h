/* SPDX-License-Identifier: MIT */
/*
 * Regular waves of a launch (wire_device.h section 3): all lanes are active, and the work-items of
 * all waves have the same positions relative to the wave's first. The application passes their EXEC
 * to the GPU, and probe-run derives counters from them.
 *
 * Work-items are numbered with x fastest, then y, then z, 64 to a wave; the last wave of a
 * workgroup may be partial (AMDGPU ABI, "Initial Kernel Execution State").
 */
#ifndef PROBE_COMMON_REGULAR_WAVES_H
#define PROBE_COMMON_REGULAR_WAVES_H

#include <stdbool.h>
#include <stdint.h>

/*
 * EXEC of the regular waves of a launch with waves of 64 lanes; 0 = no wave is regular. *ret_waves:
 * their number in the whole launch.
 */
uint64_t probe_regular_exec(const uint32_t grid[3], const uint32_t group[3], uint64_t *ret_waves);

/* Does the launch have few enough waves for the host to enumerate them? */
bool probe_launch_enumerable(const uint32_t grid[3], const uint32_t group[3]);

#endif
