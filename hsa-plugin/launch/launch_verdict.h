/* SPDX-License-Identifier: MIT */
/*
 * Whether a dispatch runs the clone of its kernel. What depends on the kernel alone is settled when
 * it is loaded (kernel_verdict.h); the rest depends on the launch, its queue and the filter by
 * dispatch number.
 */
#ifndef PROBE_HSA_PLUGIN_LAUNCH_LAUNCH_VERDICT_H
#define PROBE_HSA_PLUGIN_LAUNCH_LAUNCH_VERDICT_H

#include "hsa-plugin/launch/launch.h"

/* Sets the launch's verdict (PROBE_V_*), segment sizes and replicas. */
void probe_launch_decide(struct probe_launch *launch);

#endif
