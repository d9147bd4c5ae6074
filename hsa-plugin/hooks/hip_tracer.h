/* SPDX-License-Identifier: MIT */
/* Records calls of HIP, through the callback that HIP offers to tools since 5.3.2. */
#ifndef PROBE_HSA_PLUGIN_HOOKS_HIP_TRACER_H
#define PROBE_HSA_PLUGIN_HOOKS_HIP_TRACER_H

#include <stdbool.h>

/* Whether the loaded HIP has this callback. */
bool probe_hip_tracer_offered(void);

/*
 * Registers the callback. NULL if it is registered; otherwise the reason why calls are not
 * recorded.
 */
const char *probe_hip_tracer_register(void);

#endif
