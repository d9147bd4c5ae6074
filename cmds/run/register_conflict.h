/* SPDX-License-Identifier: MIT */
/*
 * ROCr 6.1 and later query rocprofiler-register first. If it finds a profiler in the process, they
 * silently ignore HSA_TOOLS_LIB. A profiler is any library that exports rocprofiler_configure, as
 * PyTorch's does, or one named in the environment. HSA_TOOLS_DISABLE_REGISTER=1 disables that
 * query.
 */
#ifndef PROBE_CMDS_RUN_REGISTER_CONFLICT_H
#define PROBE_CMDS_RUN_REGISTER_CONFLICT_H

#include <stdbool.h>
#include <stddef.h>

/* True if the user has already set the variable. */
bool run_register_decided(void);
/* True if ROCr queries rocprofiler-register nevertheless. */
bool run_register_kept(void);

/*
 * Describes such a profiler in the environment: "LD_PRELOAD has libx.so, which exports
 * rocprofiler_configure". False if there is none. Libraries that the program opens itself are not
 * detected.
 */
bool run_register_conflict(char *text, size_t size);

/* Warns the user if there is one, and says what happens to it. */
void run_register_announce(void);

#endif
