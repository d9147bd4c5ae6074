/* SPDX-License-Identifier: MIT */
/*
 * The thunk interface for the files that implement it: hsakmt.h with exported visibility (its
 * prototypes have none, and the tree is built with -fvisibility=hidden).
 */
#ifndef PROBE_SIMGPU_BASE_HSAKMT_EXPORT_H
#define PROBE_SIMGPU_BASE_HSAKMT_EXPORT_H

#pragma GCC visibility push(default)
#include <hsakmt.h>
#pragma GCC visibility pop

#endif
