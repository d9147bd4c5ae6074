/* SPDX-License-Identifier: MIT */
/* Records calls of HIP, through the callbacks that HIP 4.2 and later offers to tools. */
#ifndef PROBE_HSA_PLUGIN_HOOKS_HIP_CALLS_H
#define PROBE_HSA_PLUGIN_HOOKS_HIP_CALLS_H

/* Does nothing unless HIP is loaded: a program that uses HSA alone makes no such calls. */
void probe_hip_calls_install(void);

#endif
