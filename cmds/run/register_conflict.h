/* SPDX-License-Identifier: MIT */
/*
 * ROCr 6.1 and later ask rocprofiler-register first: if a profiler was found in the process (any
 * library that exports rocprofiler_configure, as PyTorch's does, or one named in the environment),
 * they ignore HSA_TOOLS_LIB without a word. HSA_TOOLS_DISABLE_REGISTER=1 makes them skip that
 * question.
 */
#ifndef PROBE_CMDS_RUN_REGISTER_CONFLICT_H
#define PROBE_CMDS_RUN_REGISTER_CONFLICT_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the user has decided about it: the variable is set already. */
bool run_register_decided(void);
/* Whether ROCr asks rocprofiler-register nevertheless. */
bool run_register_kept(void);

/*
 * What in the environment is such a profiler: "LD_PRELOAD has libx.so, which exports
 * rocprofiler_configure" and the like. False if nothing is. Libraries that the program opens itself
 * are not seen.
 */
bool run_register_conflict(char *text, size_t size);

/* Tell the user, if there is one, what becomes of it. */
void run_register_announce(void);

#endif
