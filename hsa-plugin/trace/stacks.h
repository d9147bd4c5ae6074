/* SPDX-License-Identifier: MIT */
/* Call stacks of launches, each announced once. Nothing here allocates or waits. */
#ifndef PROBE_HSA_PLUGIN_TRACE_STACKS_H
#define PROBE_HSA_PLUGIN_TRACE_STACKS_H

#include <stdint.h>

/* The id of this thread's call stack, which is announced if it is new; 0: none is recorded. */
uint64_t probe_stack_current(void);

#endif
