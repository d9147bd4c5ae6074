/* SPDX-License-Identifier: MIT */
/*
 * The lanes for which BLOCK records store addresses (wire_device.h section 5), if that follows from
 * the launch alone. The application passes them to the GPU, and probe-run reads records with them.
 */
#ifndef PROBE_WIRE_TRACE_ROWS_H
#define PROBE_WIRE_TRACE_ROWS_H

#include <stdint.h>

/* The lanes of ROWS records, if they are the same in all waves of the launch; else 0. */
uint64_t probe_trace_rows(const uint32_t grid[3], const uint32_t group[3]);

/* Index in its workgroup of the wave whose first work-item is `item`, packed as in WAVE_ITEM. */
uint32_t probe_trace_wave(const uint32_t group[3], uint32_t item);

#endif
