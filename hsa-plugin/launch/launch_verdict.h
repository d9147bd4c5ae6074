/* SPDX-License-Identifier: MIT */
/*
 * Decides whether a dispatch runs the clone of its kernel. kernel_verdict.h decides what depends on
 * the kernel alone when it is loaded; the rest depends on the launch, its queue and the filter by
 * dispatch number.
 */
#ifndef PROBE_HSA_PLUGIN_LAUNCH_LAUNCH_VERDICT_H
#define PROBE_HSA_PLUGIN_LAUNCH_LAUNCH_VERDICT_H

#include "hsa-plugin/launch/launch.h"

/* Sets the launch's verdict (PROBE_V_*), segment sizes and replicas. */
void probe_launch_decide(struct probe_launch *launch);

#endif
