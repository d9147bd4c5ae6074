/* SPDX-License-Identifier: MIT */
/*
 * Cycles that the address unit of gfx90a takes for the L1 lookups of one access. The rule was found
 * in what te42kyfo/gpu-benches (commit 1c36d509, gpu-strides/mi210.txt) measured on an MI210, and
 * gives all its cycles of strides that fit into the L1: 64 of 4 bytes, 33 of 8.
 */
#ifndef PROBE_SIMGPU_EXEC_MEMORY_L1_LOOKUPS_H
#define PROBE_SIMGPU_EXEC_MEMORY_L1_LOOKUPS_H

#include <stdint.h>

/* The lanes of exec access `bytes` (at most 16) each, lane l at addr[l]. Idle lanes are free. */
unsigned int l1_lookup_cycles(const uint64_t *addr, uint64_t exec, unsigned int bytes);

#endif
